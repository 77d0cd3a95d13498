use serde::{Deserialize, Serialize};

/// The result of searching one position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Searched {
    /// The root's value at the requested depth, from the point of view of the side to move.
    pub value: i64,
    /// A move with that value, in the game's notation, or `None` if there is no move (game over, or depth 0).
    pub best: Option<String>,
    /// The value of each legal move at the root, in the board's order. Empty if the technique does not report them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_move: Vec<i64>,
}

/// Outcomes of playouts, from the point of view of the side to move at the root.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Tally {
    /// Number of playouts won by the side to move at the root.
    pub wins: u64,
    /// Number of playouts that ended in a draw.
    pub draws: u64,
    /// Number of playouts lost by the side to move at the root.
    pub losses: u64,
    /// Total number of plies in all playouts.
    pub plies: u64,
    /// Wins, draws and losses by first move, in the game's move order. Empty if the technique does not count them.
    pub by_first_move: Vec<(u64, u64, u64)>,
}

impl std::ops::AddAssign<&Tally> for Tally {
    /// Adds other playouts of the same position.
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
    /// Returns an empty tally for a position with `moves` first moves.
    pub fn of_first_moves(moves: usize) -> Tally {
        Tally {
            by_first_move: vec![(0, 0, 0); moves],
            ..Tally::default()
        }
    }

    /// Sets `wins`, `draws` and `losses` to their sums over the first moves.
    pub fn add_up(&mut self) {
        let sum = |of: fn(&(u64, u64, u64)) -> u64| self.by_first_move.iter().map(of).sum::<u64>();
        [self.wins, self.draws, self.losses] = [sum(|it| it.0), sum(|it| it.1), sum(|it| it.2)];
    }

    /// Returns the number of playouts.
    pub fn playouts(&self) -> u64 {
        self.wins + self.draws + self.losses
    }
}

/// The move chosen in one position.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chosen {
    /// The move, in the game's notation, or `None` if the game is over.
    pub best: Option<String>,
    /// Number of visits to each legal move, in the game's move order. Empty if the effort is a time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub visits: Vec<u64>,
    /// Wins minus losses for each legal move, if the technique chooses by them. Otherwise empty. Not sent in messages.
    #[serde(skip)]
    pub gains: Vec<i64>,
    /// Number of positions in the tree, including the root, or 0 if there is no tree.
    pub tree_nodes: u64,
    /// Number of plies from the root to the deepest position in the tree.
    pub tree_depth: u64,
}

/// The score of a match between two techniques, from the point of view of the measured technique.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchScore {
    /// Index of the opening that the games started from.
    pub opening: u64,
    /// Number of games won by the measured technique.
    pub wins: u64,
    /// Number of games drawn.
    pub draws: u64,
    /// Number of games lost.
    pub losses: u64,
    /// For each game, the measured technique's score difference and the moves, for replay.
    pub games: Vec<(i64, String)>,
    /// Total thinking time of the measured technique over all games, ns.
    pub own_ns: u64,
    /// Total thinking time of the opponent over all games, ns.
    pub opponent_ns: u64,
}

impl MatchScore {
    /// Adds the games from another opening. `opening` is unchanged.
    pub fn add(&mut self, other: &MatchScore) {
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
        self.games.extend_from_slice(&other.games);
        self.own_ns += other.own_ns;
        self.opponent_ns += other.opponent_ns;
    }

    /// Returns the number of games played.
    pub fn played(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Returns the measured technique's points. A draw counts half.
    pub fn points(&self) -> f64 {
        self.wins as f64 + self.draws as f64 / 2.0
    }

    /// Formats the counts for readers: `1 won, 0 drawn, 1 lost`.
    pub fn counts(&self) -> String {
        let (wins, draws, losses) = (self.wins, self.draws, self.losses);
        format!("{wins} won, {draws} drawn, {losses} lost")
    }

    /// Parses the notation that `Display` writes. It omits the opening and the thinking times.
    pub fn read(notation: &str) -> Option<MatchScore> {
        let mut parts = notation.split("; ");
        let mut counts = parts.next()?.split(", ");
        let mut count = |ending: &str| counts.next()?.strip_suffix(ending)?.parse::<u64>().ok();
        let games = parts.map(|game| {
            let (difference, moves) = game.split_once(' ')?;
            Some((difference.parse().ok()?, moves.to_owned()))
        });
        Some(MatchScore {
            wins: count(" won")?,
            draws: count(" drawn")?,
            losses: count(" lost")?,
            games: games.collect::<Option<_>>()?,
            ..MatchScore::default()
        })
    }
}

impl std::fmt::Display for MatchScore {
    /// Writes the notation: `1 won, 0 drawn, 1 lost; +12 f5d6…; -12 f5f4…`
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.counts())?;
        let mut games = self.games.iter();
        games.try_for_each(|(difference, moves)| write!(f, "; {difference:+} {moves}"))
    }
}

/// A technique's answer to one sample of a cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// `search` and `game`: one entry per position, in the order of the line of play.
    Searched(Vec<Searched>),
    /// `playouts`: one tally per position, in the experiment's order.
    Tallies(Vec<Tally>),
    /// `choose`: one entry per position.
    Chosen(Vec<Chosen>),
    /// `match`: the score of one pair of games.
    Match(MatchScore),
    /// `perft`: the number of move sequences of exactly N plies.
    Leaves(u64),
}
