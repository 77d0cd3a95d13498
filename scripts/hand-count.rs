//! Rates of vector instructions, and the clock, as `scripts/hand-count` builds and runs it.

use std::arch::asm;
use std::thread;
use std::time::Instant;

/// 32-bit lanes of a register.
const LANES: f64 = 16.0;
/// Instructions between two turns of a loop, so that the loop itself costs next to nothing.
const UNROLLED: u64 = 32;
/// Turns of one measurement: some hundredths of a second, of the clock's loop some tenths.
const TURNS: u64 = 10_000_000;
/// Measurements of each loop; the median is shown, and the smallest and largest.
const SAMPLES: usize = 11;

/// A loop over one instruction on sixteen registers, each its own chain, twice a turn: more chains than any
/// processor has of them under way.
macro_rules! lanes {
    ($name:ident, $instruction:literal) => {
        fn $name() {
            for _ in 0..TURNS {
                // SAFETY: the instruction reads and writes the registers named here alone, and the
                // script has made sure that the processor has it.
                unsafe {
                    asm!(
                        ".rept 2",
                        ".irp own, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15",
                        concat!($instruction, " zmm\\own, zmm\\own, zmm16"),
                        ".endr",
                        ".endr",
                        out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _,
                        out("xmm4") _, out("xmm5") _, out("xmm6") _, out("xmm7") _,
                        out("xmm8") _, out("xmm9") _, out("xmm10") _, out("xmm11") _,
                        out("xmm12") _, out("xmm13") _, out("xmm14") _, out("xmm15") _,
                        options(nomem, nostack),
                    );
                }
            }
        }
    };
}

lanes!(add, "vpaddd");
lanes!(logic, "vpxord");
lanes!(shift, "vpsllvd");
lanes!(multiply, "vpmulld");

/// Cycles of a multiplication of 64 bits that waits for the one before, on AMD's processors since Zen and
/// on Intel's since Nehalem.
const PRODUCT: f64 = 3.0;

/// Multiplications that wait for each other: their rate is a third of the clock. Additions would not do:
/// newer processors fold several into one.
fn clock() {
    let mut product = 3_u64;
    for _ in 0..TURNS {
        // SAFETY: it writes its operand and the flags alone.
        unsafe {
            asm!(".rept 32", "imul {0}, {0}", ".endr", inout(reg) product,
                options(nomem, nostack));
        }
    }
    std::hint::black_box(product);
}

/// Runs a loop on every core at once; instructions a second, of all cores together.
fn rate(cores: usize, work: fn()) -> f64 {
    let run = move || {
        let began = Instant::now();
        work();
        (TURNS * UNROLLED) as f64 / began.elapsed().as_secs_f64()
    };
    let threads: Vec<_> = (0..cores).map(|_| thread::spawn(run)).collect();
    let rates = threads.into_iter().map(|thread| thread.join());
    rates.map(|rate| rate.expect("a loop ends")).sum()
}

fn main() {
    let cores = thread::available_parallelism().map_or(1, |cores| cores.get());
    println!("{cores} cores, {SAMPLES} samples; median (smallest to largest)");
    let loops: [(&str, fn(), f64, &str); 5] = [
        ("clock", clock, PRODUCT / cores as f64, "GHz a core"),
        ("vpaddd", add, LANES, "G additions/s"),
        ("vpxord", logic, LANES, "G logical operations/s"),
        ("vpsllvd", shift, LANES, "G shifts/s"),
        ("vpmulld", multiply, LANES, "G products/s"),
    ];
    // In turns, so that a drift of the clock hits all alike.
    let mut samples = vec![Vec::new(); loops.len()];
    for _ in 0..SAMPLES {
        for ((_, work, each, _), own) in loops.iter().zip(&mut samples) {
            own.push(rate(cores, *work) * each / 1e9);
        }
    }
    for ((name, _, _, unit), own) in loops.iter().zip(&mut samples) {
        own.sort_by(f64::total_cmp);
        let (low, middle, high) = (own[0], own[SAMPLES / 2], own[SAMPLES - 1]);
        println!("{name:<8} {middle:>7.2} {unit} ({low:.2} to {high:.2})");
    }
}
