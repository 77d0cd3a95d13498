//! The chains of operations of `cl/peaks/chains.cl`, on the host. They are written from the definitions of
//! the kinds, one vector lane at a time, to check the kernels' results.

/// A lane's state: the words x, y, z, w of a chain.
pub type State = [u32; 4];

/// A kind of operation.
pub struct Chain {
    /// The kernel's name in `chains.cl`.
    pub kernel: &'static str,
    /// The kernel's two operands.
    pub operands: [u32; 2],
    /// Steps in a round.
    pub steps: u32,
    /// Operations of a step that count towards the rate.
    pub counted: u32,
    /// Words of the state that a step reads and writes.
    pub words: usize,
    /// One step on the state, with the operands.
    pub step: fn(&mut State, [u32; 2]),
}

impl Chain {
    /// Counted operations of one chain in a round, per lane.
    pub fn operations(&self) -> u64 {
        u64::from(self.steps * self.counted)
    }

    /// The result of a work-item in a lane: the states of its chains after `rounds` rounds, combined.
    pub fn result(&self, item: u32, starts: &[State], rounds: u32) -> u32 {
        let mut joined = 0;
        for (chain, start) in starts.iter().enumerate() {
            let mut state = *start;
            if chain == 0 {
                state[0] = state[0].wrapping_add(item);
            }
            for round in 0..rounds {
                for _ in 0..self.steps {
                    (self.step)(&mut state, self.operands);
                }
                if chain == 0 {
                    state[0] ^= round;
                }
            }
            joined ^= state[..self.words].iter().fold(0, |all, word| all ^ word);
        }
        joined
    }
}

/// Additions of two words.
pub const ADD: Chain = Chain {
    kernel: "add",
    operands: [0, 0],
    steps: 32,
    counted: 2,
    words: 2,
    step: |s, _| {
        s[0] = s[0].wrapping_add(s[1]);
        s[1] = s[1].wrapping_add(s[0]);
    },
};

/// Additions of three words: `t(n) = t(n-1) + t(n-3) + t(n-4)`.
pub const ADD_3: Chain = Chain {
    kernel: "add_3",
    operands: [0, 0],
    steps: 8,
    counted: 8,
    words: 4,
    step: |s, _| {
        for n in 0..4 {
            let (last, third) = (s[(n + 3) % 4], s[(n + 1) % 4]);
            s[n] = s[n].wrapping_add(third).wrapping_add(last);
        }
    },
};

/// And, or, exclusive or of two words.
pub const LOGIC: Chain = Chain {
    kernel: "logic",
    operands: [0, 0],
    steps: 8,
    counted: 8,
    words: 4,
    step: |s, _| {
        let [mut x, mut y, mut z, mut w] = *s;
        x ^= w;
        y &= x;
        z |= y;
        w ^= z;
        x |= w;
        y ^= x;
        z &= y;
        w ^= z;
        *s = [x, y, z, w];
    },
};

/// Logic of three words: each word is combined with its two neighbours in the cycle, `w(n) ^= w(n+1) &
/// w(n-1)`.
pub const LOGIC_3: Chain = Chain {
    kernel: "logic_3",
    operands: [0, 0],
    steps: 8,
    counted: 8,
    words: 4,
    step: |s, _| {
        for n in 0..4 {
            s[n] ^= s[(n + 1) % 4] & s[(n + 3) % 4];
        }
    },
};

/// Shifts to the left and to the right.
pub const SHIFT: Chain = Chain {
    kernel: "shift",
    operands: [5, 5],
    steps: 32,
    counted: 2,
    words: 1,
    step: |s, [a, b]| s[0] = (s[0] << a) >> b,
};

/// Products, low 32 bits.
pub const MULTIPLY: Chain = Chain {
    kernel: "multiply",
    operands: [0, 0],
    steps: 32,
    counted: 2,
    words: 2,
    step: |s, _| {
        s[0] = s[0].wrapping_mul(s[1]);
        s[1] = s[1].wrapping_mul(s[0]);
    },
};

