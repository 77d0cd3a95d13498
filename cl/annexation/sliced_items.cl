// Plays bit-sliced random playouts on a CPU. Each work-item plays 16 x PARTS seats of 32 playouts at a time, in vectors
// and without barriers.
//
// This is the counterpart of src/search/annexation/sliced.rs, with the same rows. A row lists a cell, its colour and
// its neighbours. Rows are grouped by length. The first groups contain at least one cell of each pair of neighbours
// with the same colour. The gains of these cells wait until all other rows have been read. A row is read only if it is
// open: the mover may reach it before the open rows are updated, and its cell has no owner in some undecided playout.

#include "annexation/seats.clh"

// Number of vectors of 512 playouts that a work-item processes each time it reads a row.
#ifndef PARTS
#define PARTS 2
#endif

// Number of moves of a player between two updates of the open rows, and number of bands that the player can cross in
// these moves (MOVES_A_LOOK and BANDS_A_LOOK in src/search/annexation/rows.rs).
#ifndef MOVES_A_LOOK
#define MOVES_A_LOOK 8
#endif
#ifndef BANDS_A_LOOK
#define BANDS_A_LOOK 2
#endif

// Number of bits in a cell count.
#ifndef LEVELS
#define LEVELS 17
#endif

// Numbers that describe a group of rows: whether its gains wait, the length of its rows, the index of its first row,
// the number of rows, and the index of its bands. The last index is also where its list of open rows starts.
#define GROUP_WORDS 5
#define WAITS 0
#define LENGTH 1
#define ROWS 2
#define COUNT 3
#define BANDS 4

// Number of entries in a row before its neighbours.
#define HEAD 2

typedef struct {
    uint16 part[PARTS];
} lanes_t;

#define FOR_PARTS for (int i = 0; i < PARTS; ++i)

// Computes the draws of eight blocks in 64-bit lanes, because vector units produce 64-bit products of 32-bit numbers.
// The caller keeps even and odd blocks in separate vectors, so that it can join the results without moving lanes.
#define LOW 0xfffffffful
IN_CALLER void draw_alternate(ulong8 block, uint turn, uint2 key, ulong8 *words)
{
    ulong8 x0 = block & LOW;
    ulong8 x1 = block >> 32;
    ulong8 x2 = (ulong8)((ulong)turn);
    ulong8 x3 = (ulong8)(0ul);
    for (int round = 0; round < BLOCK_ROUNDS; ++round) {
        const ulong8 first = (x0 & LOW) * (ulong8)((ulong)PHILOX_4_0);
        const ulong8 second = (x2 & LOW) * (ulong8)((ulong)PHILOX_4_1);
        x0 = (second >> 32) ^ x1 ^ (ulong)key.x;
        x1 = second & LOW;
        x2 = (first >> 32) ^ x3 ^ (ulong)key.y;
        x3 = first & LOW;
        key += (uint2)(PHILOX_WEYL_0, PHILOX_WEYL_1);
    }
    words[0] = x0;
    words[1] = x1;
    words[2] = x2;
}

// Finds the playouts of a part that name each colour. `even`, `odd`: the numbers of the part's blocks of 32 playouts.
IN_CALLER void name_colours(
    const ulong8 even, const ulong8 odd, const uint turn, const uint2 key, const int part, lanes_t *colours)
{
    ulong8 of_even[3], of_odd[3];
    draw_alternate(even, turn, key, of_even);
    draw_alternate(odd, turn, key, of_odd);
    const uint16 x = as_uint16(of_even[0] | of_odd[0] << 32);
    const uint16 y = as_uint16(of_even[1] | of_odd[1] << 32);
    const uint16 z = as_uint16(of_even[2] | of_odd[2] << 32);
    const uint16 low[4] = {~x & ~y, x & ~y, ~x & y, x & y};
    for (int colour = 0; colour < COLOURS; ++colour) {
        colours[colour].part[part] = low[colour & 3] & (colour & 4 ? z : ~z);
    }
}

