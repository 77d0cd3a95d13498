use serde::{Deserialize, Serialize};

/// The result of one position's search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Searched {
    /// The root's value at the requested depth, from the side to move.
    pub value: i64,
    /// A move with that value, in the game's notation; `None` if there is no move (game over, or depth 0).
    pub best: Option<String>,
    /// The value of each legal move of the root, in the board's order; empty if the technique does not report them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_move: Vec<i64>,
}

/// Outcomes of random games, from the side to move at the root.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Tally {
    /// Playouts won by the side to move at the root.
    pub wins: u64,
    /// Playouts that ended in a draw.
    pub draws: u64,
    /// Playouts lost by the side to move at the root.
    pub losses: u64,
    /// Plies of all playouts together.
    pub plies: u64,
    /// Wins, draws and losses by first move, in the game's move order; empty if the technique does not count them.
    pub by_first_move: Vec<(u64, u64, u64)>,
}

impl std::ops::AddAssign<&Tally> for Tally {
    /// Adds playouts of the same position.
    fn add_assign(&mut self, other: &Tally) {
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
        self.plies += other.plies;
        let moves = self.by_first_move.len().max(other.by_first_move.len());
        self.by_first_move.resize(moves, (0, 0, 0));
        for (own, more) in self.by_first_move.iter_mut().zip(&other.by_first_move) {
            *own = (own.0 + more.0, own.1 + more.1, own.2 + more.2);
        }
    }
}

impl Tally {
    /// The empty tally of a position with this number of first moves.
    pub fn of_first_moves(moves: usize) -> Tally {
        Tally {
            by_first_move: vec![(0, 0, 0); moves],
            ..Tally::default()
        }
    }

    /// Sums wins, draws and losses over first moves.
    pub fn add_up(&mut self) {
        (self.wins, self.draws, self.losses) = (0, 0, 0);
        for (wins, draws, losses) in &self.by_first_move {
            self.wins += wins;
            self.draws += draws;
            self.losses += losses;
        }
    }

    /// Number of playouts.
    pub fn playouts(&self) -> u64 {
        self.wins + self.draws + self.losses
    }
}

/// The move chosen at one position.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chosen {
    /// The move, in the game's notation; `None` if the game is over.
    pub best: Option<String>,
    /// Visits of each legal move, in the game's move order, for an effort in iterations. Empty for an effort in time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub visits: Vec<u64>,
    /// Wins less losses of each legal move, if these decide; else empty. They are not sent.
    #[serde(skip)]
    pub gains: Vec<i64>,
    /// Positions in the tree, the root included; 0 without a tree.
    pub tree_nodes: u64,
    /// Plies from the root to the tree's deepest position.
    pub tree_depth: u64,
}

/// The score of a match of two techniques, from the first one's side.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchScore {
    /// The opening from which the games started, counted from 0.
    pub opening: u64,
    /// Games won by the measured technique.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
    /// Each game's final score from the measured technique's side, and its moves in the game's notation, for a replay.
    pub games: Vec<(i64, String)>,
    /// Thinking time of the measured technique, ns, over all games.
    pub own_ns: u64,
    /// Thinking time of its opponent, ns, over all games.
    pub opponent_ns: u64,
}

impl MatchScore {
    /// Adds the games of another opening; `opening` stays.
    pub fn add(&mut self, other: &MatchScore) {
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
        self.games.extend_from_slice(&other.games);
        self.own_ns += other.own_ns;
        self.opponent_ns += other.opponent_ns;
    }

    /// Games played.
    pub fn played(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Points of the measured technique; a draw counts half.
    pub fn points(&self) -> f64 {
        self.wins as f64 + self.draws as f64 / 2.0
    }

    /// For readers: `1 won, 0 drawn, 1 lost`.
    pub fn counts(&self) -> String {
        let (wins, draws, losses) = (self.wins, self.draws, self.losses);
        format!("{wins} won, {draws} drawn, {losses} lost")
    }

    /// One line per game, the score before the moves: `+12 f5d6…`
    pub fn lines(&self) -> impl Iterator<Item = String> {
        let games = self.games.iter();
        games.map(|(difference, moves)| format!("{difference:+} {moves}"))
    }

    /// Parses the notation. It does not contain the opening and the players' times.
    pub fn read(notation: &str) -> Option<MatchScore> {
        let mut parts = notation.split("; ");
        let mut counts = parts.next()?.split(", ");
        let mut count = |ending: &str| counts.next()?.strip_suffix(ending)?.parse::<u64>().ok();
        let score = MatchScore {
            wins: count(" won")?,
            draws: count(" drawn")?,
            losses: count(" lost")?,
            ..MatchScore::default()
        };
        let games = parts.map(|game| {
            let (difference, moves) = game.split_once(' ')?;
            Some((difference.parse().ok()?, moves.to_owned()))
        });
        Some(MatchScore {
            games: games.collect::<Option<Vec<_>>>()?,
            ..score
        })
    }
}

impl std::fmt::Display for MatchScore {
    /// The notation: `1 won, 0 drawn, 1 lost; +12 f5d6…; -12 f5f4…`
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.counts())?;
        self.lines().try_for_each(|game| write!(f, "; {game}"))
    }
}

/// The answer of a technique to one sample of a cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// `search` and `game`: one entry per position, in the order of the line of play.
    Searched(Vec<Searched>),
    /// `playouts`: one tally per position, in the experiment's order.
    Tallies(Vec<Tally>),
    /// `choose`: one entry per position.
    Chosen(Vec<Chosen>),
    /// `match`.
    Match(MatchScore),
    /// `perft`: sequences of exactly N plies.
    Leaves(u64),
}
