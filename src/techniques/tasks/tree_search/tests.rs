use super::*;
use crate::games::connect_four::RandomColumns;
use crate::techniques::connect_four::tasks::ConnectFour;
use crate::techniques::tasks::At;
use crate::words::{Case, Params};

#[test]
fn a_tree_on_several_threads_says_so_and_is_the_same() {
    let grown = |threads| {
        let game = RandomColumns;
        let settings = Settings::read(&Params::new()).unwrap();
        let tree = on_core(&game, settings, 5).on_threads(threads).unwrap();
        let mut tree: Box<dyn Chooser<_>> = Box::new(tree);
        let case = Case::parse("effort=3000").unwrap();
        let play = ConnectFour::read(&case, &Params::new()).unwrap();
        let effort = play.amount().effort.unwrap();
        let (play, position) = (&play, &play.start());
        let choice = tree.choose(&At { play, position }, effort).unwrap();
        (choice, tree.telemetry().notes)
    };
    let (choice, notes) = grown(1);
    assert_eq!(notes, "");
    assert_eq!(grown(3), (choice, "tree on 3 threads".to_owned()));
}
