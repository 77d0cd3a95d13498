//! Tests reading and writing of positions and moves.

use proptest::prelude::*;

use super::tests::{any, fen, longest, random_pieces, random_position};
use super::*;

#[test]
fn fen_tells_sides_kings_and_plies() {
    let position = fen(" B:W21,22,K30:B1,2,K5\n");
    assert_eq!(position.to_string(), "B:W21,22,K30:B1,2,K5");
    assert_eq!(position, fen("B:B1,K5,2:WK30,22,21:H0"));
    let at = |number| position.at(Square::numbered(number).unwrap());
    assert_eq!(at(21), Some((Colour::White, false)));
    assert_eq!(at(30), Some((Colour::White, true)));
    assert_eq!(at(5), Some((Colour::Black, true)));
    assert_eq!(at(3), None);
    assert_eq!(position.mover, Colour::Black);
    assert_eq!(position.quiet, 0);
    let later = fen("W:W:BK1:H17");
    assert_eq!((later.mover, later.quiet), (Colour::White, 17));
    assert_eq!(later.to_string(), "W:W:BK1:H17");
}

#[test]
fn captures_are_found_by_their_ends_or_by_every_square() {
    let position = fen("W:W24:B10,19");
    let find = |word| any().find_move(&position, 1, word).map(|mv| mv.to_string());
    assert_eq!(find("24x15x6").as_deref(), Ok("24x15x6"));
    assert_eq!(find("24x6").as_deref(), Ok("24x15x6"));
    assert!(
        find("24x15")
            .unwrap_err()
            .to_string()
            .contains("`24x15`: move 1 is not legal for W")
    );

    // The man jumps over either 27 and 19 or 26 and 18.
    let position = fen("W:W31:B18,19,26,27");
    let find = |word| any().find_move(&position, 4, word);
    assert_eq!(
        find("31x15").unwrap_err().to_string(),
        "position: character 1, `31x15`: move 4 may be any of 31x24x15 31x22x15; name every square"
    );
    assert_eq!(
        find("31x22x15").map(|mv| mv.to_string()).as_deref(),
        Ok("31x22x15")
    );

    // Captures of the same pieces in opposite directions lead to the same position.
    let round = fen("W:WK22:B9,10,17,18");
    assert!(any().find_move(&round, 1, "22x22").is_ok());
}

#[test]
fn every_legal_move_is_found_by_its_name() {
    for game in [any(), longest()] {
        for seed in 0..500 {
            let position = random_pieces(seed);
            for mv in game.legal_moves(&position) {
                let found = game.find_move(&position, 1, &mv.to_string());
                assert_eq!(found, Ok(mv), "{position}");
            }
        }
    }
}

proptest! {
    #[test]
    fn positions_read_what_they_write(seed: u64, plies in 0..120_u32) {
        for position in [random_pieces(seed), random_position(&any(), plies, seed)] {
            prop_assert_eq!(any().parse(&position.to_string()), Ok(position));
        }
    }

    #[test]
    fn no_text_is_too_strange(text in "[WBKH:,x0-9 é-]{0,40}|.{0,20}") {
        if let Err(error) = any().parse(&text) {
            prop_assert!(!error.to_string().contains('\n') || text.contains('\n'));
        }
    }
}
