// Bit-sliced random playouts from the leaves of a tree, on a processor: a work-item plays 16 x PARTS seats of
// 32 playouts at a time, of one or several leaves, in vectors, without barriers. The counterpart of
// src/search/annexation/sliced.rs.

#include "annexation/items.clh"
#include "annexation/leaves.clh"

#define SEATS (16 * PARTS)

// Opens the rows up to the outermost band in which a player owns a cell, at the start from given positions.
IN_CALLER void start_rows(
    __global const int *groups,
    const int group_count,
    __global const ushort *rows,
    __global const ushort *bands,
    __global const lanes_t *own,
    __global ushort *open,
    __global int *open_counts,
    int2 *reach)
{
    int farthest = 0;
    for (int g = 0; g < group_count; ++g) {
        __global const int *group = groups + g * GROUP_WORDS;
        __global const ushort *band = bands + group[BANDS];
        for (int row = 0; row < group[COUNT]; ++row) {
            __global const lanes_t *cell = own + rows[group[ROWS] + row * group[LENGTH]];
            uint16 some = cell->part[0];
            for (int i = 1; i < PARTS; ++i) {
                some |= cell->part[i];
            }
            if (any(some != 0u)) {
                farthest = max(farthest, (int)band[row]);
            }
        }
    }
    for (int g = 0; g < group_count; ++g) {
        __global const int *group = groups + g * GROUP_WORDS;
        __global const ushort *band = bands + group[BANDS];
        int count = 0;
        // Ascending in each group.
        while (count < group[COUNT] && band[count] <= farthest) {
            open[group[BANDS] + count] = (ushort)count;
            ++count;
        }
        open_counts[g] = count;
    }
    *reach = (int2)(farthest, farthest);
}

// Sets a seat's lanes in the cells that a player owns at its leaf.
IN_CALLER void take_seat(
    __global const uint *bits, const int bit_words, const uint asked, __global uint *lanes)
{
    for (int word = 0; word < bit_words; ++word) {
        for (uint left = bits[word]; left != 0u; left &= left - 1u) {
            lanes[(32 * word + LOWEST_BIT_32(left)) * SEATS] |= asked;
        }
    }
}

