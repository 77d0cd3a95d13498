use super::{Position, Size};
use crate::games::options::{OptionError, read_lists, read_number};
use crate::words::{Params, Value};

/// The weighted piece counter of Szubert, Jaśkowski and Krawiec, "Coevolutionary Temporal Difference Learning for
/// Othello" (CIG 2009), times 100, row by row. Strnad and Guid cite it in section 4.
const W8: [[i32; 8]; 8] = [
    [102, -27, 55, -10, 8, 47, -38, 100],
    [-13, -52, -18, -7, -18, -29, -68, -44],
    [55, -24, 2, -1, -1, 10, -13, 77],
    [-10, -10, 1, -1, 0, -1, -9, -5],
    [5, -17, 2, -4, -3, 3, -9, -5],
    [56, -25, 5, 2, -2, 17, -35, 42],
    [-25, -71, -24, -23, -8, -29, -63, -24],
    [93, -44, 55, 22, -15, 74, -57, 97],
];

const DEFAULT_MOBILITY: i32 = 10;

/// The static evaluation for the side to move, on a board of one size. Values are integers.
///
/// The value is the mover's sum of disc weights minus the opponent's sum, plus `mobility` times the difference in the
/// number of moves (Strnad and Guid, section 4). The paper does not say how its 8x8 matrix applies to other boards.
/// Here, other boards use the 8-fold symmetrised matrix at `(min(x, W-1-x, 3), min(y, H-1-y, 3))`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Evaluation {
    size: Size,
    /// The weight of each square, in square order.
    pub weights: Vec<i32>,
    /// The value of each legal move by which the mover's moves outnumber the opponent's.
    pub mobility: i32,
}

impl Evaluation {
    /// Reads the options `weights` (the 8x8 matrix by rows, x 100) and `mobility` (the value of a move). Ignores other
    /// keys.
    pub fn new(size: Size, options: &Params) -> Result<Evaluation, OptionError> {
        let matrix = options.get("weights").map_or(Ok(W8), read_weights)?;
        let mobility = options
            .get("mobility")
            .map_or(Ok(DEFAULT_MOBILITY), read_mobility)?;
        let folded = symmetrised(&matrix);
        let weight = |square| {
            let (file, rank) = (size.x(square), size.y(square));
            if size == Size::STANDARD {
                return matrix[rank][file];
            }
            let fold = |at: usize, side: usize| at.min(side - 1 - at).min(3);
            folded[fold(rank, size.height())][fold(file, size.width())]
        };
        let weights = size.all().map(weight).collect();
        Ok(Evaluation {
            size,
            weights,
            mobility,
        })
    }

    /// Returns the board's size.
    pub fn size(&self) -> Size {
        self.size
    }

    /// Returns the total weight of the mover's discs minus that of the opponent's discs.
    pub fn pieces(&self, position: &Position) -> i32 {
        let signed = |(cell, weight): (u8, &i32)| match cell {
            0 => 0,
            1 => *weight,
            _ => -weight,
        };
        position
            .cells()
            .into_iter()
            .zip(&self.weights)
            .map(signed)
            .sum()
    }

    /// Returns a position's value for the side to move, computed from scratch as a reference for faster versions.
    pub fn value(&self, position: &Position) -> i32 {
        let own = position.legal_moves().len() as i32;
        let other = position.pass().legal_moves().len() as i32;
        self.pieces(position) + self.mobility * (own - other)
    }
}

/// Checks the option `weights`. Its range keeps sums within 32 bits.
pub fn read_weights(value: &Value) -> Result<[[i32; 8]; 8], OptionError> {
    let allowed = "8 lists of 8 whole numbers from -1000 to 1000 (weights x 100)";
    read_lists("weights", ("the matrix", value), -1000..=1000, allowed)
}

/// Checks the option `mobility`.
pub fn read_mobility(value: &Value) -> Result<i32, OptionError> {
    let allowed = "a whole number from 0 to 1000";
    read_number("mobility", value, 0..=1000, allowed)
}

