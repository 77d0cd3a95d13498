use serde::{Deserialize, Serialize};

/// What one position's search found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Searched {
    /// The root's value at the asked depth, from the side to move.
    pub value: i64,
    /// A move with that value, in the game's notation; `None` where the side to move has none
    /// (the game is over, or the depth is 0).
    pub best: Option<String>,
    /// What each legal move of the root is worth, in the board's order, where the technique tells.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_move: Vec<i64>,
}

/// Counts of finished random games, from the side to move at the root.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Playouts won by the side to move at the root.
    pub wins: u64,
    /// Playouts that nobody won.
    pub draws: u64,
    /// Playouts lost by the side to move at the root.
    pub losses: u64,
    /// Plies played in all of them.
    pub plies: u64,
    /// Wins, draws and losses by first move, in the game's move order; empty where it makes no
    /// sense.
    pub by_first_move: Vec<(u64, u64, u64)>,
}

impl std::ops::AddAssign<&Tally> for Tally {
    /// Adds playouts of the same position.
    fn add_assign(&mut self, other: &Tally) {
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
        self.plies += other.plies;
        if self.by_first_move.len() < other.by_first_move.len() {
            self.by_first_move
                .resize(other.by_first_move.len(), (0, 0, 0));
        }
        for (own, more) in self.by_first_move.iter_mut().zip(&other.by_first_move) {
            *own = (own.0 + more.0, own.1 + more.1, own.2 + more.2);
        }
    }
}

impl Tally {
    /// The tally of no playout from a position with so many first moves.
    pub fn of_first_moves(moves: usize) -> Tally {
        Tally {
            by_first_move: vec![(0, 0, 0); moves],
            ..Tally::default()
        }
    }

    /// Makes wins, draws and losses those of all first moves.
    pub fn add_up(&mut self) {
        (self.wins, self.draws, self.losses) = (0, 0, 0);
        for (wins, draws, losses) in &self.by_first_move {
            self.wins += wins;
            self.draws += draws;
            self.losses += losses;
        }
    }

    /// Playouts in it.
    pub fn playouts(&self) -> u64 {
        self.wins + self.draws + self.losses
    }
}

/// The move chosen at one position.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chosen {
    /// The move, in the game's notation; `None` where the game is over.
    pub best: Option<String>,
    /// How often each legal move was tried, in the game's order of moves, where a number of
    /// iterations was asked for. Within a time, empty: the clock decides then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub visits: Vec<u64>,
    /// Positions in the tree, the root included; 0 without a tree.
    pub tree_nodes: u64,
    /// Plies from the root to the tree's deepest position.
    pub tree_depth: u64,
}

/// The score of a match of two techniques, from the first one's side.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchScore {
    /// From which of the match's openings the games began, counted from 0.
    pub opening: u64,
    /// Games won, drawn and lost by the technique that is measured.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
    /// For each game: its final score from the measured technique's side, and its moves in the
    /// game's notation, so that anybody can play it again.
    pub games: Vec<(i64, String)>,
    /// Time that the measured technique thought, ns, over all games.
    pub own_ns: u64,
    /// Time that its opponent thought, ns, over all games.
    pub opponent_ns: u64,
}

impl MatchScore {
    /// Adds the games from another opening; the opening stays.
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

    /// `1 won, 0 drawn, 1 lost`
    pub fn counts(&self) -> String {
        let (wins, draws, losses) = (self.wins, self.draws, self.losses);
        format!("{wins} won, {draws} drawn, {losses} lost")
    }

    /// Each game, its difference before its moves: `+12 f5d6…`
    pub fn lines(&self) -> impl Iterator<Item = String> {
        let games = self.games.iter();
        games.map(|(difference, moves)| format!("{difference:+} {moves}"))
    }

    /// What its notation says. The opening and the players' times are not in it.
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
    /// Its notation: `1 won, 0 drawn, 1 lost; +12 f5d6…; -12 f5f4…`
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.counts())?;
        self.lines().try_for_each(|game| write!(f, "; {game}"))
    }
}

/// What a technique returns for one sample of a cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// `search` and `game`: one entry per position, in the order of the line of play.
    Searched(Vec<Searched>),
    /// `playouts`: one tally a position, in the experiment's order.
    Tallies(Vec<Tally>),
    /// `choose`: one entry a position.
    Chosen(Vec<Chosen>),
    /// `match`.
    Match(MatchScore),
    /// `perft`: sequences of exactly N plies.
    Leaves(u64),
}