// Returns the playouts in which the mover gains a row's cell: its colour is named, the opponent does not own it, and
// the mover owns a neighbour.
IN_CALLER lanes_t gain_of(
    __global const ushort *row,
    const int length,
    __global const lanes_t *own,
    __global const lanes_t *other,
    const lanes_t *colours)
{
    lanes_t reached = own[row[HEAD]];
#pragma unroll
    for (int place = HEAD + 1; place < length; ++place) {
        __global const lanes_t *neighbour = own + row[place];
        FOR_PARTS reached.part[i] |= neighbour->part[i];
    }
    const lanes_t *named = colours + row[1];
    __global const lanes_t *taken = other + row[0];
    FOR_PARTS reached.part[i] &= named->part[i] & ~taken->part[i];
    return reached;
}

// Plays a turn in the open rows of a group. If `waits` is set, only stores the cells' gains in `gains`.
IN_CALLER void look_at_rows(
    __global const ushort *rows,
    const int length,
    const int waits,
    __global const ushort *open,
    const int count,
    __global lanes_t *own,
    __global const lanes_t *other,
    const lanes_t *colours,
    __global lanes_t *gains)
{
    for (int place = 0; place < count; ++place) {
        __global const ushort *row = rows + (int)open[place] * length;
        const lanes_t gained = gain_of(row, length, own, other, colours);
        if (waits) {
            gains[place] = gained;
        } else {
            __global lanes_t *cell = own + row[0];
            FOR_PARTS cell->part[i] |= gained.part[i];
        }
    }
}

IN_CALLER void look_at_group(
    __global const int *group,
    __global const ushort *rows,
    __global const ushort *open,
    const int count,
    __global lanes_t *own,
    __global const lanes_t *other,
    const lanes_t *colours,
    __global lanes_t *gains)
{
    rows += group[ROWS];
    open += group[BANDS];
    const int waits = group[WAITS];
    // The row lengths of most boards have their own cases, so that compilers unroll the loop over a row.
    switch (group[LENGTH]) {
    case 8:
        if (waits) {
            look_at_rows(rows, 8, 1, open, count, own, other, colours, gains);
        } else {
            look_at_rows(rows, 8, 0, open, count, own, other, colours, gains);
        }
        break;
    case 10:
        look_at_rows(rows, 10, waits, open, count, own, other, colours, gains);
        break;
    case 14:
        look_at_rows(rows, 14, waits, open, count, own, other, colours, gains);
        break;
    default:
        look_at_rows(rows, group[LENGTH], waits, open, count, own, other, colours, gains);
    }
}

// Opens the rows up to `ahead` bands beyond the outermost band in which the player owns a cell. `reach`: that band as
// of the last update, and the outermost band with open rows. The player owns no cell beyond band `until`.
IN_CALLER void open_rows(
    __global const int *groups,
    const int group_count,
    __global const ushort *rows,
    __global const ushort *bands,
    __global const lanes_t *own,
    __global ushort *open,
    __global int *open_counts,
    int2 *reach,
    const int until,
    const int ahead)
{
    int farthest = reach->x;
    for (int g = 0; g < group_count; ++g) {
        __global const int *group = groups + g * GROUP_WORDS;
        __global const ushort *band = bands + group[BANDS];
        for (int row = 0; row < group[COUNT]; ++row) {
            if (band[row] > farthest && band[row] <= until) {
                __global const lanes_t *cell = own + rows[group[ROWS] + row * group[LENGTH]];
                uint16 some = cell->part[0];
                for (int i = 1; i < PARTS; ++i) {
                    some |= cell->part[i];
                }
                if (any(some != 0u)) {
                    farthest = band[row];
                }
            }
        }
    }
    const int open_to = farthest + ahead;
    for (int g = 0; g < group_count; ++g) {
        __global const int *group = groups + g * GROUP_WORDS;
        __global const ushort *band = bands + group[BANDS];
        int count = open_counts[g];
        for (int row = 0; row < group[COUNT]; ++row) {
            if (band[row] > reach->y && band[row] <= open_to) {
                open[group[BANDS] + count++] = (ushort)row;
            }
        }
        open_counts[g] = count;
    }
    *reach = (int2)(farthest, open_to);
}