/// Averages a matrix over eight symmetries. Returns a quadrant, as `[y][x]` from the corner. Halves round away from 0.
fn symmetrised(matrix: &[[i32; 8]; 8]) -> [[i32; 4]; 4] {
    let mean = |x: usize, y: usize| {
        let sum: i32 = [(x, y), (y, x)]
            .into_iter()
            .flat_map(|(x, y)| [(x, y), (7 - x, y), (x, 7 - y), (7 - x, 7 - y)])
            .map(|(x, y)| matrix[y][x])
            .sum();
        sum.signum() * ((sum.abs() + 4) / 8)
    };
    std::array::from_fn(|y| std::array::from_fn(|x| mean(x, y)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(size: &str) -> Evaluation {
        Evaluation::new(size.parse().unwrap(), &Params::new()).unwrap()
    }

    #[test]
    fn the_page_shows_the_8x8_matrix() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/papers/reversi.md");
        let page = std::fs::read_to_string(page).unwrap();
        let (_, block) = page.split_once("The weights on 8x8, × 100").unwrap();
        let block = block.split("```").nth(1).unwrap();
        let rows = block.lines().skip(1).map(|line| {
            let numbers = line.split_whitespace();
            numbers.map(|number| number.parse().unwrap()).collect()
        });
        let rows: Vec<Vec<i32>> = rows.collect();
        assert_eq!(rows, W8.map(|row| row.to_vec()));
    }

    #[test]
    fn other_boards_read_the_symmetrised_matrix_by_distance_from_the_edge() {
        // Computed by hand: corners (102+100+93+97)·2/8 = 98; C squares (-27-38-13-44-25-24-44-57)/8 = -34; X squares
        // (-52-68-71-63)·2/8 = -63.5 → -64.
        let evaluation = of("10x14");
        let size = evaluation.size();
        let at = |file, rank| evaluation.weights[size.square(file, rank).index()];
        assert_eq!(at(0, 0), 98);
        assert_eq!(at(9, 13), 98);
        assert_eq!(at(1, 0), -34);
        assert_eq!(at(0, 12), -34);
        assert_eq!(at(8, 12), -64);
        assert_eq!(at(3, 3), at(5, 8));
        assert_eq!(at(4, 0), at(3, 0));
        // The board is symmetric about both axes.
        for square in size.all() {
            let (file, rank) = (size.x(square), size.y(square));
            assert_eq!(at(file, rank), at(9 - file, rank));
            assert_eq!(at(file, rank), at(file, 13 - rank));
        }
    }

    #[test]
    fn options_replace_matrix_and_mobility_and_are_checked() {
        let row = Value::List((0..8).map(Value::Int).collect());
        let mut options = Params::new();
        options.insert("weights".into(), Value::List(vec![row.clone(); 8]));
        options.insert("mobility".into(), Value::Int(0));
        let evaluation = Evaluation::new(Size::STANDARD, &options).unwrap();
        assert_eq!(evaluation.weights[..8], [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(evaluation.mobility, 0);

        let refused = |key: &str, value: Value| {
            let options = Params::from([(key.to_owned(), value)]);
            Evaluation::new(Size::STANDARD, &options)
                .unwrap_err()
                .to_string()
        };
        assert!(refused("mobility", Value::Int(-1)).starts_with("mobility: `-1`; allowed"));
        assert!(refused("mobility", Value::Text("x".into())).contains("`x`"));
        assert!(refused("weights", Value::Int(3)).contains("the matrix is `3`"));
        assert!(refused("weights", Value::List(vec![row.clone(); 7])).contains("has 7 entries"));
        let mut rows = vec![row; 8];
        rows[2] = Value::List(vec![Value::Int(1001); 8]);
        assert!(refused("weights", Value::List(rows)).contains("row 3, entry 1 is `1001`"));
    }
}
