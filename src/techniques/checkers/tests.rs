use crate::techniques::registry::find;
use crate::techniques::tests::host_setup;
use crate::techniques::{Sampler, Setup};
use crate::words::{Answer, Case, Fault, Params, Tally, Task, Value};

fn prepare(
    task: Task,
    case: &str,
    options: &Params,
    name: &str,
    position: Option<&str>,
) -> Result<Box<dyn Sampler>, Fault> {
    let case = Case::parse(case).unwrap();
    let serial = find("checkers", "serial").unwrap();
    let none = Params::new();
    (find("checkers", name).unwrap().prepare)(&Setup {
        options,
        position,
        opponent: (task == Task::Match).then_some((serial, &none)),
        ..host_setup(task, &case, &none)
    })
}

fn official() -> Params {
    Params::from([
        ("capture".to_owned(), Value::Text("any".into())),
        ("draw-after".to_owned(), Value::Int(80)),
    ])
}

fn tally(sampler: &mut dyn Sampler) -> Tally {
    match sampler.sample().unwrap().0 {
        Answer::Tallies(tallies) => tallies[0].clone(),
        other => panic!("no tally: {other:?}"),
    }
}

/// The axis says the same as the options, and the paper's rules are those of an experiment that says nothing.
#[test]
fn rules_are_an_axis_or_options_and_not_both() {
    let of = |rules: &str, options: &Params| {
        let case = format!("position=start playouts=3000{rules}");
        prepare(Task::Playouts, &case, options, "serial", None).map(|mut it| tally(&mut *it))
    };
    let none = Params::new();
    let (paper, any) = (of("", &none).unwrap(), of("", &official()).unwrap());
    assert_ne!(paper, any);
    assert_eq!(of(" rules=longest-50", &none).unwrap(), paper);
    assert_eq!(of(" rules=any-80", &none).unwrap(), any);
    assert_eq!(of(" rules=options", &official()).unwrap(), any);
    let Err(Fault::Input(why)) = of(" rules=any-80", &official()) else {
        panic!("both the axis and the options were taken");
    };
    let expected = "capture: the axis rules says which; allowed is one of them";
    assert_eq!(why, expected);
}

#[test]
fn a_finished_game_has_its_ending_as_every_playout() {
    // Black has no piece and so has lost.
    let (case, over) = ("playouts=10", Some("B:W21:B"));
    for name in ["serial", "rayon"] {
        let mut sampler = prepare(Task::Playouts, case, &Params::new(), name, over).unwrap();
        let found = tally(&mut *sampler);
        assert_eq!((found.losses, found.plies), (10, 0), "{name}");
        assert!(found.by_first_move.is_empty());
        let mut sampler = prepare(Task::Choose, "effort=10", &Params::new(), name, over).unwrap();
        let (Answer::Chosen(chosen), _) = sampler.sample().unwrap() else {
            panic!("no choice");
        };
        assert_eq!(chosen[0].best, None);
    }
}

#[test]
fn a_time_bounds_a_choice() {
    let mut sampler = prepare(Task::Choose, "effort=30ms", &official(), "serial", None).unwrap();
    // Other processes use the processor too: one of many is enough.
    let is_in_time = (0..50).any(|_| {
        let start = std::time::Instant::now();
        let (Answer::Chosen(chosen), counters) = sampler.sample().unwrap() else {
            panic!("no choice");
        };
        assert!(chosen[0].visits.is_empty(), "the clock decided");
        start.elapsed().as_millis() < 300 && counters.playouts >= 1_000
    });
    assert!(is_in_time);
}

#[test]
fn bad_input_is_named_with_what_is_allowed() {
    let none = Params::new();
    let refused = |task, case: &str, position: Option<&str>| {
        let refused = prepare(task, case, &none, "serial", position);
        refused.err().expect(case).to_string()
    };
    let of_position = "position: `7`; allowed is start, or a position in PDN's FEN";
    for (case, expected) in [
        ("playouts=-1", "allowed is a whole number from 0 to 10^12"),
        (
            "playouts=many",
            "playouts: `many`; allowed is a whole number",
        ),
        ("position=W:W1:B1 playouts=1", "position: "),
        ("position=7 playouts=1", of_position),
    ] {
        let wrong = refused(Task::Playouts, case, None);
        assert!(wrong.contains(expected), "{wrong}");
    }
    let wrong = refused(Task::Choose, "effort=0ms", None);
    let part = "effort: `0ms`; allowed is a time for each move";
    assert!(wrong.contains(part), "{wrong}");
    let wrong = refused(Task::Choose, "position=start", None);
    assert!(wrong.contains("effort: the case does not say"), "{wrong}");
    let wrong = refused(Task::Playouts, "playouts=1", Some("B:W33:B1"));
    assert!(wrong.contains("W33") || wrong.contains("`33`"), "{wrong}");
}
