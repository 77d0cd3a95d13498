//! The progress of a run, one line per case, with an estimate of the time left.

use std::time::Duration;

/// Counts the cells of a run's passes as they end. Times are since its beginning.
#[derive(Default)]
pub struct Pace {
    name: String,
    cases: usize,
    cells: usize,
    budget: Duration,
    pass: (u64, u64),
    case: usize,
    ended: usize,
    /// Ended cells that took time.
    measured: usize,
    /// When the current case began, and the cells measured by then.
    begun: (Duration, usize),
    /// Time per cell of the last case that measured any.
    last: Duration,
}

impl Pace {
    /// `cells`: of all passes together.
    pub fn new(name: &str, (cases, cells): (usize, usize), budget: Duration) -> Self {
        Self {
            name: name.to_owned(),
            cases,
            cells,
            budget,
            pass: (1, 1),
            ..Self::default()
        }
    }

    pub fn pass(&mut self, pass: u64, passes: u64) {
        self.pass = (pass, passes);
        self.case = 0;
    }

    /// The passes from the current one on.
    pub fn passes_left(&self) -> u64 {
        let (pass, passes) = self.pass;
        passes.saturating_sub(pass) + 1
    }

    pub fn case(&mut self, now: Duration) {
        let (since, measured) = self.begun;
        if let Some(each) = each(now.saturating_sub(since), self.measured - measured) {
            self.last = each;
        }
        self.begun = (now, self.measured);
        self.case += 1;
    }

    /// A cell ended for some passes. `kept`: the folder had it, and it took no time.
    pub fn ended(&mut self, passes: usize, kept: bool) {
        self.ended += passes;
        self.measured += usize::from(!kept);
    }

    /// `reversi: pass 2 of 5, case 3 of 18: board=8x8 depth=4 (about 4 min left)`
    pub fn line(&self, case: &str, now: Duration) -> String {
        let pass = match self.pass {
            (_, 1) => String::new(),
            (pass, passes) => format!("pass {pass} of {passes}, "),
        };
        let (name, number, cases, left) = (&self.name, self.case, self.cases, self.left(now));
        format!("{name}: {pass}case {number} of {cases}: {case} ({left} left)")
    }

    /// Remaining cells take the longer of both means, as expensive cases come last; at most the budget.
    fn left(&self, now: Duration) -> String {
        let most = self.budget.saturating_sub(now);
        let cells = u32::try_from(self.cells.saturating_sub(self.ended)).unwrap_or(u32::MAX);
        let mean = each(now, self.measured);
        let left = mean.map(|mean| mean.max(self.last).saturating_mul(cells));
        match left.filter(|left| *left < most) {
            Some(left) => format!("about {}", rough(left)),
            None => format!("at most {}", rough(most)),
        }
    }
}

fn each(all: Duration, cells: usize) -> Option<Duration> {
    all.checked_div(u32::try_from(cells).ok()?)
}

/// Rounded down, so that an estimate never exceeds the budget.
fn rough(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..120 => format!("{seconds} s"),
        seconds @ 120..7_200 => format!("{} min", seconds / 60),
        seconds => format!("{} h", seconds / 3_600),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    /// A run of 3 cases with 4 cells each, which may take ten minutes.
    fn pace() -> Pace {
        Pace::new("reversi", (3, 12), seconds(600))
    }

    #[test]
    fn before_a_cell_was_measured_the_budget_is_all_that_is_known() {
        let mut pace = pace();
        pace.case(seconds(0));
        let expected = "reversi: case 1 of 3: depth=1 (at most 9 min left)";
        assert_eq!(pace.line("depth=1", seconds(1)), expected);
    }

    #[test]
    fn the_cells_that_are_left_take_what_the_others_took() {
        let mut pace = pace();
        pace.case(seconds(0));
        (0..4).for_each(|_| pace.ended(1, false));
        pace.case(seconds(40));
        let expected = "reversi: case 2 of 3: depth=2 (about 80 s left)";
        assert_eq!(pace.line("depth=2", seconds(40)), expected);
    }

    #[test]
    fn the_last_case_counts_where_it_was_the_dearer_one() {
        let mut pace = pace();
        pace.case(seconds(0));
        (0..4).for_each(|_| pace.ended(1, false));
        pace.case(seconds(4));
        (0..4).for_each(|_| pace.ended(1, false));
        pace.case(seconds(204));
        let line = pace.line("depth=3", seconds(204));
        // 4 cells of 50 s each; by the mean it would be 102 s.
        assert!(line.ends_with("(about 3 min left)"), "{line}");
    }

    #[test]
    fn no_more_than_the_budget_is_left() {
        let mut pace = pace();
        pace.case(seconds(0));
        pace.ended(1, false);
        let line = pace.line("depth=1", seconds(300));
        assert!(line.ends_with("at most 5 min left)"), "{line}");
        let line = pace.line("depth=1", seconds(601));
        assert!(line.ends_with("at most 0 s left)"), "{line}");
    }

    #[test]
    fn cells_that_were_there_already_took_no_time() {
        let mut pace = pace();
        pace.case(seconds(0));
        (0..4).for_each(|_| pace.ended(1, true));
        pace.case(seconds(0));
        pace.ended(1, false);
        // 7 cells of 10 s; of 2 s each if the kept ones counted.
        let line = pace.line("depth=2", seconds(10));
        assert!(line.ends_with("(about 70 s left)"), "{line}");
    }
}
