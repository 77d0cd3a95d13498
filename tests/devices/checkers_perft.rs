//! Perft of American checkers by the searches that every game shares.

use plybench::games::checkers::{Capture, Checkers, Position, Rules};
use plybench::search::{perft, perft_parallel};

/// The published counts under the official rule; every capture path counts, a multi-jump is one move.
const PUBLISHED: [u64; 10] = [
    7, 49, 302, 1469, 7361, 36_768, 179_740, 845_931, 3_963_680, 18_391_564,
];

#[test]
fn perft_from_the_start_is_as_published() {
    let game = Checkers::new(Rules::default().with_capture(Capture::Any));
    for (depth, leaves) in (1..).zip(PUBLISHED) {
        let found = perft_parallel(&game, &Position::start(), depth);
        assert_eq!(found.leaves, leaves, "depth {depth}");
    }
}

/// A drawn game goes no further: at the last ply before a draw a quiet move is the last one.
#[test]
fn perft_ends_with_the_game() {
    let game = Checkers::new(Rules::default());
    let two_kings = |quiet: u32| {
        let position = Position::parse_fen(&format!("B:WK32:BK1:H{quiet}")).unwrap();
        [1, 2, 3].map(|depth| perft(&game, &position, depth).leaves)
    };
    assert_eq!(two_kings(0), [2, 4, 12]);
    assert_eq!(two_kings(48), [2, 4, 0]);
    assert_eq!(two_kings(49), [2, 0, 0]);
    assert_eq!(two_kings(50), [0, 0, 0]);
    let stuck = Position::parse_fen("W:W5:B1").unwrap();
    assert_eq!(perft(&game, &stuck, 1).leaves, 0);
}
