use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

pub fn tell() {
    INTERRUPTED.store(true, Ordering::Relaxed);
}

/// True if a signal came, or comes within a moment: a closed terminal refuses writes before its signal arrives.
pub fn was_interrupted() -> bool {
    const MOMENT: Duration = Duration::from_millis(10);
    (0..50).any(|_| {
        let is_heard = INTERRUPTED.load(Ordering::Relaxed);
        if !is_heard {
            std::thread::sleep(MOMENT);
        }
        is_heard
    })
}
