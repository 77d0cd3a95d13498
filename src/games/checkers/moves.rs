use super::Capture;
use super::board::{Board, Reach};
use super::captures::{self, Paths};
use super::one_move::Move;
use super::squares::ROTATIONS;

/// The legal moves of a board, in order (see the [module](super)). They are counted without a list.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choices {
    /// The squares from which a piece can move in each direction: one 32-bit word per direction, two words per `u64`.
    sources: [u64; 2],
    pub count: u32,
    pub kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Steps,
    Jumps,
    /// Captures, at least one of which has more than one jump.
    Paths(Paths),
}

impl Choices {
    #[inline(always)]
    pub fn of(board: &Board, capture: Capture) -> Choices {
        let reach = board.reach();
        let [a, b, c, d] = reach.jumps;
        if a | b | c | d == 0 {
            return Choices::single(&reach.steps, Kind::Steps);
        }
        let choices = Choices::single(&reach.jumps, Kind::Jumps);
        if reach.goes_on(board.kings) {
            return choices.longer(board, &reach, capture);
        }
        choices
    }

    #[inline(always)]
    fn single(words: &[u32; 4], kind: Kind) -> Choices {
        let pair = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        let sources = [pair(words[0], words[1]), pair(words[2], words[3])];
        Choices {
            sources,
            count: sources[0].count_ones() + sources[1].count_ones(),
            kind,
        }
    }

    /// Counts the captures if some have more than one jump. This function is not inlined, because it is rarely called.
    #[inline(never)]
    fn longer(self, board: &Board, reach: &Reach, capture: Capture) -> Choices {
        let paths = captures::count(board, &reach.jumps, capture);
        Choices {
            count: paths.count,
            kind: Kind::Paths(paths),
            ..self
        }
    }

    /// Returns move number `index`, or `None` if it does not exist.
    pub fn pick(&self, board: &Board, capture: Capture, index: u32) -> Option<Move> {
        if index >= self.count {
            return None;
        }
        match self.kind {
            Kind::Steps => {
                let (from, direction) = self.source(index);
                Some(Move::step(from, direction))
            }
            Kind::Jumps => {
                let (from, direction) = self.source(index);
                Some(Move::capture(from, 1, direction))
            }
            Kind::Paths(paths) => captures::pick(board, &self.words(), capture, paths, index),
        }
    }

    /// Returns the board after move `index`, which must be less than `count`, and whether the move is a capture.
    #[inline(always)]
    pub fn play(&self, board: &Board, capture: Capture, index: u32) -> (Board, bool) {
        if let Kind::Paths(_) = self.kind {
            return (self.play_path(board, capture, index), true);
        }
        let (from, direction) = self.source(index);
        let rotation = ROTATIONS[direction as usize];
        let next = from.rotate_left(rotation);
        let jumps = self.kind == Kind::Jumps;
        let (to, captured) = if jumps {
            (next.rotate_left(rotation), next)
        } else {
            (next, 0)
        };
        (board.moved(from, to, captured), jumps)
    }

    #[inline(never)]
    fn play_path(&self, board: &Board, capture: Capture, index: u32) -> Board {
        self.pick(board, capture, index)
            .map_or(*board, |mv| mv.play(board))
    }

    fn words(&self) -> [u32; 4] {
        let [low, high] = self.sources;
        [
            low as u32,
            (low >> 32) as u32,
            high as u32,
            (high >> 32) as u32,
        ]
    }

    #[inline(always)]
    fn source(&self, index: u32) -> (u32, u32) {
        let [low, high] = self.sources;
        let below = low.count_ones();
        let (word, index, first) = if index < below {
            (low, index, 0)
        } else {
            (high, index - below, 2)
        };
        let bit = nth_bit(word, index);
        (1 << (bit & 31), first + (bit >> 5 & 1))
    }
}

#[inline(always)]
fn nth_bit(word: u64, index: u32) -> u32 {
    /// Uses PDEP, which is faster than a loop. The standard library has no safe wrapper for it.
    #[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
    #[inline(always)]
    fn deposit(word: u64, index: u32) -> u64 {
        // SAFETY: this is compiled only for processors that have the instruction.
        unsafe { std::arch::x86_64::_pdep_u64(1 << index, word) }
    }
    #[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
    fn deposit(word: u64, index: u32) -> u64 {
        (0..index).fold(word, |left, _| left & left.wrapping_sub(1))
    }
    deposit(word, index).trailing_zeros()
}

/// Iterator over the legal moves of a position, in order.
#[derive(Clone, Debug)]
pub struct Moves {
    board: Board,
    capture: Capture,
    choices: Choices,
    next: u32,
}

impl Moves {
    #[inline(always)]
    pub(super) fn of(board: Board, capture: Capture) -> Moves {
        Moves {
            board,
            capture,
            choices: Choices::of(&board, capture),
            next: 0,
        }
    }
}

impl Iterator for Moves {
    type Item = Move;

    #[inline(always)]
    fn next(&mut self) -> Option<Move> {
        let mv = self.choices.pick(&self.board, self.capture, self.next)?;
        self.next += 1;
        Some(mv)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = (self.choices.count - self.next) as usize;
        (left, Some(left))
    }
}

impl ExactSizeIterator for Moves {}
