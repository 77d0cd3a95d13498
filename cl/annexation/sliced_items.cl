// Bit-sliced random playouts on a processor: a work-item plays 512 x PARTS of them at a time, in vectors,
// without a barrier.
//
// The like of src/search/annexation/sliced.rs, whose lists of rows it is given: rows of one length,
// each the cell, its colour and its neighbours; first those whose cells have a neighbour of their
// own colour and wait until all others were looked at. Only rows that still matter are open: those to
// which the mover can come before the next look, until every playout in which the cell is unowned is
// decided.

#include "annexation/draws.clh"

// Vectors of 512 playouts that one reading of a row serves.
#ifndef PARTS
#define PARTS 2
#endif

// Moves of a player between two looks at the open rows, and the bands that it can cross meanwhile:
// MOVES_A_LOOK and BANDS_A_LOOK in src/search/annexation/rows.rs.
#ifndef MOVES_A_LOOK
#define MOVES_A_LOOK 8
#endif
#ifndef BANDS_A_LOOK
#define BANDS_A_LOOK 2
#endif

// Bits of a count of cells.
#ifndef LEVELS
#define LEVELS 17
#endif

// Numbers of a group of rows: whether it waits, a row's length, where its rows begin, how many they
// are, where its bands begin (the rows' numbers and the open rows too).
#define GROUP_WORDS 5
#define WAITS 0
#define LENGTH 1
#define ROWS 2
#define COUNT 3
#define BANDS 4

// Numbers before the neighbours in a row.
#define HEAD 2

// Numbers that a work-item writes: wins, losses, and a stamp when it has ended.
#define TALLY_WORDS 3

typedef struct {
    uint16 part[PARTS];
} lanes_t;

#define FOR_PARTS for (int i = 0; i < PARTS; ++i)

// Two draws' worth in 64 bits: multiplications of 32 by 32 bits, as vector units have them. Even and
// odd blocks are kept apart, so that joining them moves nothing.
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

// For each colour, which of the playouts from 32 x `block` on name it.
IN_CALLER void name_colours(ulong block, uint turn, uint2 key, lanes_t *colours)
{
    const ulong8 steps = (ulong8)(0, 2, 4, 6, 8, 10, 12, 14);
    FOR_PARTS {
        ulong8 even[3], odd[3];
        draw_alternate(block + 16 * i + steps, turn, key, even);
        draw_alternate(block + 16 * i + 1 + steps, turn, key, odd);
        const uint16 x = as_uint16(even[0] | odd[0] << 32);
        const uint16 y = as_uint16(even[1] | odd[1] << 32);
        const uint16 z = as_uint16(even[2] | odd[2] << 32);
        const uint16 low[4] = {~x & ~y, x & ~y, ~x & y, x & y};
        for (int colour = 0; colour < COLOURS; ++colour) {
            colours[colour].part[i] = low[colour & 3] & (colour & 4 ? z : ~z);
        }
    }
}

// What the cell of a row gains: the playouts that name its colour, in which the opponent does not own it
// and the mover owns a neighbour.
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

// A turn of one group's open rows: each cell gets its gain at once, or keeps it in `gains`.
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
    // Rows of most boards are as long as this: then the loop over a row is unrolled.
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

