//! A `[[technique]]` that the experiment brings: a program, or a kernel under a contract.

use std::path::Path;

use super::error::ConfigError;
use super::reader::{Item, Table, is_name};
use crate::words::{KERNELS, PROGRAM};

/// Its place in the file, its name in the catalogue, and its default label.
type Found<'t> = (Item<'t>, &'static str, Option<String>);

/// The brought technique of a table; `None` for a built-in one. Its label is `name`, or its file's name.
pub(super) fn named<'t>(table: &Table<'t>) -> Result<Option<Found<'t>>, ConfigError> {
    let (item, entry, file) = match (table.get("command"), table.get("kernel")) {
        (Some(item), Some(_)) => {
            return Err(item.error("a technique has a command or a kernel, not both"));
        }
        (Some(item), None) => {
            let mut words = item.list()?.into_iter().rev();
            let file = words.find_map(|word| word.text().ok().and_then(stem));
            (item, PROGRAM, file)
        }
        (None, Some(item)) => {
            let contract = table.need("contract")?;
            let asked = contract.one_of(&KERNELS.map(|(contract, _)| contract))?;
            let mut kernels = KERNELS.into_iter();
            let kernel = kernels.find(|(contract, _)| *contract == asked);
            let (_, entry) = kernel.ok_or_else(|| contract.error("not a contract"))?;
            let file = stem(item.text()?);
            (item, entry, file)
        }
        (None, None) => return Ok(None),
    };
    let label = match table.get("name") {
        // A run folder has the catalogue's name and a label.
        Some(name) if name.text() != Ok(entry) => Some(name.name()?.to_owned()),
        _ => file,
    };
    Ok(Some((item, entry, label)))
}

/// The file stem, if it may be a label: `flat` of `my/flat.cl`.
fn stem(word: &str) -> Option<String> {
    let stem = Path::new(word).file_stem()?.to_str()?;
    is_name(stem).then(|| stem.to_owned())
}
