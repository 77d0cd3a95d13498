// A work-item a leaf of the upper part of the tree, which searches the lower part below it
// (Kawakami and Wang, section 5.2; Rocki and Suda 2010).
//
// The host expands all plies of the upper part but the last. What it sends is the parents of the
// leaves, each as the moves that lead to it; a work-item's place says which leaf of which parent is
// its own. So no leaf is ever stored, only its outcome.
//
// With one ply below a leaf the work is one evaluation for every square, with no bound to prune by.
// There three kernels share it: `parents` finds once a parent what a stone on each square changes,
// `last_ply` corrects that for each leaf where the leaf's last stone is in sight, and `fold` takes the
// leaves of a parent together, so that the host gets four words for some hundred leaves.

#include "common/outcome.clh"
#include "gomoku/item.clh"

// Work-items in a work-group.
#ifndef GROUP
#define GROUP 8
#endif

// Moves that lead to a parent.
#define BEFORE (PREFIX - 1)
// A parent's moves, 10 bits each, the first one lowest.
#define MOVE_OF(path, at) ((int)((path) >> 10 * (at) & 1023))

// Lays a parent's moves over the board; returns the balance of the side to move there.
IN_CALLER int go_to_parent(const root_t *root, overlay_t *over, uint path) {
    int balance = root->balance;
    lay_none(over);
#pragma unroll
    for (int at = 0; at < BEFORE; ++at) {
        const int x = COLUMN_OF(MOVE_OF(path, at)), y = ROW_OF(MOVE_OF(path, at));
        balance = -(balance + change_over(root->tables, root->board, over, x, y, at & 1));
        lay_stone(over, at, x, y);
    }
    return balance;
}

// Whether a square that is empty on the root's board is a move of the parent. On the empty board
// every square is.
IN_CALLER bool leads_to_leaf(const root_t *root, const overlay_t *over, uint entry) {
    const bool all = BEFORE == 0 && root->empty == SQUARES;
    return is_move(over, entry | (uint)all << 10);
}

#if PLIES > 1

// Along x the root's empty squares, rounded up to whole groups; along y the parents. Each leaf's
// outcome as in item.clh; no nodes where a square is no move of its parent.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void search_leaves(
    __global const int *restrict tables,
    __global const uint *restrict position,
    const int empty,
    const int balance,
    __global const uint *restrict paths,
    const uint stamp,
    __global uint *restrict outcomes) {
    const int child = (int)get_global_id(0), parent = (int)get_global_id(1);
    if (child >= empty) {
        return;
    }
    const root_t root = root_at(tables, position, empty, balance);
    overlay_t over;
    const int here = go_to_parent(&root, &over, paths[parent]);
    const uint entry = root.squares[child];
    found_t found = {0, 0, 0};
    if (leads_to_leaf(&root, &over, entry)) {
        const int x = COLUMN_OF(entry & 1023), y = ROW_OF(entry & 1023);
        found = search_after(&root, &over, here, x, y, LOWEST, -LOWEST);
    }
    const int leaf = parent * empty + child;
    __global uint *outcome = outcomes + leaf * SEARCHED_WORDS;
    PUT_SEARCHED(outcome, found.value, found.nodes, found.leaves, stamp, leaf);
}

#else

// Fours of squares in a row, the last one filled up.
#define FOURS ((SIDE + 3) / 4)
#define ROW_WORDS (4 * FOURS)
#define PLANE (SIDE * ROW_WORDS)

// What a stone changes at a parent, a number a square, row by row: one of the parent's mover, which
// makes the leaf; one of its opponent, which answers; and the latter without what it changes along
// each of the four lines. LOWEST in the first two where a square is no move. Then the balance.
#define MAKES 0
#define ANSWERS PLANE
#define OTHERWISE (2 * PLANE)
#define BALANCE (6 * PLANE)
#define PARENT_WORDS (BALANCE + 4)

