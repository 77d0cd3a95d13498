//! Tests that a run folder does not contain the name of the user, the host or the home folder.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::place::Place;

fn texts(folder: &Path, found: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => texts(&path, found),
            false => {
                let bytes = fs::read(&path).unwrap();
                let text = String::from_utf8_lossy(&bytes).into_owned();
                found.push((path.display().to_string(), text));
            }
        }
    }
}

/// Changes the command to run with this host name, if the system lets a user set it.
fn on_host(name: &str, command: Command) -> Command {
    let unshare = || {
        let mut unshare = Command::new("unshare");
        unshare.args(["--map-root-user", "--uts"]);
        unshare
    };
    if !unshare().arg("true").status().is_ok_and(|it| it.success()) {
        return command;
    }
    let mut named = unshare();
    named.args(["sh", "-c", &format!("hostname {name} && exec \"$@\""), "sh"]);
    named.arg(command.get_program()).args(command.get_args());
    named.current_dir(command.get_current_dir().expect("a folder"));
    let variables = command.get_envs();
    named.envs(variables.filter_map(|(name, value)| Some((name, value?))));
    named
}

#[cfg(unix)]
#[test]
fn records_no_user_host_or_home() {
    let place = Place::new("");
    let home = place.path().join("home/augusta");
    fs::create_dir_all(home.join("programs")).unwrap();
    let program = home.join("programs/mine.py");
    fs::write(
        &program,
        "import socket, sys\nsys.exit(sys.argv[0] + ' of augusta fails on ' + socket.gethostname())\n",
    )
    .unwrap();
    let experiment = home.join("tiny.toml");
    let text = format!(
        "name = \"tiny\"\ntitle = \"Tiny\"\ngame = \"connect-four\"\ntask = \"playouts\"\n\
         [[cases]]\nplayouts = 1000\n[[technique]]\ncommand = [\"python3\", {program:?}]\n\
         [[technique]]\nkernel = {:?}\ncontract = \"playouts\"\n\
         [sampling]\npasses = 1\nmin-samples = 3\nmax-samples = 3\n",
        home.join("programs/flat.cl"),
    );
    fs::write(&experiment, text).unwrap();
    fs::write(home.join("programs/flat.cl"), "// nothing\n").unwrap();
    let out = home.join("run");
    let arguments = [
        "run",
        experiment.to_str().unwrap(),
        "--allow-commands",
        "--out",
        out.to_str().unwrap(),
    ];
    let mut command = on_host("lovelace-host", place.host_command(&arguments));
    command.env("HOME", &home).env("USER", "augusta");
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(out.join("experiment.toml").exists(), "{said}");
    let mut found = Vec::new();
    texts(&out, &mut found);
    let named: Vec<&String> = found
        .iter()
        .filter(|(_, text)| {
            let names = ["augusta", "lovelace", "/home/"];
            names.iter().any(|name| text.contains(name))
        })
        .map(|(file, _)| file)
        .collect();
    assert!(named.is_empty(), "{named:?}");
    let experiment = fs::read_to_string(out.join("experiment.toml")).unwrap();
    assert!(experiment.contains("mine.py"), "{experiment}");
    // The folder must be consistent.
    let output = place
        .host_command(&["report", out.to_str().unwrap()])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
}
