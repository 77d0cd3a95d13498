// Divides move sets evenly over full work-groups. Each work-item replays an equal share of each first move's sets, one
// after another, and keeps the sums in registers.

#include "connect_four/set.clh"

// Number of work-items per work-group.
#ifndef GROUP
#define GROUP 64
#endif
// Number of words in a group's score: one per first move, plus one for the positions entered.
#define SCORES 8

// Returns set `number` of a first move: three bits per move, with the last move in the lowest bits.
IN_CALLER ulong set_of_number(ulong number) {
    ulong set = 0;
    for (int i = 0; i < PLIES - 1; ++i) {
        set |= number % 7 << (3 * i);
        number /= 7;
    }
    return set;
}

// Returns the next set in base-seven order.
IN_CALLER ulong set_after(ulong set) {
    set += 1;
    for (int shift = 0; (set >> shift & 7) == 7; shift += 3) {
        set += 1UL << shift;
    }
    return set;
}

// Plays `sets` sets of each first move, starting with set `first_set`. The last word of each group proves completion.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void move_sets_even(
    __global const int *restrict table,
    const ulong own,
    const ulong stones,
    const int value,
    const ulong first_set,
    const ulong sets,
    const ulong stamp,
    __global long *restrict scores) {
    // Indexed by first move, then by work-item.
    __local long parts[SCORES * GROUP];
    const int item = (int)get_local_id(0);
    const ulong items = get_global_size(0);
    const ulong from = first_set + sets * get_global_id(0) / items;
    const ulong to = first_set + sets * (get_global_id(0) + 1) / items;
    const ulong begin = set_of_number(from);
    ulong entered = 0;
    for (int first = 0; first < COLUMNS; ++first) {
        long sum = 0;
        ulong set = (ulong)first << (3 * (PLIES - 1)) | begin;
        if (drop_in(drops_of(stones), first) != 0) {
            for (ulong i = from; i < to; ++i) {
                const set_t played = replay_bits(table, own, stones, value, set);
                sum += played.whole ? played.utility : 0;
                entered += played.entered;
                set = set_after(set);
            }
        }
        parts[first * GROUP + item] = sum;
    }
    parts[COLUMNS * GROUP + item] = (long)entered;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int score = item; score < SCORES; score += GROUP) {
        long sum = 0;
        for (int i = 0; i < GROUP; ++i) {
            sum += parts[score * GROUP + i];
        }
        scores[get_group_id(0) * (SCORES + 1) + score] = sum;
    }
    if (item == 0) {
        scores[get_group_id(0) * (SCORES + 1) + SCORES] = (long)(stamp + get_group_id(0));
    }
}
