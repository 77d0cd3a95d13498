//! The two sides of a game.

/// One of the two players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Player {
    /// Moves first. Written on boards as `X`, `x` or `*`.
    First,
    /// Moves second. Written on boards as `O` or `o`.
    Second,
}

impl Player {
    /// Returns the opponent.
    pub fn other(self) -> Player {
        match self {
            Player::First => Player::Second,
            Player::Second => Player::First,
        }
    }

    /// Returns the player who moves in a turn. Turns count from 0.
    pub fn at(turn: u32) -> Player {
        if turn.is_multiple_of(2) {
            Player::First
        } else {
            Player::Second
        }
    }

    /// Returns 0 for the first player and 1 for the second.
    pub fn index(self) -> usize {
        self as usize
    }
}

/// A side of reversi or gomoku.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Colour {
    /// Moves first. Written as `X`.
    Black,
    /// Moves second. Written as `O`.
    White,
}

impl Colour {
    /// Returns the opponent.
    pub fn other(self) -> Colour {
        match self {
            Colour::Black => Colour::White,
            Colour::White => Colour::Black,
        }
    }

    /// Returns `X` or `O`.
    pub fn letter(self) -> char {
        match self {
            Colour::Black => 'X',
            Colour::White => 'O',
        }
    }
}

impl From<Player> for Colour {
    fn from(player: Player) -> Colour {
        match player {
            Player::First => Colour::Black,
            Player::Second => Colour::White,
        }
    }
}
