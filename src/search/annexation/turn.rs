//! Plays one turn of bit-sliced playouts.

use super::rows::{HEAD, Rows};
use super::state::State;
use crate::games::annexation::{COLOURS, Lanes};
#[cfg(target_arch = "x86_64")]
pub(super) use avx512::{Avx512, has_avx512};

impl State {
    /// Plays a turn in all playouts. `colours[c]` is the set of playouts in which the mover names colour c.
    #[inline(always)]
    pub(super) fn turn<V: Vectors>(
        &mut self,
        groups: &[Rows],
        mover: usize,
        colours: &[Lanes; COLOURS],
    ) {
        let [first, second] = &mut self.owned;
        let (own, other) = if mover == 0 {
            (first, &*second)
        } else {
            (second, &*first)
        };
        let mut gains = &mut self.gains[..];
        for (group, open) in groups.iter().zip(&self.open[mover]) {
            if group.waits {
                gain::<V, true>(group, open, own, other, colours, gains);
                gains = &mut gains[open.len()..];
            } else {
                gain::<V, false>(group, open, own, other, colours, gains);
            }
        }
        let mut gains = self.gains.iter();
        let waited = groups.iter().zip(&self.open[mover]);
        for (group, open) in waited.filter(|(group, _)| group.waits) {
            for (row, gained) in open.iter().zip(&mut gains) {
                let cell = group.cell(usize::from(*row));
                own[cell] = own[cell] | *gained;
            }
        }
    }
}

/// Computes the playouts in which the mover gains a row's cell: its colour is named, the opponent does not own it, and
/// the mover owns a neighbour. The result may include playouts in which the mover already owns the cell.
pub(super) trait Vectors {
    fn gained(row: &[u16], own: &[Lanes], other: &[Lanes], colours: &[Lanes; COLOURS]) -> Lanes;
}

pub(super) struct Plain;

impl Vectors for Plain {
    #[inline(always)]
    fn gained(row: &[u16], own: &[Lanes], other: &[Lanes], colours: &[Lanes; COLOURS]) -> Lanes {
        let mut reached = Lanes::NONE;
        for neighbour in &row[HEAD..] {
            reached = reached | own[usize::from(*neighbour)];
        }
        reached & colours[usize::from(row[1]) % COLOURS] & !other[usize::from(row[0])]
    }
}

/// Loops over the open rows of a group, unrolled for the row lengths that are most common on hexagonal boards.
macro_rules! for_rows {
    ($row:ident of $group:ident in $open:ident $body:block) => {
        for_rows!(@ $row $group $open $body, 8 10 14)
    };
    (@ $row:ident $group:ident $open:ident $body:block, $($length:literal)*) => {
        match $group.length {
            $($length => {
                let rows = $group.rows.as_chunks::<$length>().0;
                for number in $open {
                    let $row = &rows[usize::from(*number)];
                    $body
                }
            })*
            length => {
                for number in $open {
                    let $row = &$group.rows[usize::from(*number) * length..][..length];
                    $body
                }
            }
        }
    };
}

/// Applies the gains from a group's open rows, or writes them to `gains`.
#[inline(always)]
fn gain<V: Vectors, const WAITS: bool>(
    group: &Rows,
    open: &[u16],
    own: &mut [Lanes],
    other: &[Lanes],
    colours: &[Lanes; COLOURS],
    gains: &mut [Lanes],
) {
    let mut gains = gains.iter_mut();
    for_rows!(row of group in open {
        let gained = V::gained(row, own, other, colours);
        let cell = usize::from(row[0]);
        if !WAITS {
            own[cell] = own[cell] | gained;
        } else if let Some(gain) = gains.next() {
            *gain = gained;
        }
    });
}

/// Uses explicit 512-bit vectors. For some processors, the compiler would choose 256-bit vectors, which are slower.
#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::{__m512i, _mm512_and_si512, _mm512_andnot_si512, _mm512_or_si512};

    use super::{HEAD, Vectors};
    use crate::games::annexation::{COLOURS, LANE_WORDS, Lanes};

    /// Implements [`Vectors`] with AVX-512. May be used only if [`has_avx512`] returns true.
    pub(in super::super) struct Avx512;

    /// Returns true if this processor has the features that the AVX-512 version needs.
    pub(in super::super) fn has_avx512() -> bool {
        std::arch::is_x86_feature_detected!("avx512f")
            && std::arch::is_x86_feature_detected!("avx512vl")
            && std::arch::is_x86_feature_detected!("avx512dq")
    }

    type Vector = [__m512i; LANE_WORDS / 8];

    #[inline(always)]
    fn load(lanes: &Lanes) -> Vector {
        // SAFETY: both types have the same size, and every bit pattern is valid in both.
        unsafe { std::mem::transmute::<[u64; LANE_WORDS], Vector>(lanes.0) }
    }

    impl Vectors for Avx512 {
        #[inline(always)]
        fn gained(
            row: &[u16],
            own: &[Lanes],
            other: &[Lanes],
            colours: &[Lanes; COLOURS],
        ) -> Lanes {
            // SAFETY: this type is used only by functions compiled for AVX-512, which run only if the processor has it.
            unsafe { gained(row, own, other, colours) }
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn gained(row: &[u16], own: &[Lanes], other: &[Lanes], colours: &[Lanes; COLOURS]) -> Lanes {
        let mut reached = load(&Lanes::NONE);
        for neighbour in &row[HEAD..] {
            let neighbour = load(&own[usize::from(*neighbour)]);
            for part in 0..reached.len() {
                reached[part] = _mm512_or_si512(reached[part], neighbour[part]);
            }
        }
        let colour = load(&colours[usize::from(row[1]) % COLOURS]);
        let other = load(&other[usize::from(row[0])]);
        for part in 0..reached.len() {
            let named = _mm512_and_si512(reached[part], colour[part]);
            reached[part] = _mm512_andnot_si512(other[part], named);
        }
        // SAFETY: as in `load`.
        Lanes(unsafe { std::mem::transmute::<Vector, [u64; LANE_WORDS]>(reached) })
    }
}
