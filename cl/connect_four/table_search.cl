// Null-window searches of one position to a fixed depth, by workers that share a tree and a table: Connect Four.
//
// Nodes with more than ALONE plies left are split (common/table_search.clh). One with ALONE is valued in one step:
// a work-item for each position two plies above the leaves, which values those together.
//
// A win is worth WIN less the stones on the board, so that a position has one value from whatever root; the host
// counts from its root.

#include "common/shared_tree.clh"
#include "connect_four/last_two.clh"

// Whether a board and its mirror image have the same value.
#ifndef MIRRORS
#define MIRRORS 1
#endif
// Plies left of a node that is valued in one step: 4 or 5.
#ifndef ALONE
#define ALONE 4
#endif
#ifndef KEPT
#define KEPT ALONE
#endif
#ifndef MARGIN
#define MARGIN 40
#endif
// Moves that a position may have, and one to spare.
#define MOST_MOVES 8
#define MOST_PLACES MOST_MOVES

// The columns in reverse order.
IN_CALLER ulong mirrored(ulong bits) {
    const ulong first = COLUMN;
    return (bits & first) << 42 | (bits & first << 7) << 28 | (bits & first << 14) << 14
        | (bits & first << 21) | (bits >> 14 & first << 14) | (bits >> 28 & first << 7) | (bits >> 42 & first);
}

// One key for a board and its mirror image.
IN_CALLER ulong key_of(ulong own, ulong other) {
    ulong key = own + (own | other) + BOTTOM;
#if MIRRORS
    key = min(key, mirrored(key));
#endif
    key *= 0x9e3779b97f4a7c15ul;
    key = (key ^ key >> 32) * 0xbb67ae8584caa73bul;
    return key ^ key >> 29;
}

// The host says what a finished game is worth.
IN_CALLER int final_value(ulong own, ulong other, int weight) {
    return weight;
}

// A step that values a node.
#define BELOW_ALL 1

// Where the board may be full four plies on, its nodes are split down to the leaves.
IN_CALLER int first_step(int left, ulong own, ulong other) {
    return left == ALONE && (int)popcount(own | other) + ALONE < COLUMNS * ROWS ? BELOW_ALL : SPLIT;
}

#include "common/table_search.clh"

#define WORTH int
#define GAME_PARAMETERS
#define GAME_ARGUMENTS

// Positions below each child that are valued by a work-item.
#define BELOW_CHILD (ALONE > 4 ? COLUMNS * COLUMNS : COLUMNS)

typedef struct {
    // Values of positions two plies above the leaves, from the mover at the node in hand, and positions below.
    int value[MOST_MOVES * BELOW_CHILD], below[MOST_MOVES * BELOW_CHILD];
    // The best of each reply's, the lowest of each child's, and its positions.
    int highest[MOST_MOVES * COLUMNS], lowest[MOST_MOVES], made[MOST_MOVES];
} alone_t;

IN_CALLER int child_count(const __local now_t *now) {
    return (int)popcount(now->moves);
}

IN_CALLER int made_by(const __local now_t *now, const __local alone_t *alone, int step, int count) {
    return count;
}

// The square of move number `m`.
IN_CALLER ulong drop_of(ulong moves, int m) {
    for (; m > 0; --m) {
        moves &= moves - 1;
    }
    return moves & -moves;
}

IN_CALLER uint column_of(ulong drop) {
    return (uint)LOWEST_BIT_64(drop) / STRIDE;
}

// A child of a node that is split: its score, where a look at it is enough; its moves that need a search.
IN_CALLER int look_at(ulong own, ulong stones, int plies, ulong *moves) {
    const ulong drops = drops_of(stones);
    const ulong threats = planes_of(own ^ stones).wins & drops;
    *moves = threats != 0 ? threats : drops;
    int score = UNKNOWN;
    if ((planes_of(own).wins & drops) != 0) {
        score = plies + 1 - WIN;
    } else if ((threats & (threats - 1)) != 0) {
        // One stone stops only one of them.
        score = WIN - plies - 2;
    }
    return score;
}

// The children of a node that is split.
IN_CALLER void make_children(
    const tree_t *tree, const __local now_t *now, __local children_t *children, __global const int *table, int count) {
    const ulong own = now->own, other = now->other, stones = own | other;
    const int left = now->depth, plies = (int)popcount(stones) + 1;
    const uint info = now->info;
    for (int m = (int)get_local_id(0); m < count; m += GROUP) {
        const ulong drop = drop_of(now->moves, m), mine = own | drop, after = stones | drop;
        int score = known_score(tree, other, mine, left, now->threshold, info, children, m);
        const uint move = column_of(drop), field = field_on(planes_of(own), drop);
        const int value = -(now->weight + worth_of(table, drop, field));
        ulong moves = drops_of(after);
        if ((field & FIELD_WINS) != 0) {
            score = WIN - plies;
        } else if (after == BOARD) {
            score = 0;
        } else if (left == 1) {
            score = -value;
        } else if (left > 2) {
            const int at_a_look = look_at(other, after, plies, &moves);
            score = at_a_look != UNKNOWN ? at_a_look : score;
        }
        children->own[m] = other;
        children->other[m] = mine;
        children->moves[m] = moves;
        children->weight[m] = value;
        children->value[m] = value;
        children->move[m] = (uchar)move;
        children->rank_by[m] = move == HINT_OF(info) ? m : (value - LOWEST) << 6 | m;
        children->known[m] = score;
    }
}