// Along x the numbers of a plane, rounded up to whole groups; along y the parents.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void parents(
    __global const int *restrict tables,
    __global const uint *restrict position,
    const int empty,
    const int balance,
    __global const uint *restrict paths,
    __global int *restrict changes) {
    const int at = (int)get_global_id(0), parent = (int)get_global_id(1);
    if (at >= PLANE) {
        return;
    }
    const int x = at % ROW_WORDS, y = at / ROW_WORDS;
    const root_t root = root_at(tables, position, empty, balance);
    overlay_t over;
    const int here = go_to_parent(&root, &over, paths[parent]);
    __global int *found = changes + (size_t)parent * PARENT_WORDS;
    if (at == 0) {
        found[BALANCE] = here;
    }
    int makes = LOWEST, answers = LOWEST;
    if (x < SIDE && is_empty(root.board, x, y)) {
        int along[4];
        int made = 0, answered = 0;
#pragma unroll
        for (int direction = 0; direction < 4; ++direction) {
            const lines_t lines = overlaid(root.board, &over, x, y, direction);
            const int place = place_on(x, y, direction);
            made += change_along(tables, lines, place, BEFORE & 1);
            along[direction] = change_along(tables, lines, place, PREFIX & 1);
            answered += along[direction];
        }
#pragma unroll
        for (int direction = 0; direction < 4; ++direction) {
            found[OTHERWISE + direction * PLANE + at] = answered - along[direction];
        }
        const uint entry = (uint)SQUARE(x, y) | has_neighbour(root.board, x, y) << 10;
        makes = leads_to_leaf(&root, &over, entry) ? made : LOWEST;
        // An answer to the first stone of all lies beside it: best_answer sees to that.
        answers = is_move(&over, entry) ? answered : LOWEST;
    }
    found[MAKES + at] = makes;
    found[ANSWERS + at] = answers;
}

// The squares of a row that see a stone in column x of the row `up` rows away, within a window:
// the whole window in its own row, else straight and along both diagonals.
IN_CALLER uint in_sight(int x, int up) {
    const int away = up < 0 ? -up : up;
    if (away > REACH) {
        return 0u;
    }
    const uint three = 1u << REACH | 1u << (REACH - away) | 1u << (REACH + away);
    const uint seen = away == 0 ? (1u << (2 * REACH + 1)) - 1 : three;
    return (uint)((ulong)seen << x >> REACH);
}

// A leaf's outcome in a word: the highest bit, to tell that it was written; how many moves the leaf
// has, none where it is decided, in ten bits; its value plus WIN in 21, all of them set where the
// square is no move of the parent.
#define WRITTEN (1u << 31)
#define VALUE_BITS 21
#define NO_LEAF (WRITTEN | ((1u << VALUE_BITS) - 1))

// The best answer to the leaf's stone on (x, y), and how many there are.
IN_CALLER int2 best_answer(
    const root_t *root,
    const overlay_t *over,
    __global const int *restrict changes,
    int x,
    int y) {
    // Wherever the stone is out of sight, the parent's numbers hold.
    __global const int4 *fours = (__global const int4 *)(changes + ANSWERS);
    int4 bests = (int4)(LOWEST);
    int4 counts = (int4)(0);
    for (int row = 0; row < SIDE; ++row) {
        const uint hidden = in_sight(x, row - y);
#pragma unroll
        for (int four = 0; four < FOURS; ++four) {
            // Each component's highest bit selects.
            const uint bits = hidden >> (4 * four);
            const int4 here = as_int4((uint4)(bits << 31, bits << 30, bits << 29, bits << 28));
            const int4 seen = select(fours[row * FOURS + four], (int4)(LOWEST), here);
            bests = max(bests, seen);
            if (ADJACENT) {
                counts -= seen != (int4)(LOWEST);
            }
        }
    }
    int best = max(max(bests.x, bests.y), max(bests.z, bests.w));
    int count = counts.x + counts.y + counts.z + counts.w;
    // In sight of it, one of the four lines is looked up again.
#pragma unroll
    for (int direction = 0; direction < 4; ++direction) {
        const lines_t lines = overlaid(root->board, over, x, y, direction);
        const line_t taken = lines.x | lines.y;
        const int place = place_on(x, y, direction);
        const int dx = direction != 1, dy = direction == 0 ? 0 : direction == 3 ? -1 : 1;
        for (int away = -REACH; away <= REACH; ++away) {
            if (taken >> (place + away + REACH) & 1) {
                continue;
            }
            const int at = (y + away * dy) * ROW_WORDS + x + away * dx;
            if (ADJACENT && away * away > 1 && changes[ANSWERS + at] == LOWEST) {
                continue;
            }
            const int change = changes[OTHERWISE + direction * PLANE + at]
                + change_along(root->tables, lines, place + away, PREFIX & 1);
            best = max(best, change);
            count += 1;
        }
    }
    return (int2)(best, ADJACENT ? count : root->empty - PREFIX);
}

