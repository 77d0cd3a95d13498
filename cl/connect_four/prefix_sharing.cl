// Evaluates move sets and minimax, with one work-item per prefix. Each work-item plays its prefix and walks the subtree
// below it once. It returns the sum of the utilities of its sets, and the minimax value.
//
// A work-group folds the results of prefixes that differ only in their last GROUP_PLIES plies. The host folds the
// groups' results. The walk below a prefix has LEFT plies, at least one. TWO and THREE are the values of runs of two
// and three stones.

#include "common/outcome.clh"
#include "connect_four/board.clh"

#ifndef LEFT
#define LEFT 4
#endif
#ifndef GROUP_PLIES
#define GROUP_PLIES 2
#endif
#ifndef TWO
#define TWO 10
#endif
#ifndef THREE
#define THREE 50
#endif

// The value of a win. The ply of the win is subtracted from it.
#define WIN 1000000

// Larger than the absolute value of any position.
#define INFINITE (1 << 30)

// Number of work-items per group: 7^GROUP_PLIES.
#if GROUP_PLIES == 3
#define GROUP 343
#else
#define GROUP 49
#endif

// Number of slots for the results of a group's prefixes and of all folds.
#define SLOTS ((GROUP * 7 - 1) / 6)

// Number of words that a group writes (`OUTCOME_WORDS` in the host code): sum (low word, high word), value, inner
// nodes, ends, last plies, an unused word, and the stamp.
#define OUTCOME_WORDS 8

// Numbers of positions entered: inner nodes, games that end before the last ply, and positions at the last ply.
typedef struct {
    uint inner, ends, last;
} counts_t;

// The results below a position, for the side to move: the sum of its sets' utilities, the number of sets that never
// play into a full column, and the minimax value.
typedef struct {
    long sum;
    int sets;
    int value;
} below_t;

// A board, from the point of view of its side to move.
typedef struct {
    ulong own;
    ulong stones;
    // The number of stones in each column, three bits each. They give a stone's row without a search for its bit.
    uint heights;
    // The static value, for the side to move.
    int value;
} board_t;

// Number of entries per column in the table of square values. The last two entries are unused.
#define SQUARES_STRIDE 8
#define SQUARES (COLUMNS * SQUARES_STRIDE)

#define IS_FULL(stones, column) (((stones) >> ((column) * STRIDE + ROWS - 1) & 1u) != 0)

// Returns how much a stone in a column with the given field increases the mover's value.
IN_CALLER int worth_in(
    const uint field, const uint heights, const int column, __local const int *squares) {
    const uint height = heights >> 3 * column & 7u;
    return squares[column * SQUARES_STRIDE + height] + (int)(field & 7u) * TWO
        + (int)(field >> 3 & 7u) * THREE;
}

// Returns the board after a stone is placed in a column. The column must have room, and the stone must not win.
IN_CALLER board_t play(
    const board_t board, const gains_t gains, const int column, const int worth) {
    board_t child;
    child.own = board.own ^ board.stones;
    child.stones = board.stones | drop_in(gains.drops, column);
    child.heights = board.heights + (1u << 3 * column);
    child.value = -(board.value + worth);
    return child;
}

