//! Tests user-supplied techniques.

use super::*;

const COMMAND: ParamEntry = ParamEntry {
    name: "command",
    allowed: "a list of texts",
    default: "",
    check: WEIGHTS.check,
};

const KERNEL: ParamEntry = ParamEntry {
    name: "kernel",
    allowed: "a file",
    default: "",
    check: |_| Ok(()),
};

const CONTRACT: ParamEntry = ParamEntry {
    name: "contract",
    ..KERNEL
};

fn with_brought() -> Catalogue {
    let mut catalogue = catalogue();
    catalogue.brought = vec![
        TechniqueEntry {
            params: &[COMMAND],
            ..technique("program", Kind::Threads, TASKS)
        },
        TechniqueEntry {
            params: &[KERNEL, CONTRACT],
            ..technique("kernel-playouts", Kind::Device, TASKS)
        },
    ];
    catalogue
}

fn parsed(technique: &str) -> Result<Experiment, ConfigError> {
    let text = format!("{LEAST}[[technique]]\n{technique}\n");
    parse(&text, "x.toml", &with_brought())
}

fn brought(technique: &str) -> (String, String) {
    let experiment = parsed(technique).unwrap();
    let again = parse(&to_toml(&experiment), "x.toml", &with_brought()).unwrap();
    assert_eq!(again, experiment);
    let choice = experiment.techniques.last().unwrap();
    assert!(!choice.may_be_best());
    (choice.technique.clone(), choice.label.clone())
}

#[test]
fn a_program_or_a_kernel_has_its_own_name_or_its_files() {
    let told = |technique: &str, label: &str| (technique.to_owned(), label.to_owned());
    let command = "command = [\"python3\", \"my/open_spiel.py\"]";
    assert_eq!(brought(command), told("program", "open_spiel"));
    let found = brought(&format!("{command}\nname = \"mine\""));
    assert_eq!(found, told("program", "mine"));
    let found = brought(&format!("{command}\nlabel = \"mine\""));
    assert_eq!(found, told("program", "mine"));
    let kernel = "kernel = \"my/flat.cl\"\ncontract = \"playouts\"";
    assert_eq!(brought(kernel), told("kernel-playouts", "flat"));
}

#[test]
fn what_is_brought_in_a_wrong_way_is_refused_in_one_line() {
    let says = |technique: &str, expected: &str| {
        let error = parsed(technique).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    };
    let kernel = "kernel = \"a.cl\"";
    says(
        &format!("command = [\"a\"]\n{kernel}"),
        "a command or a kernel, not both",
    );
    says(kernel, "contract: missing");
    says(&format!("{kernel}\ncontract = \"all\""), "playouts");
    says("command = \"a b\"", "must be a list");
    says("name = \"program\"", "\"program\" is not known");
    says("command = [\"a\"]\nname = \"serial\"", "baseline");
    says("command = [\"a b\"]", "no valid label; set label");
}
