//! From what Oclgrind prints of a kernel's instructions to a row of `operations.csv`.
//!
//! The simulator counts instructions by their names, without the types. So the script that calls us puts a
//! call of an empty function before every operation, `count.xor.i64`, whose name has the type; those calls
//! are what is counted here, with the calls of built-in functions, whose names have their types too.

use anyhow::{Context, anyhow, bail};

use super::count::{MARKER, Mark};
use crate::results::OperationRow;
use crate::words::Counters;

/// A row without numbers.
pub fn empty_row() -> OperationRow {
    OperationRow {
        game: String::new(),
        technique: String::new(),
        params: String::new(),
        case: String::new(),
        task: String::new(),
        counted: String::new(),
        per: String::new(),
        add: 0.0,
        logic: 0.0,
        shift: 0.0,
        multiply: 0.0,
        popcount: 0.0,
        select: 0.0,
        global_load_bytes: 0.0,
        global_store_bytes: 0.0,
        local_load_bytes: 0.0,
        local_store_bytes: 0.0,
        global_atomics: 0.0,
        local_atomics: 0.0,
        kernel_hash: String::new(),
        by: String::new(),
    }
}

/// What counts are for, and how many of them a sample had: plies, whose work is the same in a long
/// playout as in a short one, before playouts, before nodes.
pub fn unit(counters: &Counters) -> (&'static str, u64) {
    match *counters {
        Counters { plies: 1.., .. } => ("ply", counters.plies),
        Counters { playouts: 1.., .. } => ("playout", counters.playouts),
        _ => ("node", counters.nodes),
    }
}

/// The rows of a log.
///
/// # Errors
///
/// Where a line is none that we know: an operation that no class has must not be left out unseen.
pub fn rows(log: &str) -> anyhow::Result<Vec<OperationRow>> {
    let mut rows = Vec::new();
    let mut under_way: Option<OperationRow> = None;
    for (number, line) in log.lines().enumerate() {
        let at = || format!("line {}: {line}", number + 1);
        if let Some((_, object)) = line.split_once(MARKER) {
            match serde_json::from_str(object).with_context(at)? {
                Mark::Begin => under_way = Some(empty_row()),
                Mark::End { row, counters } => {
                    let counted = under_way
                        .take()
                        .ok_or_else(|| anyhow!("no begin"))
                        .with_context(at)?;
                    rows.extend(finished(*row, &counted, &counters));
                }
            }
        } else if let Some(row) = &mut under_way
            && let Some((count, what)) = instruction(line)
        {
            add(row, count, what).with_context(at)?;
        }
    }
    Ok(rows)
}

/// A line's count and instruction: `   128 - call count.xor.i64()`.
fn instruction(line: &str) -> Option<(f64, &str)> {
    let (count, what) = line.trim_start().split_once(" - ")?;
    Some((count.replace(',', "").parse().ok()?, what.trim_end()))
}

/// The numbers for each unit; `None` for a sample that did nothing on the device.
fn finished(
    row: OperationRow,
    counted: &OperationRow,
    counters: &Counters,
) -> Option<OperationRow> {
    let (per, units) = unit(counters);
    let each = |sum: f64| sum / units as f64;
    let row = OperationRow {
        per: per.to_owned(),
        add: each(counted.add),
        logic: each(counted.logic),
        shift: each(counted.shift),
        multiply: each(counted.multiply),
        popcount: each(counted.popcount),
        select: each(counted.select),
        global_load_bytes: each(counted.global_load_bytes),
        global_store_bytes: each(counted.global_store_bytes),
        local_load_bytes: each(counted.local_load_bytes),
        local_store_bytes: each(counted.local_store_bytes),
        global_atomics: each(counted.global_atomics),
        local_atomics: each(counted.local_atomics),
        ..row
    };
    (units > 0 && counted.add + counted.logic + counted.select > 0.0).then_some(row)
}

/// Adds one line's instructions to a sum.
fn add(row: &mut OperationRow, count: f64, what: &str) -> anyhow::Result<()> {
    if let Some((access, bytes)) = what
        .strip_suffix(" bytes)")
        .and_then(|it| it.split_once(" ("))
    {
        let bytes: f64 = bytes.replace(',', "").parse().context("bytes")?;
        match access {
            "load global" => row.global_load_bytes += bytes,
            "store global" => row.global_store_bytes += bytes,
            "load local" => row.local_load_bytes += bytes,
            "store local" => row.local_store_bytes += bytes,
            _ => {}
        }
        return Ok(());
    }
    let Some(function) = what
        .strip_prefix("call ")
        .map(|it| it.trim_end_matches("()"))
    else {
        return Ok(());
    };
    if let Some(marked) = function.strip_prefix("count.") {
        let (operation, kind) = marked
            .split_once('.')
            .context("an operation without a type")?;
        let lanes = count * lanes(kind)?;
        match operation {
            "add" | "sub" => row.add += lanes,
            "and" | "or" | "xor" => row.logic += lanes,
            "shl" | "lshr" | "ashr" => row.shift += lanes,
            "mul" | "udiv" | "sdiv" | "urem" | "srem" => row.multiply += lanes,
            "icmp" | "select" => row.select += lanes,
            // Floating point has units of its own.
            "fadd" | "fsub" | "fmul" | "fdiv" | "fcmp" => {}
            _ => bail!("no class has {operation}"),
        }
        return Ok(());
    }
    if let Some(library) = function
        .strip_prefix("lib.")
        .or(function.strip_prefix("llvm."))
    {
        let (operation, kind) = library.split_once('.').unwrap_or((library, ""));
        match operation {
            "bitreverse" => row.popcount += count * lanes(kind)?,
            "abs" | "smax" | "smin" | "umax" | "umin" => row.select += count * lanes(kind)?,
            _ => {}
        }
        return Ok(());
    }
    builtin(row, count, function)
}