// The value of a position two plies above the leaves, from the mover at the node: after child `m`, a reply in the
// column `at % 7`, and where ALONE is 5 a stone in the next digit's. Where a column is full, that of no move.
IN_CALLER int value_below(
    __global const int *restrict table, const __local now_t *now, ulong drop, int at, int *below) {
    ulong own = now->own, other = now->other;
    int value = now->weight, plies = (int)popcount(own | other);
    bool mine = true;
    *below = 0;
#pragma unroll
    for (int ply = 0; ply < ALONE - 2; ++ply) {
        if (ply > 0) {
            drop = drop_in(drops_of(own | other), at % COLUMNS);
            at /= COLUMNS;
        }
        if (drop == 0) {
            return mine ? LOWEST : HIGHEST;
        }
        const uint field = field_on(planes_of(own), drop);
        plies += 1;
        *below += 1;
        if ((field & FIELD_WINS) != 0) {
            return mine ? WIN - plies : plies - WIN;
        }
        value = -(value + worth_of(table, drop, field));
        const ulong played = own | drop;
        own = other;
        other = played;
        mine = !mine;
    }
    int last = 0;
    value = last_two(table, own, other, value, plies, &last);
    *below += last - 1;
    return mine ? value : -value;
}

// What is two plies above the leaves of a node that has no move that wins at once.
IN_CALLER void make_below(
    const __local now_t *now, __local children_t *children, __local alone_t *alone, __global const int *table,
    int count) {
    for (int at = (int)get_local_id(0); at < count * BELOW_CHILD; at += GROUP) {
        const int m = at / BELOW_CHILD;
        const ulong drop = drop_of(now->moves, m);
        int below;
        alone->value[at] = value_below(table, now, drop, at % BELOW_CHILD, &below);
        alone->below[at] = below;
        children->move[m] = (uchar)column_of(drop);
    }
}

IN_CALLER void make(
    const tree_t *tree, __local now_t *now, __local children_t *children, __local alone_t *alone,
    __global const int *table, int step, int count, int total) {
    if (step == SPLIT) {
        make_children(tree, now, children, table, count);
    } else {
        make_below(now, children, alone, table, count);
    }
}

// The best stone after each reply.
IN_CALLER void order(
    const __local now_t *now, const __local children_t *children, __local alone_t *alone, int step, int count) {
    for (int at = (int)get_local_id(0); at < count * COLUMNS; at += GROUP) {
#if ALONE > 4
        const int first = at / COLUMNS * BELOW_CHILD + at % COLUMNS;
        int highest = LOWEST;
        for (int next = first; next < first + BELOW_CHILD; next += COLUMNS) {
            const int value = alone->value[next];
            highest = value > highest ? value : highest;
        }
        alone->highest[at] = highest;
#else
        alone->highest[at] = alone->value[at];
#endif
    }
}

// The best reply to each child.
IN_CALLER void close(
    const __local now_t *now, const __local children_t *children, __local alone_t *alone, int step, int count) {
    for (int m = (int)get_local_id(0); m < count; m += GROUP) {
        int lowest = HIGHEST, made = 0;
        for (int at = m * COLUMNS; at < (m + 1) * COLUMNS; ++at) {
            const int value = alone->highest[at];
            lowest = value < lowest ? value : lowest;
        }
        for (int at = m * BELOW_CHILD; at < (m + 1) * BELOW_CHILD; ++at) {
            made += alone->below[at];
        }
        alone->lowest[m] = lowest;
        alone->made[m] = made;
    }
}

// The node's value.
IN_CALLER void decide(
    hand_t *hand, __local now_t *now, __local children_t *children, __local alone_t *alone, int step, int count) {
    if (get_local_id(0) != 0) {
        return;
    }
    int best = LOWEST;
    uint move = NO_MOVE;
    for (int m = 0; m < count; ++m) {
        if (alone->lowest[m] > best) {
            best = alone->lowest[m];
            move = children->move[m];
        }
        hand->nodes += (uint)alone->made[m];
    }
    hand->have = true;
    hand->exact = true;
    hand->result = best;
    hand->best_move = move;
}

#include "common/table_search_kernel.clh"
