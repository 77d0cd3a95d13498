//! Techniques that an experiment brings: a program in any language, or a kernel under a contract.

/// The catalogue's name of a program: `command = ["python3", "mine.py"]`.
pub const PROGRAM: &str = "program";

/// The catalogue's names of kernels with their contracts: `kernel = "mine.cl"` and `contract = "playouts"`.
pub const KERNELS: &[(&str, &str)] = &[
    ("kernel-playouts", "playouts"),
    ("kernel-perft", "perft"),
    ("kernel-subtrees", "subtrees"),
    ("kernel-evaluate", "evaluate"),
];

/// The contract of a kernel of that name in the catalogue.
pub fn contract_of(technique: &str) -> Option<&'static str> {
    let (_, contract) = KERNELS.iter().find(|(name, _)| *name == technique)?;
    Some(contract)
}

/// True if an experiment brings the technique of that name. It has a role, such as best CPU, only on request.
pub fn is_brought(technique: &str) -> bool {
    technique == PROGRAM || contract_of(technique).is_some()
}