/// Population counts; the exclusive ors between them do not count.
pub const POPCOUNT: Chain = Chain {
    kernel: "count_bits",
    operands: [0x2545_f491, 0x9e37_79b9],
    steps: 32,
    counted: 2,
    words: 1,
    step: |s, [a, b]| s[0] = (s[0].count_ones() ^ a).count_ones() ^ b,
};

/// Comparisons with selection.
pub const SELECT: Chain = Chain {
    kernel: "choose",
    operands: [0x7fff_ffff, 0x1234_5678],
    steps: 16,
    counted: 4,
    words: 2,
    step: |s, [a, b]| {
        if s[0] < s[1] {
            s[0] = a;
        }
        if s[1] < s[0] {
            s[1] = b;
        }
    },
};

/// Additions and exclusive ors, alternating.
pub const ADD_LOGIC: Chain = Chain {
    kernel: "add_logic",
    operands: [0x9e37_79b9, 0x2545_f491],
    steps: 32,
    counted: 2,
    words: 1,
    step: |s, [a, b]| s[0] = s[0].wrapping_add(a) ^ b,
};

/// Shifts and exclusive ors, alternating.
pub const SHIFT_LOGIC: Chain = Chain {
    kernel: "shift_logic",
    operands: [5, 0x9e37_79b9],
    steps: 32,
    counted: 2,
    words: 1,
    step: |s, [a, b]| s[0] = (s[0] >> a) ^ b,
};

/// Initial words of `count` chains: random and odd, so that products stay odd.
pub fn starts(count: usize) -> Vec<State> {
    (0..count)
        .map(|place| {
            crate::random::philox4x32([place as u32, 0, 0, 0], [7, 0], crate::random::BLOCK_ROUNDS)
                .map(|word| word | 1)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [&Chain; 10] = [
        &ADD,
        &ADD_3,
        &LOGIC,
        &LOGIC_3,
        &SHIFT,
        &MULTIPLY,
        &POPCOUNT,
        &SELECT,
        &ADD_LOGIC,
        &SHIFT_LOGIC,
    ];

    #[test]
    fn a_round_has_64_operations_a_chain() {
        for chain in ALL {
            assert_eq!(chain.operations(), 64, "{}", chain.kernel);
        }
    }

    /// A check proves nothing if results do not depend on the number of rounds or on the work-item.
    #[test]
    fn results_tell_rounds_and_work_items_apart() {
        for chain in ALL {
            let starts = starts(4);
            let after = |rounds| chain.result(3, &starts, rounds);
            for rounds in 1..40 {
                assert_ne!(
                    after(rounds),
                    after(rounds + 1),
                    "{}, {rounds}",
                    chain.kernel
                );
            }
        }
        assert_ne!(ADD.result(3, &starts(4), 9), ADD.result(4, &starts(4), 9));
    }

    #[test]
    fn kinds_are_what_they_are_called() {
        let mut state = [1, 1, 0, 0];
        (ADD.step)(&mut state, [0; 2]);
        assert_eq!(state[..2], [2, 3], "Fibonacci's");
        let mut state = [1, 2, 3, 4];
        (ADD_3.step)(&mut state, [0; 2]);
        assert_eq!(state, [1 + 2 + 4, 2 + 3 + 7, 3 + 4 + 12, 4 + 7 + 19]);
        let mut state = [0b1100, 0b1010, 0, 0b0110];
        (LOGIC_3.step)(&mut state, [0; 2]);
        assert_eq!(state[0], 0b1100 ^ (0b1010 & 0b0110));
        let mut state = [0xff, 0, 0, 0];
        (POPCOUNT.step)(&mut state, [1, 0]);
        assert_eq!(state[0], 2, "8 bits, xor 1 is 9, which has 2");
    }
}