/// Lanes of 32 bits of a type: `i64` has two, `v4xi32` four, a truth value none.
fn lanes(kind: &str) -> anyhow::Result<f64> {
    let (several, element) = match kind.split_once('x') {
        Some((several, element)) => {
            let several = several.trim_start_matches('v').parse::<f64>();
            (several.with_context(|| format!("type {kind}"))?, element)
        }
        None => (1.0, kind),
    };
    Ok(several
        * match element {
            "i1" | "float" | "double" | "half" => 0.0,
            "i64" => 2.0,
            // An address counts once: those of local memory have 32 bits.
            "i8" | "i16" | "i32" | "ptr" => 1.0,
            _ => bail!("no lanes are known of the type {kind}"),
        })
}

/// A built-in function, by its mangled name: `_Z8popcountDv4_j`.
fn builtin(row: &mut OperationRow, count: f64, mangled: &str) -> anyhow::Result<()> {
    let rest = mangled.strip_prefix("_Z").unwrap_or("");
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let Ok(length) = rest[..digits].parse::<usize>() else {
        // A function of the kernels' own, which was not inlined: what it does is counted by itself.
        return Ok(());
    };
    let (name, types) = rest[digits..]
        .split_at_checked(length)
        .context("a mangled name")?;
    let several = types
        .strip_prefix("Dv")
        .and_then(|it| it.split_once('_'))
        .map_or(Ok(1.0), |(several, _)| several.parse::<f64>())?;
    let element = types.rsplit_once('_').map_or(types, |(_, element)| element);
    let lanes = count
        * several
        * if element.starts_with(['l', 'm']) {
            2.0
        } else {
            1.0
        };
    match name {
        "popcount" | "clz" | "ctz" => row.popcount += lanes,
        "rotate" => row.shift += lanes,
        "mul_hi" | "mul24" | "mad24" | "mad_hi" => row.multiply += lanes,
        "min" | "max" | "abs" | "abs_diff" | "select" | "any" | "all" => row.select += lanes,
        "clamp" => row.select += 2.0 * lanes,
        "bitselect" => row.logic += 2.0 * lanes,
        "add_sat" | "sub_sat" | "hadd" | "rhadd" => row.add += lanes,
        _ if name.starts_with("atomic_") || name.starts_with("atom_") => {
            if types.contains("AS3") {
                row.local_atomics += count;
            } else {
                row.global_atomics += count;
            }
        }
        // Where a work-item is, barriers, conversions and images have no class, and floating point has units
        // of its own.
        "barrier" | "mem_fence" => {}
        _ if element.ends_with(['f', 'd']) => {}
        _ if [
            "get_",
            "convert_",
            "as_",
            "read_image",
            "write_image",
            "vload",
            "vstore",
        ]
        .iter()
        .any(|start| name.starts_with(start)) => {}
        _ => bail!("no class has the built-in function {name}"),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(instructions: &str, counters: Counters) -> String {
        let begin = serde_json::to_string(&Mark::Begin).unwrap();
        let end = serde_json::to_string(&Mark::End {
            row: Box::new(OperationRow {
                game: "reversi".into(),
                ..empty_row()
            }),
            counters,
        });
        format!(
            "Instructions executed for kernel 'probe':\n  9 - call count.add.i32()\n\n\
             {MARKER}{begin}\nInstructions executed for kernel 'search':\n{instructions}\n{MARKER}{}\n",
            end.unwrap()
        )
    }

    #[test]
    fn operations_are_counted_on_lanes_between_the_marks() {
        let nodes = Counters {
            nodes: 2,
            ..Counters::default()
        };
        let text = log(
            "    1,000 - xor\n  10 - call count.xor.i64()\n  4 - call count.and.v4xi32()\n\
             6 - call count.and.i1()\n  3 - call count.add.i8()\n  2 - call _Z8popcountDv2_m()\n\
             5 - call lib.bitreverse.i32()\n 7 - call _Z9atomic_orPU3AS3Vjj()\n\
             1 - call _Z10atomic_incPU3AS1Vj()\n  8 - load global (32 bytes)\n\
             9 - store local (1,036 bytes)\n 2 - load private (8 bytes)\n 3 - call flips_of()\n\
             4 - call _Z13get_global_idj()\n 2 - call count.select.ptr()",
            nodes,
        );
        let rows = rows(&text).unwrap();
        let expected = OperationRow {
            game: "reversi".into(),
            per: "node".into(),
            add: 1.5,
            logic: (20.0 + 16.0) / 2.0,
            popcount: (8.0 + 5.0) / 2.0,
            select: 1.0,
            global_load_bytes: 16.0,
            local_store_bytes: 518.0,
            global_atomics: 0.5,
            local_atomics: 3.5,
            ..empty_row()
        };
        assert_eq!(rows, [expected]);
    }

    #[test]
    fn what_has_no_class_is_refused_and_an_idle_device_has_no_row() {
        let playouts = Counters {
            playouts: 2,
            plies: 3,
            ..Counters::default()
        };
        assert_eq!(unit(&playouts), ("ply", 3));
        for strange in [
            "1 - call _Z5fancyjj()",
            "1 - call count.frem.i32()",
            "1 - call count.add.i128()",
        ] {
            let why = format!("{:#}", rows(&log(strange, playouts)).unwrap_err());
            assert!(why.starts_with("line 6: "), "{why}");
        }
        assert!(rows(&log("", playouts)).unwrap().is_empty());
    }
}
