//! Positions and moves as text.

use proptest::prelude::*;

use super::tests::{any, fen, longest, random_pieces, random_position};
use super::*;

fn refused(text: &str) -> String {
    any().parse(text).unwrap_err().to_string()
}

#[test]
fn the_start_reads_and_writes() {
    let start = "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12";
    assert_eq!(Position::start().to_string(), start);
    assert_eq!(any().parse(start), Ok(Position::start()));
    assert_eq!(any().parse(" \n"), Ok(Position::start()));
}

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
    assert_eq!(position.mover(), Colour::Black);
    assert_eq!(position.quiet(), 0);
    let later = fen("W:W:BK1:H17");
    assert_eq!((later.mover(), later.quiet()), (Colour::White, 17));
    assert_eq!(later.to_string(), "W:W:BK1:H17");
}

#[test]
fn a_move_list_plays_from_the_start() {
    let after = any().parse("11-15 22-18\t15x22  25x18\n").unwrap();
    let by_hand = "B:W18,21,23,24,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,12";
    assert_eq!(after.to_string(), by_hand);
    let quiet = any().parse("11-15 22-18 15x22 25x18 8-11 29-25").unwrap();
    assert_eq!(quiet.quiet(), 2);
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
            .contains("move 1, `24x15`, is not legal for W")
    );

    // Over 27 and 19, or over 26 and 18.
    let position = fen("W:W31:B18,19,26,27");
    let find = |word| any().find_move(&position, 4, word);
    assert_eq!(
        find("31x15").unwrap_err().to_string(),
        "position: move 4, `31x15`, may be any of 31x24x15 31x22x15; name every square"
    );
    assert_eq!(
        find("31x22x15").map(|mv| mv.to_string()).as_deref(),
        Ok("31x22x15")
    );

    // The same pieces in either direction give the same position.
    let round = fen("W:WK22:B9,10,17,18");
    assert!(any().find_move(&round, 1, "22x22").is_ok());
}

#[test]
fn mistakes_are_named() {
    for (text, expected) in [
        (
            "X:W1:B2",
            "position: the side to move is `X`; allowed before the first `:` is W or B",
        ),
        (":W1:B2", "position: the side to move is ``;"),
        (
            "B:W33:B2",
            "position: `33` in W's squares; allowed is a number from 1 to 32, with K before",
        ),
        ("B:W0:B2", "`0` in W's squares"),
        ("B:W5,:B2", "`` in W's squares"),
        ("B:W5,+6:B2", "`+6` in W's squares"),
        ("B:WKK6:B2", "`KK6` in W's squares"),
        ("B:W99999999999:B2", "`99999999999` in W's squares"),
        ("B:W6é:B2", "`6é` in W's squares"),
        ("B:W21-24:B2", "`21-24` in W's squares"),
        (
            "B:W5,6:B2,K6",
            "position: `K6` in B's squares: W already has a piece there",
        ),
        (
            "B:W5,5:B2",
            "`5` in W's squares: W already has a piece there",
        ),
        (
            "B:W3:B2",
            "position: `3` in W's squares: a man is crowned there; allowed is K3",
        ),
        (
            "B:W5:B29",
            "`29` in B's squares: a man is crowned there; allowed is K29",
        ),
        (
            "B:W5",
            "position: no part B for B's squares; a side without pieces is written B alone",
        ),
        (
            "B:",
            "position: part ``; allowed after the side to move are",
        ),
        ("B:W5:W6", "position: part `W6`;"),
        ("B:W5:B6:B7", "part `B7`"),
        ("B:W5:Q6", "part `Q6`"),
        ("B:é5:B6", "part `é5`"),
        ("B:H3:W5:B6", "part `H3`"),
        ("B:W5:B6:H3:H3", "part `H3`"),
        (
            "B:W5:B6:H",
            "position: `H` for the plies since the last capture; allowed is H and a number",
        ),
        ("B:W5:B6:H2001", "`H2001` for the plies"),
        ("B:W5:B6:H-1", "`H-1` for the plies"),
        (
            "B:W5:B6,7,8,9,10,11,12,13,14,15,16,17,18",
            "position: B has 13 pieces; allowed are at most 12",
        ),
        (
            "11-15 x",
            "position: move 2, `x`; allowed is 11-15 for a step",
        ),
        ("11", "move 1, `11`"),
        ("11-15-18", "move 1, `11-15-18`"),
        ("11-33", "move 1, `11-33`"),
        ("11x15-18", "move 1, `11x15-18`"),
        (
            "11-15 11-15",
            "position: move 2, `11-15`, is not legal for W; allowed: 24-20 23-19 ",
        ),
        ("11x15", "move 1, `11x15`, is not legal for B"),
    ] {
        let found = refused(text);
        assert!(found.contains(expected), "{text}: {found}");
        assert!(
            found.starts_with("position: ") && !found.contains('\n'),
            "{found}"
        );
    }
    let over = fen("W:W5:B1:H3");
    let wrong = any().find_move(&over, 1, "5-1").unwrap_err().to_string();
    assert!(
        wrong.ends_with("allowed: nothing, the game is over"),
        "{wrong}"
    );
}

#[test]
fn every_legal_move_is_found_by_its_name() {
    for game in [any(), longest()] {
        for seed in 0..500 {
            let position = random_pieces(seed);
            for mv in game.legal_moves(&position) {
                assert_eq!(
                    game.find_move(&position, 1, &mv.to_string()),
                    Ok(mv),
                    "{position}"
                );
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
