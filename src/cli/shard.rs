//! The shard of a run, from `--shard` or from Slurm's variables.

use anyhow::{Context, anyhow};

use crate::config::Shard;

/// The array task's id, the array's least id, its step, and its size.
const SLURM: [&str; 4] = [
    "SLURM_ARRAY_TASK_ID",
    "SLURM_ARRAY_TASK_MIN",
    "SLURM_ARRAY_TASK_STEP",
    "SLURM_ARRAY_TASK_COUNT",
];

/// The shard of the command line, else of this task of a Slurm array. Fails if the array's ids are uneven.
pub fn chosen(given: Option<Shard>) -> anyhow::Result<Option<Shard>> {
    if given.is_some() {
        return Ok(given);
    }
    let shard = of_array(|name| std::env::var(name).ok())?;
    if let Some(shard) = shard {
        let [id, .., count] = SLURM;
        eprintln!("shard {shard}: by {id} and {count}; --shard says otherwise");
    }
    Ok(shard)
}

fn of_array(variable: impl Fn(&str) -> Option<String>) -> anyhow::Result<Option<Shard>> {
    let number = |name: &str| {
        let number = variable(name).map(|text| {
            let wrong =
                |_| anyhow!("{name}={text}: must be a whole number; --shard I/N goes before it");
            text.trim().parse::<usize>().map_err(wrong)
        });
        number.transpose()
    };
    let [id, least, step, count] = SLURM;
    let (Some(task), Some(of)) = (number(id)?, number(count)?) else {
        return Ok(None);
    };
    let (least, step) = (
        number(least)?.unwrap_or(1),
        number(step)?.unwrap_or(1).max(1),
    );
    let place = task.checked_sub(least);
    let place = place.filter(|place| place.is_multiple_of(step) && place / step < of);
    let place = place.with_context(|| {
        format!(
            "{id}={task}: no place among {of} ids from {least} on, {step} apart; give the array as \
             --array=1-N, or this run its --shard I/N"
        )
    })?;
    let shard = format!("{}/{of}", place / step + 1).parse().map(Some);
    shard.map_err(|why: String| anyhow!("{count}={of}: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: [&str; 4]) -> Result<Option<String>, String> {
        let value = |name: &str| {
            let at = SLURM.iter().position(|known| *known == name).unwrap();
            Some(variables[at].to_owned()).filter(|text| !text.is_empty())
        };
        let shard = of_array(value).map_err(|error| error.to_string())?;
        Ok(shard.map(|shard| shard.to_string()))
    }

    #[test]
    fn a_task_of_an_array_is_a_shard_wherever_the_array_begins() {
        let is = |text: &str| Ok(Some(text.to_owned()));
        assert_eq!(of(["3", "1", "1", "3"]), is("3/3"));
        assert_eq!(of(["0", "0", "1", "3"]), is("1/3"));
        assert_eq!(of(["9", "5", "2", "4"]), is("3/4"));
        assert_eq!(of(["2", "", "", "2"]), is("2/2"));
        assert_eq!(of(["", "1", "1", "3"]), Ok(None));
        assert_eq!(of(["", "", "", ""]), Ok(None));
    }

    #[test]
    fn an_array_with_gaps_is_refused() {
        for [id, least, step] in [["7", "1", "1"], ["6", "5", "2"], ["0", "1", "1"]] {
            let why = of([id, least, step, "3"]).unwrap_err();
            let holds = why.contains("SLURM_ARRAY_TASK_ID") && why.contains("--shard");
            assert!(holds, "{why}");
        }
        assert!(
            of(["a", "1", "1", "3"])
                .unwrap_err()
                .contains("a whole number")
        );
    }
}
