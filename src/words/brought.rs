//! User-supplied techniques, which are a program in any language, or a kernel under a contract.

/// The catalogue's name for a program: `command = ["python3", "mine.py"]`.
pub const PROGRAM: &str = "program";

/// The kernel contracts and their names in the catalogue: `kernel = "mine.cl"` and `contract = "playouts"`.
pub const KERNELS: [(&str, &str); 4] = [
    ("playouts", "kernel-playouts"),
    ("perft", "kernel-perft"),
    ("subtrees", "kernel-subtrees"),
    ("evaluate", "kernel-evaluate"),
];

/// Returns true if the technique with that name is user-supplied. It gets a role, such as best CPU, only on request.
pub fn is_brought(technique: &str) -> bool {
    technique == PROGRAM || KERNELS.iter().any(|(_, name)| *name == technique)
}
