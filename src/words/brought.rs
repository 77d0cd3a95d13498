//! User-supplied techniques: programs in any language, and kernels that follow a contract.

/// The catalogue's name for programs, which experiments declare with `command = ["python3", "mine.py"]`.
pub const PROGRAM: &str = "program";

/// The kernel contracts and their catalogue names. Experiments use `kernel = "mine.cl"` and `contract = "playouts"`.
pub const KERNELS: [(&str, &str); 4] = [
    ("playouts", "kernel-playouts"),
    ("perft", "kernel-perft"),
    ("subtrees", "kernel-subtrees"),
    ("evaluate", "kernel-evaluate"),
];

/// Returns true if the technique is user-supplied. Such a technique fills roles, for example best CPU, only on request.
pub fn is_brought(technique: &str) -> bool {
    technique == PROGRAM || KERNELS.iter().any(|(_, name)| *name == technique)
}