// Plays the seats, 16 x PARTS at a time: work-item n plays every n-th such group. `state`, `open` and
// `open_counts` are as in `sliced`.
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void leaf_items(
    __global const ushort *rows,
    __global const ushort *bands,
    __global const int *groups,
    const int2 group_counts,
    const int row_count,
    const int cells,
    const int waiting,
    const uint2 more,
    const uint2 key,
    __global const uint *leaves,
    const int bit_words,
    __global const uint4 *seats,
    const int seat_groups,
    const uint stamp,
    __global lanes_t *state,
    __global ushort *open,
    __global int *open_counts,
    __global uint *results)
{
    const int item = (int)get_global_id(0);
    const int all_groups = group_counts.x + group_counts.y;
    const int leaf_words = LEAF_WORDS(bit_words);
    __global lanes_t *owned = state + (long)item * (2 * cells + waiting);
    __global lanes_t *gains = owned + 2 * cells;
    open += (long)item * row_count;
    open_counts += item * all_groups;

    for (int number = item; number < seat_groups; number += (int)get_global_size(0)) {
        __global const uint4 *own_seats = seats + (long)number * SEATS;
        __global uint *own_results = results + (long)number * (SEATS * SEAT_RESULTS);
        const int first_mover
            = LEAF_MOVER(leaves[(size_t)SEAT_LEAF(own_seats[0]) * leaf_words]);

        for (int cell = 0; cell < 2 * cells; ++cell) {
            FOR_PARTS owned[cell].part[i] = (uint16)(0u);
        }
        uint asked_words[SEATS], turns_left[SEATS];
        ulong blocks[SEATS];
        uint fewest = ~0u, most = 0u;
        for (int seat = 0; seat < SEATS; ++seat) {
            const uint4 own_seat = own_seats[seat];
            __global const uint *leaf = leaves + (size_t)SEAT_LEAF(own_seat) * leaf_words;
            asked_words[seat] = SEAT_ASKED(own_seat);
            // Even seats come first, the order that name_colours() needs.
            blocks[seat / 16 * 16 + seat % 2 * 8 + seat % 16 / 2] = SEAT_BLOCK(own_seat);
            turns_left[seat] = LEAF_TURNS(leaf[0]);
            fewest = min(fewest, turns_left[seat]);
            most = max(most, turns_left[seat]);
            __global uint *lanes = (__global uint *)owned + seat;
            take_seat(leaf + 1, bit_words, asked_words[seat], lanes);
            take_seat(leaf + 1 + bit_words, bit_words, asked_words[seat], lanes + cells * SEATS);
        }
        lanes_t asked, decided;
        FOR_PARTS {
            asked.part[i] = vload16(i, asked_words);
            decided.part[i] = ~asked.part[i];
        }
        int2 reach[2];
        start_rows(groups, group_counts.x, rows, bands, owned, open, open_counts, reach);
        start_rows(
            groups + group_counts.x * GROUP_WORDS,
            group_counts.y,
            rows,
            bands,
            owned + cells,
            open,
            open_counts + group_counts.x,
            reach + 1);
        int over = 0;

        for (uint turn = 0; turn < most && over != 3; ++turn) {
            const int mover = (first_mover + (int)turn) & 1;
            __global lanes_t *own = owned + mover * cells;
            __global const lanes_t *other = owned + (1 - mover) * cells;
            __global const int *own_groups = groups + (mover ? group_counts.x * GROUP_WORDS : 0);
            __global int *counts = open_counts + (mover ? group_counts.x : 0);
            const int group_count = mover ? group_counts.y : group_counts.x;

            lanes_t live = asked;
            if (turn >= fewest) {
                uint live_words[SEATS];
                for (int seat = 0; seat < SEATS; ++seat) {
                    live_words[seat] = turn < turns_left[seat] ? asked_words[seat] : 0u;
                }
                FOR_PARTS {
                    live.part[i] = vload16(i, live_words);
                    decided.part[i] |= ~live.part[i];
                }
            }
            if (turn / 2u % MOVES_A_LOOK == 0u) {
                if (turn % 2u == 0u) {
                    decide(owned, cells, more, &decided);
                }
                open_rows(
                    own_groups, group_count, rows, bands, own, open, counts, reach + mover);
                const int left = close_rows(
                    own_groups, group_count, rows, own, other, &decided, open, counts);
                over = left == 0 ? over | 1 << mover : over & ~(1 << mover);
            }

            lanes_t colours[COLOURS];
            FOR_PARTS {
                const ulong8 even = vload8(2 * i, blocks);
                const ulong8 odd = vload8(2 * i + 1, blocks);
                name_colours(even, odd, turn, key, i, colours);
                for (int colour = 0; colour < COLOURS; ++colour) {
                    colours[colour].part[i] &= live.part[i];
                }
            }
            play_turn(
                own_groups, group_count, rows, open, counts, own, other, colours, gains);
        }

        FOR_PARTS {
            uint16 larger, smaller;
            compare(owned, cells, more, i, &larger, &smaller);
            const uint16 wins = (first_mover ? smaller : larger) & asked.part[i];
            const uint16 losses = (first_mover ? larger : smaller) & asked.part[i];
            uint points[16];
            vstore16(
                BIT_COUNT_32(asked.part[i]) + BIT_COUNT_32(wins) - BIT_COUNT_32(losses), 0, points);
            for (int place = 0; place < 16; ++place) {
                const int seat = 16 * i + place;
                own_results[seat * SEAT_RESULTS] = points[place];
                own_results[seat * SEAT_RESULTS + 1] = stamp + (uint)(number * SEATS + seat);
            }
        }
    }
}