// Closes the rows whose cells are owned in every undecided playout. Returns the number of open rows left. A player
// without open rows can gain no more cells: it must cross the bands in order, and the next band is fully owned.
IN_CALLER int close_rows(
    __global const int *groups,
    const int group_count,
    __global const ushort *rows,
    __global const lanes_t *own,
    __global const lanes_t *other,
    const lanes_t *decided,
    __global ushort *open,
    __global int *open_counts)
{
    int left = 0;
    for (int g = 0; g < group_count; ++g) {
        __global const int *group = groups + g * GROUP_WORDS;
        __global ushort *list = open + group[BANDS];
        int kept = 0;
        for (int place = 0; place < open_counts[g]; ++place) {
            const ushort row = list[place];
            const int cell = rows[group[ROWS] + (int)row * group[LENGTH]];
            uint16 all_set = (uint16)(~0u);
            FOR_PARTS all_set &= own[cell].part[i] | other[cell].part[i] | decided->part[i];
            list[kept] = row;
            kept += any(all_set != ~0u) ? 1 : 0;
        }
        open_counts[g] = kept;
        left += kept;
    }
    return left;
}

// Adds two bits to a sum in each lane and sets the carry (a full adder).
#define ADD(sum, a, b, carry)                 \
    do {                                      \
        const uint16 bit_a = (a);             \
        const uint16 bit_b = (b);             \
        const uint16 one = (sum) ^ bit_a;     \
        carry = ((sum) & bit_a) | (one & bit_b); \
        sum = one ^ bit_b;                    \
    } while (0)

// Counts the cells whose bit is set, for each playout of a part, and adds `more`. Level k has bit k of each count. Adds
// eight cells at a time to the lowest three levels, so that the others take one carry per eight cells (Harley, Seal).
IN_CALLER void count_cells(
    __global const lanes_t *own,
    const int cells,
    const int part,
    const uint more,
    uint16 *levels)
{
    for (int level = 0; level < LEVELS; ++level) {
        levels[level] = (uint16)(more >> level & 1u ? ~0u : 0u);
    }
    uint16 ones = levels[0], twos = levels[1], fours = levels[2];
    int used = 3;
    while (used < LEVELS && ((uint)cells + more) >> used != 0u) {
        ++used;
    }
    uint16 two_a, two_b, four_a, four_b, carry;
    int cell = 0;
    for (; cell + 8 <= cells; cell += 8) {
        __global const lanes_t *at = own + cell;
        ADD(ones, at[0].part[part], at[1].part[part], two_a);
        ADD(ones, at[2].part[part], at[3].part[part], two_b);
        ADD(twos, two_a, two_b, four_a);
        ADD(ones, at[4].part[part], at[5].part[part], two_a);
        ADD(ones, at[6].part[part], at[7].part[part], two_b);
        ADD(twos, two_a, two_b, four_b);
        ADD(fours, four_a, four_b, carry);
        for (int level = 3; level < used; ++level) {
            const uint16 next = levels[level] & carry;
            levels[level] ^= carry;
            carry = next;
        }
    }
    for (; cell < cells; ++cell) {
        const uint16 nothing = (uint16)(0u);
        ADD(ones, own[cell].part[part], nothing, two_a);
        ADD(twos, two_a, nothing, four_a);
        ADD(fours, four_a, nothing, carry);
        for (int level = 3; level < used; ++level) {
            const uint16 next = levels[level] & carry;
            levels[level] ^= carry;
            carry = next;
        }
    }
    levels[0] = ones;
    levels[1] = twos;
    levels[2] = fours;
}

// Returns a mask of the playouts whose count exceeds `limit`.
IN_CALLER uint16 above(const uint16 *levels, const uint limit)
{
    uint16 larger = (uint16)(0u);
    for (int level = 0; level < LEVELS; ++level) {
        larger = limit >> level & 1u ? levels[level] & larger : levels[level] | larger;
    }
    return larger;
}

// Plays a turn in one player's open rows. `gains` has space for the gains of all rows that wait.
IN_CALLER void play_turn(
    __global const int *groups,
    const int group_count,
    __global const ushort *rows,
    __global const ushort *open,
    __global const int *open_counts,
    __global lanes_t *own,
    __global const lanes_t *other,
    const lanes_t *colours,
    __global lanes_t *gains)
{
    int kept = 0;
    for (int g = 0; g < group_count; ++g) {
        __global const int *group = groups + g * GROUP_WORDS;
        look_at_group(group, rows, open, open_counts[g], own, other, colours, gains + kept);
        kept += group[WAITS] ? open_counts[g] : 0;
    }
    kept = 0;
    for (int g = 0; g < group_count; ++g) {
        __global const int *group = groups + g * GROUP_WORDS;
        for (int place = 0; group[WAITS] && place < open_counts[g]; ++place) {
            const int row = open[group[BANDS] + place];
            __global lanes_t *cell = own + rows[group[ROWS] + row * group[LENGTH]];
            FOR_PARTS cell->part[i] |= gains[kept].part[i];
            ++kept;
        }
    }
}

