use std::time::Duration;

use super::*;

fn pace(effort: Effort) -> Pace {
    Pace {
        effort,
        leaves: 4096,
        started: Instant::now(),
    }
}

#[test]
fn batches_grow_with_the_tree_and_end_with_the_number() {
    let pace = pace(Effort::Iterations(100_000));
    let (mut sizes, mut selected) = (Vec::new(), 0);
    loop {
        let credited = 0;
        let size = pace.next(Progress { selected, credited });
        if size == 0 {
            break;
        }
        sizes.push(size);
        selected += size;
    }
    assert_eq!(selected, 100_000);
    assert_eq!(sizes[..6], [16, 16, 16, 16, 16, 20]);
    assert!(sizes[..sizes.len() - 1].is_sorted());
    assert_eq!(sizes[sizes.len() - 2], 4096);
}

#[test]
fn little_time_gives_a_small_batch_and_none_an_end() {
    let in_time = |millis, progress| {
        let pace = pace(Effort::Time(Duration::from_millis(millis)));
        pace.next_after(Duration::from_millis(90), progress)
    };
    let progress = Progress {
        selected: 90_000,
        credited: 89_000,
    };
    assert_eq!(in_time(10_000, progress), 4096);
    // At 1 µs per leaf, 10 ms leave time for the thousand leaves in flight, and then for more leaves than the limit.
    assert_eq!(in_time(100, progress), 4096);
    let some = in_time(93, progress);
    assert!((1..=2_000).contains(&some), "{some}");
    assert_eq!(in_time(80, progress), 0);
    let none = Progress::default();
    assert_eq!(in_time(80, none), FIRST, "a choice needs a leaf");
}
