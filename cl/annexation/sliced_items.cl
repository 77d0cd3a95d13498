// Bit-sliced random playouts on a processor: a work-item plays 512 x PARTS of them at a time, in vectors,
// without barriers.

#include "annexation/items.clh"

// Words that a work-item writes: wins, losses, and a stamp at its end.
#define TALLY_WORDS 3

// The requested playouts among the 16 x 32 from number `begin` on.
IN_CALLER uint16 asked_of(const ulong begin, const ulong first, const ulong end)
{
    uint words[16];
    for (int word = 0; word < 16; ++word) {
        const ulong from = begin + 32ul * (ulong)word;
        const ulong low = first > from ? min(first - from, 32ul) : 0ul;
        const ulong high = end > from ? min(end - from, 32ul) : 0ul;
        words[word] = (uint)((1ul << high) - 1ul) & ~(uint)((1ul << low) - 1ul);
    }
    return vload16(0, words);
}

IN_CALLER uint count_bits(const uint16 x)
{
    const uint16 counts = BIT_COUNT_32(x);
    // Not by halves: oclgrind 21.10 reports the fourth number of the upper half as uninitialised, although
    // all sixteen are set. It runs once per 512 playouts.
    return counts.s0 + counts.s1 + counts.s2 + counts.s3 + counts.s4 + counts.s5 + counts.s6 + counts.s7
        + counts.s8 + counts.s9 + counts.sa + counts.sb + counts.sc + counts.sd + counts.se + counts.sf;
}

// Playouts `first` to `end`, from number 32 x `block` on in groups of 512 x PARTS: work-item n plays every
// n-th group. `state` has space for 2 x cells + waiting lanes of each work-item, `open` for its open rows of
// both players, `open_counts` for their numbers.
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void sliced(
    __global const ushort *rows,
    __global const ushort *bands,
    __global const int *groups,
    const int2 group_counts,
    const int row_count,
    const int cells,
    const int waiting,
    const int2 starts,
    const uint2 more,
    const uint turns,
    const uint2 key,
    const ulong block,
    const ulong first,
    const ulong end,
    const uint stamp,
    __global lanes_t *state,
    __global ushort *open,
    __global int *open_counts,
    __global uint *tallies)
{
    const int item = (int)get_global_id(0);
    const int all_groups = group_counts.x + group_counts.y;
    __global lanes_t *owned = state + (long)item * (2 * cells + waiting);
    __global lanes_t *gains = owned + 2 * cells;
    open += (long)item * row_count;
    open_counts += item * all_groups;

    uint wins = 0u, losses = 0u;
    const ulong playouts = 512ul * PARTS;
    for (ulong from = block * 32ul + (ulong)item * playouts; from < end;
         from += playouts * get_global_size(0)) {
        lanes_t decided, asked;
        FOR_PARTS {
            asked.part[i] = asked_of(from + 512ul * (ulong)i, first, end);
            decided.part[i] = ~asked.part[i];
        }
        for (int cell = 0; cell < 2 * cells; ++cell) {
            FOR_PARTS owned[cell].part[i] = (uint16)(0u);
        }
        owned[starts.x] = asked;
        owned[cells + starts.y] = asked;
        for (int group = 0; group < all_groups; ++group) {
            open_counts[group] = 0;
        }
        int2 reach[2] = {(int2)(0), (int2)(0)};
        int over = 0;

        for (uint turn = 0; turn < turns && over != 3; ++turn) {
            const int mover = (int)(turn & 1u);
            __global lanes_t *own = owned + mover * cells;
            __global const lanes_t *other = owned + (1 - mover) * cells;
            __global const int *own_groups = groups + (mover ? group_counts.x * GROUP_WORDS : 0);
            __global int *counts = open_counts + (mover ? group_counts.x : 0);
            const int group_count = mover ? group_counts.y : group_counts.x;

            if (turn / 2u % MOVES_A_LOOK == 0u) {
                if (mover == 0) {
                    decide(owned, cells, more, &decided);
                }
                open_rows(
                    own_groups, group_count, rows, bands, own, open, counts, reach + mover);
                const int left = close_rows(
                    own_groups, group_count, rows, own, other, &decided, open, counts);
                over = left == 0 ? over | 1 << mover : over & ~(1 << mover);
            }

            lanes_t colours[COLOURS];
            const ulong8 steps = (ulong8)(0, 2, 4, 6, 8, 10, 12, 14);
            FOR_PARTS {
                const ulong8 even = from / 32ul + 16 * i + steps;
                name_colours(even, even + 1ul, turn, key, i, colours);
            }
            play_turn(
                own_groups, group_count, rows, open, counts, own, other, colours, gains);
        }

        FOR_PARTS {
            uint16 larger, smaller;
            compare(owned, cells, more, i, &larger, &smaller);
            wins += count_bits(larger & asked.part[i]);
            losses += count_bits(smaller & asked.part[i]);
        }
    }
    tallies[item * TALLY_WORDS] = wins;
    tallies[item * TALLY_WORDS + 1] = losses;
    tallies[item * TALLY_WORDS + 2] = stamp + (uint)item;
}