// Adds to `decided` the playouts in which one player has more than half of the cells, or both have exactly half.
// `more`: number of additional cells that each start stands for.
IN_CALLER void decide(
    __global const lanes_t *owned, const int cells, const uint2 more, lanes_t *decided)
{
    const uint all_cells = (uint)cells + more.x + more.y;
    const uint majority = all_cells / 2u;
    // Both players can exceed this only if each has exactly half of the cells. With an odd total, this is impossible.
    const uint least = (all_cells + 1u) / 2u - 1u;
    FOR_PARTS {
        uint16 of_first[LEVELS], of_second[LEVELS];
        count_cells(owned, cells, i, more.x, of_first);
        count_cells(owned + cells, cells, i, more.y, of_second);
        decided->part[i] |= above(of_first, majority) | above(of_second, majority)
            | (above(of_first, least) & above(of_second, least));
    }
}

// Finds the playouts of a part in which player 1 has more cells than player 2, and the playouts in which it has fewer.
IN_CALLER void compare(
    __global const lanes_t *owned,
    const int cells,
    const uint2 more,
    const int part,
    uint16 *larger,
    uint16 *smaller)
{
    uint16 of_first[LEVELS], of_second[LEVELS];
    count_cells(owned, cells, part, more.x, of_first);
    count_cells(owned + cells, cells, part, more.y, of_second);
    *larger = *smaller = (uint16)(0u);
    // Go from the lowest level up, because a difference at a higher level overrides lower levels.
    for (int level = 0; level < LEVELS; ++level) {
        const uint16 a = of_first[level], b = of_second[level];
        const uint16 equal = ~(a ^ b);
        *larger = (a & ~b) | (*larger & equal);
        *smaller = (b & ~a) | (*smaller & equal);
    }
}

#define SEATS (16 * PARTS)

// For each cell that a player owns at the seat's leaf, sets the bits of the seat's requested playouts.
IN_CALLER void take_seat(
    __global const uint *bits, const int bit_words, const uint asked, __global uint *lanes)
{
    for (int word = 0; word < bit_words; ++word) {
        for (uint left = bits[word]; left != 0u; left &= left - 1u) {
            lanes[(32 * word + LOWEST_BIT_32(left)) * SEATS] |= asked;
        }
    }
}