// Opens the rows that a player can come to before the next look. `reach`: the last band in which it owns
// a cell, and the last whose rows are open.
IN_CALLER void open_rows(
    __global const int *groups,
    const int group_count,
    __global const ushort *rows,
    __global const ushort *bands,
    __global const lanes_t *own,
    __global ushort *open,
    __global int *open_counts,
    int2 *reach)
{
    int farthest = reach->x;
    const int opened = reach->y;
    for (int g = 0; g < group_count; ++g) {
        __global const int *group = groups + g * GROUP_WORDS;
        __global const ushort *band = bands + group[BANDS];
        for (int row = 0; row < group[COUNT]; ++row) {
            if (band[row] > farthest && band[row] <= opened) {
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
    const int open_to = farthest + BANDS_A_LOOK;
    for (int g = 0; g < group_count; ++g) {
        __global const int *group = groups + g * GROUP_WORDS;
        __global const ushort *band = bands + group[BANDS];
        int count = open_counts[g];
        for (int row = 0; row < group[COUNT]; ++row) {
            if (band[row] > opened && band[row] <= open_to) {
                open[group[BANDS] + count++] = (ushort)row;
            }
        }
        open_counts[g] = count;
    }
    *reach = (int2)(farthest, open_to);
}

// Closes the rows whose cells are owned in every playout that is not decided; returns how many are left.
// A player without open rows has come to its end: bands are crossed one by one, and the next one is
// owned.
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

// Adds two bits to a sum in each lane and gives the carry.
#define ADD(sum, a, b, carry)                 \
    do {                                      \
        const uint16 bit_a = (a);             \
        const uint16 bit_b = (b);             \
        const uint16 one = (sum) ^ bit_a;     \
        carry = ((sum) & bit_a) | (one & bit_b); \
        sum = one ^ bit_b;                    \
    } while (0)

// Counts for each playout of a part the cells in which its bit is set, and `more` besides. Eight cells at a
// time are added to the lowest three levels, and only what they carry ripples on (Harley and Seal).
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

// For each playout whether its number is larger than `limit`.
IN_CALLER uint16 above(const uint16 *levels, const uint limit)
{
    uint16 larger = (uint16)(0u);
    for (int level = 0; level < LEVELS; ++level) {
        larger = limit >> level & 1u ? levels[level] & larger : levels[level] | larger;
    }
    return larger;
}

// Which of 16 x 32 playouts from number `begin` on are asked for.
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
    // Not by halves: oclgrind 21.10 calls the fourth number of the upper half uninitialised, though all
    // sixteen are set. It is done once for 512 playouts.
    return counts.s0 + counts.s1 + counts.s2 + counts.s3 + counts.s4 + counts.s5 + counts.s6 + counts.s7
        + counts.s8 + counts.s9 + counts.sa + counts.sb + counts.sc + counts.sd + counts.se + counts.sf;
}

// Playouts `first` to `end`, from number 32 x `block` on in groups of 512 x PARTS: work-item n plays
// every n-th. `state` has room for 2 x cells + waiting lanes of each work-item, `open` for its open
// rows of both players, `open_counts` for how many they are.
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
    const uint all_cells = (uint)cells + more.x + more.y;

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
                    FOR_PARTS {
                        uint16 of_first[LEVELS], of_second[LEVELS];
                        count_cells(owned, cells, i, more.x, of_first);
                        count_cells(owned + cells, cells, i, more.y, of_second);
                        const uint majority = all_cells / 2u;
                        // At least half each: of an odd number, both cannot have that.
                        const uint least = (all_cells + 1u) / 2u - 1u;
                        decided.part[i] |= above(of_first, majority)
                            | above(of_second, majority)
                            | (above(of_first, least) & above(of_second, least));
                    }
                }
                open_rows(
                    own_groups, group_count, rows, bands, own, open, counts, reach + mover);
                const int left = close_rows(
                    own_groups, group_count, rows, own, other, &decided, open, counts);
                over = left == 0 ? over | 1 << mover : over & ~(1 << mover);
            }

            lanes_t colours[COLOURS];
            name_colours(from / 32ul, turn, key, colours);
            int kept = 0;
            for (int g = 0; g < group_count; ++g) {
                __global const int *group = own_groups + g * GROUP_WORDS;
                look_at_group(
                    group, rows, open, counts[g], own, other, colours, gains + kept);
                kept += group[WAITS] ? counts[g] : 0;
            }
            kept = 0;
            for (int g = 0; g < group_count; ++g) {
                __global const int *group = own_groups + g * GROUP_WORDS;
                for (int place = 0; group[WAITS] && place < counts[g]; ++place) {
                    const int row = open[group[BANDS] + place];
                    __global lanes_t *cell = own + rows[group[ROWS] + row * group[LENGTH]];
                    FOR_PARTS cell->part[i] |= gains[kept].part[i];
                    ++kept;
                }
            }
        }

        FOR_PARTS {
            uint16 of_first[LEVELS], of_second[LEVELS];
            count_cells(owned, cells, i, more.x, of_first);
            count_cells(owned + cells, cells, i, more.y, of_second);
            uint16 larger = (uint16)(0u), smaller = (uint16)(0u);
            // The lowest level first: a higher one that differs overrules it.
            for (int level = 0; level < LEVELS; ++level) {
                const uint16 a = of_first[level], b = of_second[level];
                const uint16 equal = ~(a ^ b);
                larger = (a & ~b) | (larger & equal);
                smaller = (b & ~a) | (smaller & equal);
            }
            wins += count_bits(larger & asked.part[i]);
            losses += count_bits(smaller & asked.part[i]);
        }
    }
    tallies[item * TALLY_WORDS] = wins;
    tallies[item * TALLY_WORDS + 1] = losses;
    tallies[item * TALLY_WORDS + 2] = stamp + (uint)item;
}
