// How many 32-bit operations a second a device does, kind by kind.
//
// Each kernel is a loop of one kind of operation. Within a chain every operation needs the one before
// it, so none can be left out, and no two be made one, but where a comment says so; a work-item has
// several chains, so that a unit need not wait for the one before. What is worked on is loaded, so
// that nothing is known when it is compiled, and the chains' ends are stored, so that all is needed.
// src/peaks/chain.rs has the same steps on the host, which check the results.
//
// What the comments say of compiled code was read in that of ptxas 12.9 for sm_90 (NVIDIA's H100 and
// H200) and clang 15 for AVX-512.

#include "peaks/words.clh"

// Chains of a work-item: 2, 4 or 8.
#ifndef CHAINS
#define CHAINS 4
#endif

// Words of a chain's state that `starts` has, used or not, and work-items with a state of their own in
// it; the others begin with one of theirs, to which they add their number.
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

// A round is 64 operations a chain: so many repetitions of a step make the loop's own instructions
// less than a hundredth.
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

// One kernel: what a chain loads, how often a round repeats its step, and what it leaves. The round's
// number goes into the first chain, so that no two numbers of rounds give the same result.
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

// Addition. Both sums are used twice, so that no addition of three is worth making. ptxas does every
// other one on the units for multiplication, as x * 1 + y: two pipes of 64 lanes side by side.
#define ADD(c) x##c += y##c; y##c += x##c;

// Additions of three, no pair of which comes twice: one instruction where the device has it (IADD3).
// 8 additions.
#define ADD_3(c) \
    x##c += y##c + w##c; \
    y##c += z##c + x##c; \
    z##c += w##c + y##c; \
    w##c += x##c + z##c;

// And, or, exclusive or, of two. Where the device has logic of three, compilers make one of two even
// here, where every value is used twice: 256 of them are 177 instructions of ptxas.
#define LOGIC(c) \
    x##c ^= w##c; y##c &= x##c; z##c |= y##c; w##c ^= z##c; \
    x##c |= w##c; y##c ^= x##c; z##c &= y##c; w##c ^= z##c;

// Logic of three: one instruction where the device has it (LOP3, vpternlog). 8 operations.
#define LOGIC_3(c) \
    x##c ^= y##c & w##c; \
    y##c ^= z##c & x##c; \
    z##c ^= w##c & y##c; \
    w##c ^= x##c & z##c;

// Shifts by a number that is loaded.
#define SHIFT(c) x##c = x##c << a; x##c = x##c >> b;

// The low half of products.
#define MULTIPLY(c) x##c *= y##c; y##c *= x##c;

// Set bits. The exclusive or keeps a compiler from seeing that small numbers have few; it is not
// counted.
#define POPCOUNT(c) x##c = popcount(x##c) ^ a; x##c = popcount(x##c) ^ b;

// Comparison and choice: two operations a line.
#define SELECT(c) \
    x##c = x##c < y##c ? a : x##c; \
    y##c = y##c < x##c ? b : y##c;

// An addition and an exclusive or in turns. On NVIDIA each has a pipe of its own, as with ADD.
#define ADD_LOGIC(c) x##c += a; x##c ^= b;

// A shift and an exclusive or in turns: nothing that is known here makes the two one, and on NVIDIA both
// are for the same pipe. So this is the rate of plain operations one by one.
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