// Plays the seats of playouts `first` to `end` in batches of 16 x PARTS seats. The first seat has number `first` / 32.
// Work-items take batches round-robin. Each work-item has space for 2 x `cells` + `waiting` lanes in `state`, for the
// open rows of both players in `open`, and for the numbers of open rows in `open_counts`. `more`: number of additional
// cells that each start stands for.
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void sliced_items(
    __global const ushort *rows,
    __global const ushort *bands,
    __global ushort *open,
    __global const int *groups,
    __global lanes_t *state,
    __global int *open_counts,
    const int2 group_counts,
    const int row_count,
    const int cells,
    const int waiting,
    const uint2 more,
    const uint2 key,
    const uint header,
    __global const uint *leaves,
    const int bit_words,
    __global const uint4 *seats,
    const ulong first,
    const ulong end,
    const uint stamp,
    __global uint *results)
{
    const int item = (int)get_global_id(0);
    const int all_groups = group_counts.x + group_counts.y;
    const size_t leaf_words = 1 + 2 * bit_words;
    __global lanes_t *owned = state + (long)item * (2 * cells + waiting);
    __global lanes_t *gains = owned + 2 * cells;
    open += (long)item * row_count;
    open_counts += item * all_groups;

    uint all_wins = 0u, all_losses = 0u;
    for (ulong from = first / 32ul + (ulong)item * SEATS; from * 32ul < end;
         from += (ulong)SEATS * get_global_size(0)) {
        for (int cell = 0; cell < 2 * cells; ++cell) {
            FOR_PARTS owned[cell].part[i] = (uint16)(0u);
        }
        uint asked_words[SEATS], turns_left[SEATS];
        ulong blocks[SEATS];
        int first_mover = 0;
        uint fewest = ~0u, most = 0u;
        for (int place = 0; place < SEATS; ++place) {
            const uint4 seat = seat_at(seats, from + (ulong)place, first, end);
            __global const uint *leaf = leaves + SEAT_LEAF(seat) * leaf_words;
            asked_words[place] = SEAT_ASKED(seat);
            // Put even seats first, as name_colours() requires.
            blocks[place / 16 * 16 + place % 2 * 8 + place % 16 / 2] = SEAT_BLOCK(seat);
            first_mover = LEAF_MOVER(HEADER_OF(leaf));
            turns_left[place] = LEAF_TURNS(HEADER_OF(leaf));
            fewest = min(fewest, turns_left[place]);
            most = max(most, turns_left[place]);
            __global uint *lanes = (__global uint *)owned + place;
            take_seat(leaf + 1, bit_words, asked_words[place], lanes);
            take_seat(leaf + 1 + bit_words, bit_words, asked_words[place], lanes + cells * SEATS);
        }
        lanes_t asked, decided;
        FOR_PARTS {
            asked.part[i] = vload16(i, asked_words);
            decided.part[i] = ~asked.part[i];
        }
        for (int group = 0; group < all_groups; ++group) {
            open_counts[group] = 0;
        }
        int2 reach[2] = {(int2)(0), (int2)(0)};
        int over = 0;

        // Turns -2 and -1 open the rows near the cells that the players already own.
        for (int turn = -2; turn < (int)most && over != 3; ++turn) {
            const int mover = (first_mover + turn) & 1;
            __global lanes_t *own = owned + mover * cells;
            __global const lanes_t *other = owned + (1 - mover) * cells;
            __global const int *own_groups = groups + (mover ? group_counts.x * GROUP_WORDS : 0);
            __global int *counts = open_counts + (mover ? group_counts.x : 0);
            const int group_count = mover ? group_counts.y : group_counts.x;
            if (turn < 0) {
                open_rows(
                    own_groups, group_count, rows, bands, own, open, counts, reach + mover, 65535, 0);
                continue;
            }

            lanes_t colours[COLOURS];
            FOR_PARTS {
                const ulong8 even = vload8(2 * i, blocks);
                const ulong8 odd = vload8(2 * i + 1, blocks);
                name_colours(even, odd, (uint)turn, key, i, colours);
            }
            if ((uint)turn >= fewest) {
                // Playouts past their last turn name no colour.
                uint live[SEATS];
                for (int place = 0; place < SEATS; ++place) {
                    live[place] = (uint)turn < turns_left[place] ? asked_words[place] : 0u;
                }
                FOR_PARTS {
                    decided.part[i] |= ~vload16(i, live);
                    for (int colour = 0; colour < COLOURS; ++colour) {
                        colours[colour].part[i] &= vload16(i, live);
                    }
                }
            }
            if (turn / 2 % MOVES_A_LOOK == 0) {
                if (turn % 2 == 0) {
                    decide(owned, cells, more, &decided);
                }
                open_rows(
                    own_groups,
                    group_count,
                    rows,
                    bands,
                    own,
                    open,
                    counts,
                    reach + mover,
                    reach[mover].y,
                    BANDS_A_LOOK);
                const int left = close_rows(
                    own_groups, group_count, rows, own, other, &decided, open, counts);
                over = left == 0 ? over | 1 << mover : over & ~(1 << mover);
            }
            play_turn(
                own_groups, group_count, rows, open, counts, own, other, colours, gains);
        }

        FOR_PARTS {
            uint16 larger, smaller;
            compare(owned, cells, more, i, &larger, &smaller);
            uint wins[16], losses[16];
            vstore16(BIT_COUNT_32((first_mover ? smaller : larger) & asked.part[i]), 0, wins);
            vstore16(BIT_COUNT_32((first_mover ? larger : smaller) & asked.part[i]), 0, losses);
            for (int place = 0; place < 16; ++place) {
#if LEAVES
                const uint seat = (uint)from + 16u * i + place;
                __global uint *result = results + (size_t)seat * RESULT_WORDS;
                result[0] = BIT_COUNT_32(asked_words[16 * i + place]) + wins[place] - losses[place];
                result[1] = stamp + seat;
#else
                all_wins += wins[place];
                all_losses += losses[place];
#endif
            }
        }
    }
#if !LEAVES
    results[item * RESULT_WORDS] = all_wins;
    results[item * RESULT_WORDS + 1] = all_losses;
    results[item * RESULT_WORDS + 2] = stamp + (uint)item;
#endif
}
