// Evaluates move sets with the paper's layout, but on bitboards in registers. Local memory holds only results.

#include "connect_four/move_sets.clh"

__kernel __attribute__((reqd_work_group_size(GROUP_X, 7, 1))) void move_sets(
    __global const int *restrict table,
    const ulong own,
    const ulong stones,
    const int value,
    __global long *restrict scores) {
    __local long utilities[ITEMS];
    __local uint entered[ITEMS];
    const int item = (int)(get_local_id(1) * GROUP_X + get_local_id(0));
    ulong set;
    const int sets = set_of_place(&set) ? LOOP_SETS : 0;
    long joined = NONE;
    uint positions = 0;
    for (int i = 0; i < sets; ++i) {
        const set_t played = replay_bits(table, own, stones, value, set);
        joined = played.whole ? JOINED(joined, played.utility) : joined;
        positions += played.entered;
        set = set_after(set);
    }
    utilities[item] = joined;
    entered[item] = positions;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0) {
        sum_group(utilities, entered, scores);
    }
}