#if LEFT == 1
// Evaluates the last ply in all seven columns together. `filled` is 0 if this ply fills the board, because only wins
// count then. Otherwise, it is all ones.
IN_CALLER below_t last_ply(
    const board_t board,
    const int ply,
    const int filled,
    __local const int *squares,
    counts_t *counts) {
    const gains_t gains = gains_of(board.own, board.stones);
    int sum = 0, sets = 0, value = -INFINITE;
#pragma unroll
    for (int column = 0; column < COLUMNS; ++column) {
        const uint field = field_of(gains.fields, column);
        const int open = !IS_FULL(board.stones, column);
        const int quiet =
            (board.value + worth_in(field, board.heights, column, squares)) & filled;
        const int child = field & FIELD_WINS ? WIN - ply - 1 : quiet;
        sum += open ? child : 0;
        sets += open;
        value = max(value, open ? child : -INFINITE);
    }
    counts->last += (uint)sets;
    below_t below;
    below.sum = sum;
    below.sets = sets;
    below.value = value;
    return below;
}
#else
// Evaluates the last two plies (49 positions) from two sets of bit planes. The gain of a reply depends on the replier's
// stones and on the reply's square. The preceding move changes neither, except in its own column, where the reply lands
// one square higher. Each column therefore has two gains: on the reply's square, and on the square above. After a move,
// all replies have the first gain, except the reply in the move's column.
IN_CALLER below_t last_two(
    const board_t board,
    const int ply,
    const int filled,
    __local const int *squares,
    counts_t *counts) {
    const gains_t gains = gains_of(board.own, board.stones);
    const planes_t planes = planes_of(board.own ^ board.stones);
    const ulong replies = fields_at(planes, gains.drops);
    const ulong higher = fields_at(planes, gains.drops << 1 & BOARD);
    const int win = WIN - ply - 1, lost = WIN - ply - 2;

    // The gains of replies that do not win, the two largest of these gains, and the number of replies of each kind.
    int brings[COLUMNS];
    int all = 0, quiet = 0, winning = 0, best = -INFINITE, second = -INFINITE;
#pragma unroll
    for (int column = 0; column < COLUMNS; ++column) {
        const uint field = field_of(replies, column);
        const int open = !IS_FULL(board.stones, column);
        const int wins = (field & FIELD_WINS) != 0;
        const int worth = worth_in(field, board.heights, column, squares);
        const int counts_here = open && !wins;
        brings[column] = counts_here ? worth : -INFINITE;
        all += counts_here ? worth : 0;
        quiet += counts_here;
        winning += open && wins;
        second = max(second, min(best, brings[column]));
        best = max(best, brings[column]);
    }

    int sum = 0, sets = 0, value = -INFINITE;
#pragma unroll
    for (int column = 0; column < COLUMNS; ++column) {
        const uint field = field_of(gains.fields, column);
        const uint above = field_of(higher, column);
        const int open = !IS_FULL(board.stones, column);
        const int room = open && ((board.heights >> 3 * column & 7u) + 1 < ROWS);
        const int wins_above = room && (above & FIELD_WINS) != 0;
        const int quiet_above = room && !wins_above;
        const int worth_above =
            worth_in(above, board.heights + (1u << 3 * column), column, squares);
        const int was_quiet = brings[column] > -INFINITE;

        // The value is from the replier's point of view.
        const int child = -(board.value + worth_in(field, board.heights, column, squares));
        const int brought =
            all - (was_quiet ? brings[column] : 0) + (quiet_above ? worth_above : 0);
        const int quiet_here = quiet - was_quiet + quiet_above;
        const int winning_here = winning - !was_quiet + wins_above;
        const int most =
            max(brings[column] == best ? second : best, quiet_above ? worth_above : -INFINITE);
        const int reply = winning_here > 0 ? lost : (child + most) & filled;
        const int replies_here = quiet_here + winning_here;
        const int below = ((quiet_here * child + brought) & filled) + winning_here * lost;

        const int wins = (field & FIELD_WINS) != 0;
        const int goes_on = open && !wins;
        const int ends = open && wins;
        sum += ends ? win * 7 : goes_on ? -child * replies_here - below : 0;
        sets += ends ? 7 : goes_on ? replies_here : 0;
        value = max(value, ends ? win : goes_on ? -reply : -INFINITE);
        counts->ends += (uint)ends;
        counts->inner += (uint)goes_on;
        counts->last += goes_on ? (uint)replies_here : 0u;
    }
    below_t found;
    found.sum = sum;
    found.sets = sets;
    found.value = value;
    return found;
}
#endif

// Walks `left` plies, at least three. It has only one call of the next shorter walk, so that its state stays in
// registers and the code is not duplicated with each ply. SETS is 7^(left - 1). SUM is int if the utilities of 7^left
// sets cannot overflow it. A utility is at most 250,000 per ply plus a win.
#define WALK(left, shorter, SETS, SUM)                                                              \
    IN_CALLER below_t walk_##left(                                                                  \
        const board_t board,                                                                        \
        const int ply,                                                                              \
        const int filled,                                                                           \
        __local const int *squares,                                                                 \
        counts_t *counts) {                                                                         \
        const gains_t gains = gains_of(board.own, board.stones);                                    \
        SUM sum = 0;                                                                                \
        int sets = 0, value = -INFINITE;                                                            \
        _Pragma("unroll 1") for (int column = 0; column < COLUMNS; ++column) {                      \
            if (IS_FULL(board.stones, column)) {                                                    \
                continue;                                                                           \
            }                                                                                       \
            const uint field = field_of(gains.fields, column);                                      \
            if ((field & FIELD_WINS) != 0) {                                                        \
                const int win = WIN - ply - 1;                                                      \
                sum += (SUM)win * SETS;                                                             \
                sets += SETS;                                                                       \
                value = max(value, win);                                                            \
                ++counts->ends;                                                                     \
                continue;                                                                           \
            }                                                                                       \
            const int worth = worth_in(field, board.heights, column, squares);                      \
            const board_t child = play(board, gains, column, worth);                                \
            const below_t below = shorter(child, ply + 1, filled, squares, counts);                 \
            sum -= (SUM)child.value * below.sets + (SUM)below.sum;                                  \
            sets += below.sets;                                                                     \
            value = max(value, -below.value);                                                       \
            ++counts->inner;                                                                        \
        }                                                                                           \
        below_t below;                                                                              \
        below.sum = sum;                                                                            \
        below.sets = sets;                                                                          \
        below.value = value;                                                                        \
        return below;                                                                               \
    }