// Along x the root's empty squares, rounded up to whole groups; along y the parents.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void last_ply(
    __global const int *restrict tables,
    __global const uint *restrict position,
    const int empty,
    const int balance,
    __global const uint *restrict paths,
    __global const int *restrict changes,
    __global uint *restrict outcomes) {
    const int child = (int)get_global_id(0), parent = (int)get_global_id(1);
    if (child >= empty) {
        return;
    }
    const root_t root = root_at(tables, position, empty, balance);
    __global const int *found = changes + (size_t)parent * PARENT_WORDS;
    const uint entry = root.squares[child];
    const int x = COLUMN_OF(entry & 1023), y = ROW_OF(entry & 1023);
    const int made = found[MAKES + y * ROW_WORDS + x];
    uint outcome = NO_LEAF;
    if (made != LOWEST) {
        const int here = found[BALANCE];
        const bool last = empty == PREFIX;
        int value = -value_by(here, made, PREFIX, last);
        int count = 0;
        if (!last && !IS_FIVE(made)) {
            overlay_t over;
            lay_none(&over);
#pragma unroll
            for (int at = 0; at < BEFORE; ++at) {
                const int move = MOVE_OF(paths[parent], at);
                lay_stone(&over, at, COLUMN_OF(move), ROW_OF(move));
            }
            lay_stone(&over, BEFORE, x, y);
            const int2 best = best_answer(&root, &over, found, x, y);
            value = value_by(-(here + made), best.x, PREFIX + 1, empty == PREFIX + 1);
            count = best.y;
        }
        outcome = WRITTEN | (uint)count << VALUE_BITS | (uint)(value + WIN);
    }
    outcomes[(size_t)parent * empty + child] = outcome;
}

// Words of a parent: the least of its leaves' values, plus WIN, with the first leaf that has it in the
// lowest ten bits; nodes; leaves; whether every leaf was written.
#define PLACE_BITS 10

// A work-group a parent. A count of a parent is below 2^20.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void fold(
    const int empty, __global const uint *restrict outcomes, __global uint4 *restrict folded) {
    __local uint4 partial[GROUP];
    LOCAL_ID_KIND item = (int)get_local_id(0);
    const int parent = (int)get_group_id(0);
    __global const uint *of_parent = outcomes + (size_t)parent * empty;
    const uint none = (1u << VALUE_BITS) - 1;
    uint4 found = (uint4)(none << PLACE_BITS, 0u, 0u, 1u);
    for (int child = item; child < empty; child += GROUP) {
        const uint outcome = of_parent[child];
        const uint value = outcome & none;
        const uint moves = (outcome & ~WRITTEN) >> VALUE_BITS;
        const uint is_leaf = value != none ? 1u : 0u;
        found.x = min(found.x, value << PLACE_BITS | (uint)child);
        found.y += is_leaf + moves;
        found.z += moves != 0u ? moves : is_leaf;
        found.w &= outcome >> 31;
    }
    partial[item] = found;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0) {
        for (int i = 1; i < GROUP; ++i) {
            const uint4 other = partial[i];
            found.x = min(found.x, other.x);
            found.yz += other.yz;
            found.w &= other.w;
        }
        folded[parent] = found;
    }
}

#endif
