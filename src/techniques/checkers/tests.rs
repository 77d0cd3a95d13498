use crate::techniques::tests::{Ask, params};
use crate::words::{Params, Task};

/// The axis and the options select the same rules. The paper's rules are the default.
#[test]
fn rules_are_an_axis_or_options_and_not_both() {
    let of = |rules: &str, options: &Params| {
        let case = format!("position=start playouts=3000{rules}");
        let ask = Ask {
            options: options.clone(),
            ..Ask::serial("checkers", Task::Playouts, &case)
        };
        ask.made().map(|mut it| it.sample().unwrap())
    };
    let (none, official) = (Params::new(), params("capture=any draw-after=80"));
    let (paper, any) = (of("", &none).unwrap(), of("", &official).unwrap());
    assert_ne!(paper, any);
    assert_eq!(of(" rules=longest-50", &none).unwrap(), paper);
    assert_eq!(of(" rules=any-80", &none).unwrap(), any);
    assert_eq!(of(" rules=options", &official).unwrap(), any);
    let why = of(" rules=any-80", &official).unwrap_err().to_string();
    let expected = "capture: the axis rules says which; allowed is one of them";
    assert_eq!(why, expected);
}