#define walk_1 last_ply
#define walk_2 last_two
#if LEFT > 2
WALK(3, walk_2, 49, int)
#endif
#if LEFT > 3
WALK(4, walk_3, 343, long)
#endif
#if LEFT > 4
WALK(5, walk_4, 2401, long)
#endif
#if LEFT > 5
WALK(6, walk_5, 16807, long)
#endif
#if LEFT > 6
WALK(7, walk_6, 117649, long)
#endif
#define WALK_OF(left) walk_##left
#define WALK_ALL(left) WALK_OF(left)

// Folds the results of seven prefixes at a time into the result of a prefix that is one ply shorter. `from`: the first
// slot. max(value, -values[i]) would silently give wrong values with NVIDIA's driver 580.
#define FOLD(from, width)                                                                           \
    if (item < (width)) {                                                                           \
        const int first = (from) + 7 * item, to = (from) + 7 * (width) + item;                      \
        long sum = 0;                                                                               \
        int value = -INFINITE;                                                                      \
        for (int i = first; i < first + 7; ++i) {                                                   \
            sum += sums[i];                                                                         \
            value = values[i] < -value ? -values[i] : value;                                        \
        }                                                                                           \
        sums[to] = sum;                                                                             \
        values[to] = value == -INFINITE ? INFINITE : value;                                         \
    }

// Each work-item plays `prefix` plies (at least GROUP_PLIES) and then walks the subtree. `all_sets` is 7^LEFT.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void prefix_sharing(
    const ulong own,
    const ulong stones,
    const uint heights,
    const int root_value,
    const int prefix,
    const int filled,
    const int all_sets,
    const uint stamp,
    __global const int *restrict table,
    __global uint *outcomes,
    const uint first_group) {
    __local int squares[SQUARES];
    __local long sums[SLOTS];
    __local int values[SLOTS];
    __local uint totals[3];
    const int item = (int)get_local_id(0);
    for (int i = item; i < SQUARES; i += GROUP) {
        squares[i] = table[i];
    }
    if (item < 3) {
        totals[item] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    // The columns of the prefix, three bits each, with the first column in the lowest bits.
    uint rest = (first_group + (uint)get_group_id(0)) * GROUP + (uint)item;
    uint columns = 0;
    for (int ply = 0; ply < prefix; ++ply) {
        columns = columns << 3 | rest % COLUMNS;
        rest /= COLUMNS;
    }

    counts_t counts = {0, 0, 0};
    board_t board = {own, stones, heights, root_value};
    // The utility of the prefix for the side to move at the root.
    long path = 0, sum = 0;
    // A prefix that plays into a full column gets the worst value for its parent, so that the fold prefers other
    // prefixes.
    int value = INFINITE;
    // All work-items run the same number of iterations, because pocl 3.1 fails if `break` leaves a loop before a
    // barrier.
    int alive = 1;
    for (int ply = 0; ply < prefix; ++ply) {
        const int column = (int)(columns & 7u);
        columns >>= 3;
        alive = alive && !IS_FULL(board.stones, column);
        if (alive) {
            const gains_t gains = gains_of(board.own, board.stones);
            const uint field = field_of(gains.fields, column);
            const int wins = (field & FIELD_WINS) != 0;
            // Several prefixes share this position. Only the prefix whose later columns are all 0 counts it.
            counts.ends += columns == 0 && wins;
            counts.inner += columns == 0 && !wins;
            if (wins) {
                const int win = WIN - ply - 1;
                sum = (path + (ply & 1 ? -win : win)) * all_sets;
                value = (prefix - ply) & 1 ? -win : win;
                alive = 0;
            } else {
                const int worth = worth_in(field, board.heights, column, squares);
                board = play(board, gains, column, worth);
                path += ply & 1 ? board.value : -board.value;
            }
        }
    }
    if (alive) {
        const below_t below = WALK_ALL(LEFT)(board, prefix, filled, squares, &counts);
        sum = path * below.sets + (prefix & 1 ? -below.sum : below.sum);
        value = below.value;
    }

    sums[item] = sum;
    values[item] = value;
    atomic_add(&totals[0], counts.inner);
    atomic_add(&totals[1], counts.ends);
    atomic_add(&totals[2], counts.last);
    barrier(CLK_LOCAL_MEM_FENCE);
    FOLD(0, GROUP / 7)
    barrier(CLK_LOCAL_MEM_FENCE);
    FOLD(GROUP, GROUP / 49)
#if GROUP_PLIES == 3
    barrier(CLK_LOCAL_MEM_FENCE);
    FOLD(GROUP + GROUP / 7, 1)
#endif
    if (item == 0) {
        // This work-item wrote slot SLOTS - 1 itself, so no barrier is needed.
        __global uint *outcome = outcomes + get_group_id(0) * OUTCOME_WORDS;
        PUT_WIDE(outcome, 0, sums[SLOTS - 1]);
        outcome[2] = (uint)values[SLOTS - 1];
        outcome[3] = totals[0];
        outcome[4] = totals[1];
        outcome[5] = totals[2];
        PUT_STAMP(outcome, stamp, get_group_id(0));
    }
}
