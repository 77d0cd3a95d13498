use super::position::each_run;
use super::shapes::{MoveRule, read_moves, read_shapes};
use super::{Colour, MOST, Position, Shapes, Size, Square};
use crate::games::options::OptionError;
use crate::words::Params;

/// Evaluates positions on one board: the mover's shapes minus the opponent's shapes, limited to ±[`MOST`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Evaluation {
    size: Size,
    /// The value of each shape.
    pub shapes: Shapes,
    /// The rule that selects the squares that a search tries.
    pub moves: MoveRule,
}

impl Evaluation {
    /// Reads the options `shapes` (values of shapes) and `moves` (the squares to try). Ignores other keys. Fails if an
    /// option is invalid.
    pub fn new(size: Size, options: &Params) -> Result<Evaluation, OptionError> {
        let shapes = options.get("shapes").map(read_shapes).transpose()?;
        let moves = options.get("moves").map(read_moves).transpose()?;
        Ok(Evaluation {
            size,
            shapes: shapes.unwrap_or_default(),
            moves: moves.unwrap_or_default(),
        })
    }

    /// Returns the board's size.
    pub fn size(&self) -> Size {
        self.size
    }

    /// Returns the squares that a search tries, in order, or none if the game is over. Every
    /// [`Representation`](super::Representation) is compared with this list.
    pub fn candidates(&self, position: &Position) -> Vec<Square> {
        let mut squares = position.legal_moves();
        if self.moves == MoveRule::Adjacent && !position.moves().is_empty() {
            let stone = |square| position.at(square).is_some();
            squares.retain(|square| self.size.neighbours(*square).any(stone));
        }
        squares
    }

    /// Returns the mover's value, computed from scratch as a reference for faster versions. A five counts as 0.
    pub fn value(&self, position: &Position) -> i32 {
        self.balance(position.cells(), position.mover())
            .clamp(-MOST, MOST)
    }

    /// Returns the mover's shapes minus the opponent's, not limited to ±[`MOST`]. `cells` has an entry per square.
    pub fn balance(&self, cells: &[Option<Colour>], mover: Colour) -> i32 {
        let mut balance = 0;
        each_run(self.size, cells, |run| {
            let worth = self.shapes.worth(run.length, run.open);
            balance += if run.colour == mover { worth } else { -worth };
        });
        balance
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::gomoku::lost;
    use crate::games::gomoku::tests::drawn;

    /// Returns Black's balance on a board drawn as text.
    fn balance(rows: &[&str]) -> i32 {
        let (size, cells) = drawn(rows);
        let evaluation = Evaluation::new(size, &Params::new()).unwrap();
        let value = evaluation.balance(&cells, Colour::Black);
        assert_eq!(evaluation.balance(&cells, Colour::White), -value);
        value
    }

    /// Returns Black's balance on an otherwise empty board with this row of stones.
    fn row(stones: &str) -> i32 {
        let empty = ".".repeat(stones.len());
        let mut rows = vec![empty.as_str(); stones.len()];
        rows[1] = stones;
        balance(&rows)
    }

    #[test]
    fn open_ends_make_a_run_live_or_dead() {
        assert_eq!(row(".XX..."), 100);
        assert_eq!(row("XX...."), 10, "the edge closes an end");
        assert_eq!(row(".XXO.."), 10, "and so does the opponent");
        assert_eq!(row(".XXX.."), 1_000);
        assert_eq!(row("...XXX"), 100);
        assert_eq!(row(".XXXX."), 10_000);
        assert_eq!(row("XXXX.."), 1_000);
        assert_eq!(row("XXXXO."), 0, "no end is open");
        assert_eq!(row("OXXO.."), 0);
        assert_eq!(row(".X...."), 0);
        assert_eq!(row("XXXXX."), 0, "a five has ended the game");
    }

    #[test]
    fn gaps_are_not_looked_through() {
        assert_eq!(row("..XX.XX.."), 200, "one empty square ends both runs");
        assert_eq!(row(".XXX.X..."), 1_000);
    }

    #[test]
    fn the_opponents_shapes_are_subtracted() {
        assert_eq!(row("..OOO..."), -1_000);
        assert_eq!(row(".XXOOO.."), 10 - 100);
    }

    #[test]
    fn all_four_directions_count() {
        let corner = ["X.....", "X.....", "X.....", ".X....", "..X...", "...XX."];
        // The column of three touches one edge, and the diagonal of four touches two. d6 and e6 are a live two.
        assert_eq!(balance(&corner), 100 + 100);
        let both = ["....O.", "...O..", "..O...", ".O....", "......", "......"];
        assert_eq!(balance(&both), -1_000, "e1 touches the edge, a5 is empty");
        let cross = ["......", "..X...", ".XXX..", "..X...", "......", "......"];
        // There are a row and a column of three, and the diagonal pairs b3-c2, c2-d3, b3-c4 and c4-d3.
        assert_eq!(balance(&cross), 2 * 1_000 + 4 * 100);
    }

    #[test]
    fn values_are_cut_below_a_five() {
        let options = Params::from([(
            "shapes".to_owned(),
            crate::words::Value::List(vec![crate::words::Value::Int(100_000); 6]),
        )]);
        // Every fourth row has four black pairs. The white stones are far apart. This makes 24 live twos.
        let size = Size::new(24).unwrap();
        let mut position = Position::empty(size);
        let black = (0..24)
            .step_by(4)
            .flat_map(|y| [1, 2, 5, 6, 9, 10, 13, 14].map(|x| size.square(x, y)));
        let white = (2..24)
            .step_by(4)
            .flat_map(|y| [0, 3, 6, 9, 12, 15, 18, 21].map(|x| (x, y)));
        for (own, (x, y)) in black.zip(white) {
            position = position.play(own).unwrap();
            position = position.play(size.square(x, y)).unwrap();
        }
        let evaluation = Evaluation::new(size, &options).unwrap();
        let found = evaluation.balance(position.cells(), Colour::Black);
        assert_eq!(found, 2_400_000);
        assert_eq!(evaluation.value(&position), MOST);
        assert!(evaluation.value(&position) < -lost(32 * 32));
    }
}
