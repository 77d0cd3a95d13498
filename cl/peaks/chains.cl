// Rates of 32-bit operations, by kind.
//
// Each kernel is a loop of one kind of operation. Within a chain every operation depends on the previous one,
// so none can be removed, and no two combined except where a comment says so; a work-item has several chains,
// to hide an operation's latency. Inputs are loaded, so that the compiler does not know them, and results are
// stored, so that all are needed. src/peaks/chain.rs has the same steps on the host, to check the results.
//
// Statements on compiled code are about the output of ptxas 12.9 for sm_90 (NVIDIA's H100 and H200) and of
// clang 15 for AVX-512.

#include "peaks/words.clh"

// Chains per work-item: 2, 4 or 8.
#ifndef CHAINS
#define CHAINS 4
#endif

// Words of a chain's state in `starts`, used or not; and work-items with a state of their own in it. The
// others start from one of these, plus their own number.
#define STATE 4
#ifndef STARTS
#define STARTS 64
#endif

#if CHAINS == 2
#define EACH_CHAIN(M) M(0) M(1)
#elif CHAINS == 4
#define EACH_CHAIN(M) M(0) M(1) M(2) M(3)
#else
#define EACH_CHAIN(M) M(0) M(1) M(2) M(3) M(4) M(5) M(6) M(7)
#endif

// A round is 64 operations a chain: enough to make the loop's own instructions less than one in a hundred.
#define TIMES_2(M) EACH_CHAIN(M) EACH_CHAIN(M)
#define TIMES_4(M) TIMES_2(M) TIMES_2(M)
#define TIMES_8(M) TIMES_4(M) TIMES_4(M)
#define TIMES_16(M) TIMES_8(M) TIMES_8(M)
#define TIMES_32(M) TIMES_16(M) TIMES_16(M)

#define START(chain, word) \
    starts[((int)get_global_id(0) % STARTS * CHAINS + chain) * STATE + word]
#define LOAD_1(c) words_t x##c = START(c, 0);
#define LOAD_2(c) LOAD_1(c) words_t y##c = START(c, 1);
#define LOAD_4(c) LOAD_2(c) words_t z##c = START(c, 2); words_t w##c = START(c, 3);
#define JOIN_1(c) result ^= x##c;
#define JOIN_2(c) result ^= x##c ^ y##c;
#define JOIN_4(c) result ^= x##c ^ y##c ^ z##c ^ w##c;

// A kernel: the inputs of a chain, the repetitions of a step in a round, and the result. The round's number
// goes into the first chain, so that the result depends on the number of rounds.
#define KERNEL(name, LOAD, TIMES, STEP, JOIN) \
    kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void name( \
        global const words_t *starts, \
        global const words_t *operands, \
        const uint rounds, \
        global words_t *results) { \
        const words_t a = operands[0]; \
        const words_t b = operands[1]; \
        EACH_CHAIN(LOAD) \
        x0 += (words_t)((uint)get_global_id(0)); \
        for (uint round = 0; round < rounds; ++round) { \
            TIMES(STEP) \
            x0 ^= (words_t)(round); \
        } \
        words_t result = (words_t)(0u); \
        EACH_CHAIN(JOIN) \
        results[get_global_id(0)] = result; \
    }

// Addition. Both sums are used twice, so that combining them into additions of three does not pay. ptxas does
// every other one on the multiplication units, as x * 1 + y: two pipes of 64 lanes in parallel.
#define ADD(c) x##c += y##c; y##c += x##c;

// Additions of three, without a repeated pair: one instruction on devices that have it (IADD3). 8 additions.
#define ADD_3(c) \
    x##c += y##c + w##c; \
    y##c += z##c + x##c; \
    z##c += w##c + y##c; \
    w##c += x##c + z##c;

// And, or, exclusive or, of two. On devices with logic of three, compilers combine two operations even here,
// where every value is used twice: 256 of them are 177 instructions of ptxas.
#define LOGIC(c) \
    x##c ^= w##c; y##c &= x##c; z##c |= y##c; w##c ^= z##c; \
    x##c |= w##c; y##c ^= x##c; z##c &= y##c; w##c ^= z##c;

// Logic of three: one instruction on devices that have it (LOP3, vpternlog). 8 operations.
#define LOGIC_3(c) \
    x##c ^= y##c & w##c; \
    y##c ^= z##c & x##c; \
    z##c ^= w##c & y##c; \
    w##c ^= x##c & z##c;

// Shifts by a loaded number.
#define SHIFT(c) x##c = x##c << a; x##c = x##c >> b;

// Low 32 bits of products.
#define MULTIPLY(c) x##c *= y##c; y##c *= x##c;

// Population counts. The exclusive or, which is not counted, hides from the compiler that small numbers have
// few bits.
#define POPCOUNT(c) x##c = popcount(x##c) ^ a; x##c = popcount(x##c) ^ b;

// Comparison and selection: two operations a line.
#define SELECT(c) \
    x##c = x##c < y##c ? a : x##c; \
    y##c = y##c < x##c ? b : y##c;

// An addition and an exclusive or, alternating. On NVIDIA each has its own pipe, as for ADD.
#define ADD_LOGIC(c) x##c += a; x##c ^= b;

// A shift and an exclusive or, alternating: no known compiler combines them, and on NVIDIA both use the same
// pipe. So this is the rate of single plain operations.
#define SHIFT_LOGIC(c) x##c = x##c >> a; x##c ^= b;

KERNEL(add, LOAD_2, TIMES_32, ADD, JOIN_2)
KERNEL(add_3, LOAD_4, TIMES_8, ADD_3, JOIN_4)
KERNEL(logic, LOAD_4, TIMES_8, LOGIC, JOIN_4)
KERNEL(logic_3, LOAD_4, TIMES_8, LOGIC_3, JOIN_4)
KERNEL(shift, LOAD_1, TIMES_32, SHIFT, JOIN_1)
KERNEL(multiply, LOAD_2, TIMES_32, MULTIPLY, JOIN_2)
KERNEL(count_bits, LOAD_1, TIMES_32, POPCOUNT, JOIN_1)
KERNEL(choose, LOAD_2, TIMES_16, SELECT, JOIN_2)
KERNEL(add_logic, LOAD_1, TIMES_32, ADD_LOGIC, JOIN_1)
KERNEL(shift_logic, LOAD_1, TIMES_32, SHIFT_LOGIC, JOIN_1)
