// Bandwidth of local memory, reading.
//
// The vectors are loaded once; then each work-item reads LOADS of them a round, at places that change from
// round to round, so that none stays in a register. Adjacent work-items read adjacent vectors, without bank
// conflicts.

#include "peaks/words.clh"

// Loads of a work-item in a round.
#define LOADS 16

// Rounds after which the access pattern repeats, a power of two.
#ifndef TURNS
#define TURNS 32
#endif

#define VECTORS (LOADS * GROUP + TURNS)

#define ADD_TWO(i) sum_0 += words[place + i * GROUP]; sum_1 += words[place + (i + 1) * GROUP];

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void read_local(
    global const words_t *from, const uint rounds, global words_t *sums) {
    local words_t words[VECTORS];
    for (int i = (int)get_local_id(0); i < VECTORS; i += GROUP) {
        words[i] = from[i];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    words_t sum_0 = (words_t)(0u);
    words_t sum_1 = (words_t)(0u);
    for (uint round = 0; round < rounds; ++round) {
        const int place = (int)get_local_id(0) + (int)(round % TURNS);
        ADD_TWO(0) ADD_TWO(2) ADD_TWO(4) ADD_TWO(6) ADD_TWO(8) ADD_TWO(10) ADD_TWO(12) ADD_TWO(14)
    }
    sums[get_global_id(0)] = sum_0 + sum_1;
}
