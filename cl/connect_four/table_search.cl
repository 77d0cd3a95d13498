// Runs null-window searches of a Connect Four position to a fixed depth. The workers share a tree and a table.
//
// Nodes with more than ALONE plies left are split (common/table_search.clh). A node with ALONE plies left is searched
// by one worker:
// - PLAN creates the node's children and all replies to them, and sorts both.
// - TRY evaluates several replies at once, each with seven work-items. Each work-item plays a stone after the reply and
//   evaluates the last two plies. If a cutoff is expected, TRY starts with all replies to the best child. Otherwise, it
//   starts with the best reply to each child, which refutes most children.
//
// A win is worth WIN minus the number of stones, regardless of the root. The host converts this to plies from its root.

#include "common/shared_tree.clh"
#include "connect_four/last_two.clh"

// With 1, a board and its mirror image have the same value and share a table entry.
#ifndef MIRRORS
#define MIRRORS 1
#endif
// Remaining depth of a node that one worker searches: a stone, a reply, another stone, and the last two plies.
#define ALONE 5
#ifndef MIN_TABLE_DEPTH
#define MIN_TABLE_DEPTH ALONE
#endif
#ifndef MARGIN
#define MARGIN 80
#endif
#ifndef AT_ONCE
#define AT_ONCE(idle, workers) ((idle) * 2u > (workers) ? 1u : 0u)
#endif
// Maximum number of moves in a position, plus one.
#define MOST_MOVES 8
#define MOST_PLACES MOST_MOVES

// Returns a board with its columns in reverse order.
IN_CALLER ulong mirrored(ulong bits) {
    const ulong first = COLUMN;
    return (bits & first) << 42 | (bits & first << 7) << 28 | (bits & first << 14) << 14
        | (bits & first << 21) | (bits >> 14 & first << 14) | (bits >> 28 & first << 7) | (bits >> 42 & first);
}

// Returns the key of a board. With MIRRORS, its mirror image has the same key.
IN_CALLER ulong key_of(ulong own, ulong other) {
    ulong key = own + (own | other) + BOTTOM;
#if MIRRORS
    key = min(key, mirrored(key));
#endif
    key *= 0x9e3779b97f4a7c15ul;
    key = (key ^ key >> 32) * 0xbb67ae8584caa73bul;
    return key ^ key >> 29;
}

// The host determines the values of finished games.
IN_CALLER int final_value(ulong own, ulong other, int weight) {
    return weight;
}

// The steps of a node with ALONE plies left.
#define PLAN 1
#define TRY 2

// If the board may fill up before the last ply, nodes are split all the way to the leaves.
IN_CALLER int first_step(int left, ulong own, ulong other) {
    return left == ALONE && (int)popcount(own | other) + ALONE < COLUMNS * ROWS ? PLAN : SPLIT;
}

#include "common/table_search.clh"

typedef int worth_t;
#define GAME_PARAMETERS
#define GAME_ARGUMENTS

// Number of replies tried at once.
#define TRIED_AT_ONCE (GROUP < 2 * COLUMNS ? 1 : GROUP / COLUMNS)

typedef struct {
    // For each child and column, the value after the reply, for the side to move at the node. Then the columns of each
    // child's replies, with the best for the replier first.
    int value[MOST_MOVES * COLUMNS];
    uchar reply[MOST_MOVES * COLUMNS];
    // The children in order. For each child: the number of its replies, the number of replies tried, and its value so
    // far for the replier.
    uchar child[MOST_MOVES], replies[MOST_MOVES], tried[MOST_MOVES];
    int best[MOST_MOVES];
    // The replies that are being tried: their number, and each reply's child, column and result.
    int count;
    uchar of_child[TRIED_AT_ONCE], column[TRIED_AT_ONCE];
    int answer[TRIED_AT_ONCE];
    // For each stone after one of these replies: the value for the replier, and the number of positions below it.
    int after[TRIED_AT_ONCE * COLUMNS], below[TRIED_AT_ONCE * COLUMNS];
    // key: the lowest value of a child that needs no more replies, minus LOWEST, then that child's index in 3 bits.
    // open: number of other children. made: number of positions that this step creates.
    uint key, open, made;
} subtree_t;

IN_CALLER int child_count(const __local current_t *now) {
    return (int)popcount(now->moves);
}

IN_CALLER int made_by(const __local current_t *now, const __local subtree_t *alone, int step, int count) {
    return step == TRY ? 0 : count;
}

// Returns the square of move number `m`.
IN_CALLER ulong drop_of(ulong moves, int m) {
    for (; m > 0; --m) {
        moves &= moves - 1;
    }
    return moves & -moves;
}

IN_CALLER uint column_of(ulong drop) {
    return (uint)LOWEST_BIT_64(drop) / STRIDE;
}

// Returns the score of a split node's child if wins or threats decide it, otherwise UNKNOWN. Sets `moves` to the moves
// to search.
IN_CALLER int look_at(ulong own, ulong stones, int plies, ulong *moves) {
    const ulong drops = drops_of(stones);
    const ulong threats = planes_of(own ^ stones).wins & drops;
    *moves = threats != 0 ? threats : drops;
    int score = UNKNOWN;
    if ((planes_of(own).wins & drops) != 0) {
        score = plies + 1 - WIN;
    } else if ((threats & (threats - 1)) != 0) {
        // One stone blocks only one threat.
        score = WIN - plies - 2;
    }
    return score;
}

// Creates the children of a split node.
IN_CALLER void make_children(
    const tree_t *tree, const __local current_t *now, __local children_t *children, __global const int *table, int count) {
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

// Returns the value, for the side to move, of a position with two plies left. The position follows a tried reply and a
// stone in column `at % 7`. Returns HIGHEST if the column is full.
IN_CALLER int value_after(
    __global const int *restrict table, const __local current_t *now, const __local children_t *children,
    const __local subtree_t *alone, int at, int *below) {
    const int m = alone->of_child[at / COLUMNS], reply = alone->column[at / COLUMNS];
    const ulong mine = children->other[m], before = children->own[m];
    const ulong its = before | drop_in(drops_of(mine | before), reply);
    const ulong drop = drop_in(drops_of(mine | its), at % COLUMNS);
    *below = 0;
    if (drop == 0) {
        return HIGHEST;
    }
    const int plies = (int)popcount(mine | its) + 1;
    const uint field = field_on(planes_of(mine), drop);
    *below = 1;
    if ((field & FIELD_WINS) != 0) {
        return plies - WIN;
    }
    const int value = -(alone->value[m * COLUMNS + reply] + worth_of(table, drop, field));
    return last_two(table, its, mine | drop, value, plies, below);
}

IN_CALLER void make(
    const tree_t *tree, __local current_t *now, __local children_t *children, __local subtree_t *alone,
    __global const int *table, int step, int count, int total) {
    if (step != TRY) {
        make_children(tree, now, children, table, count);
        return;
    }
    for (int at = (int)get_local_id(0); at < alone->count * COLUMNS; at += GROUP) {
        int below;
        alone->after[at] = value_after(table, now, children, alone, at, &below);
        alone->below[at] = below;
    }
}

// In PLAN, computes the value after each reply. No reply wins at once, because the child would then be known. In TRY,
// finds the value of each reply for the replier, after the best stone against it.
IN_CALLER void order(
    const __local current_t *now, const __local children_t *children, __local subtree_t *alone,
    __global const int *table, int step, int count) {
    const int lane = (int)get_local_id(0);
    if (lane == 0) {
        alone->key = NONE;
        alone->open = 0;
        alone->made = 0;
    }
    for (int at = lane; step == PLAN && at < count * COLUMNS; at += GROUP) {
        const int m = at / COLUMNS;
        const ulong drop = drop_in(children->moves[m], at % COLUMNS);
        int value = HIGHEST;
        if (drop != 0 && children->known[m] == UNKNOWN) {
            value = -(children->weight[m] + worth_of(table, drop, field_on(planes_of(children->own[m]), drop)));
        }
        alone->value[at] = value;
    }
    for (int tried = lane; step == TRY && tried < alone->count; tried += GROUP) {
        int lowest = HIGHEST;
        for (int at = tried * COLUMNS; at < (tried + 1) * COLUMNS; ++at) {
            const int value = alone->after[at];
            lowest = value < lowest ? value : lowest;
        }
        alone->answer[tried] = lowest;
    }
}

// In PLAN, sorts replies and children, and initialises the children. A lane handles the same children as in `close`.
IN_CALLER void put_in_order(const __local children_t *children, __local subtree_t *alone, int count) {
    const int lane = (int)get_local_id(0);
    for (int at = lane; at < count * COLUMNS; at += GROUP) {
        const int value = alone->value[at], from = at - at % COLUMNS;
        int place = from;
        for (int other = from; other < from + COLUMNS; ++other) {
            const int beside = alone->value[other];
            place += beside < value || (beside == value && other < at);
        }
        alone->reply[place] = (uchar)(at % COLUMNS);
    }
    for (int m = lane; m < count; m += GROUP) {
        const bool is_known = children->known[m] != UNKNOWN;
        int place = 0;
        for (int other = 0; other < count; ++other) {
            place += children->rank_by[other] < children->rank_by[m];
        }
        alone->child[place] = (uchar)m;
        alone->replies[m] = (uchar)(is_known ? 0 : popcount(children->moves[m]));
        alone->tried[m] = 0;
        alone->best[m] = is_known ? -children->known[m] : LOWEST;
    }
}

// Updates the state of each child.
IN_CALLER void close(
    const __local current_t *now, const __local children_t *children, __local subtree_t *alone, int step, int count) {
    const int lane = (int)get_local_id(0);
    if (step == PLAN) {
        put_in_order(children, alone, count);
    }
    for (int m = lane; m < count; m += GROUP) {
        int best = alone->best[m];
        uint made = step == PLAN ? alone->replies[m] : 0u;
        for (int tried = 0; step == TRY && tried < alone->count; ++tried) {
            if (alone->of_child[tried] == m) {
                const int answer = alone->answer[tried];
                best = answer > best ? answer : best;
                for (int at = tried * COLUMNS; at < (tried + 1) * COLUMNS; ++at) {
                    made += (uint)alone->below[at];
                }
            }
        }
        alone->best[m] = best;
        atomic_add(&alone->made, made);
        if (best > -now->threshold || alone->tried[m] == alone->replies[m]) {
            atomic_min(&alone->key, (uint)(best - LOWEST) << 3 | (uint)m);
        } else {
            atomic_inc(&alone->open);
        }
    }
}

// Adds up to `most` of child `m`'s next replies to the replies that are being tried, as far as they fit.
IN_CALLER void try_next(__local subtree_t *alone, int m, int most) {
    int tried = alone->tried[m], count = alone->count;
    for (; most > 0 && tried < alone->replies[m] && count < TRIED_AT_ONCE; --most) {
        alone->of_child[count] = (uchar)m;
        alone->column[count] = alone->reply[m * COLUMNS + tried];
        ++tried;
        ++count;
    }
    alone->tried[m] = (uchar)tried;
    alone->count = count;
}

// Determines the node's value, or the next replies to try.
IN_CALLER void decide(
    worker_t *worker, __local current_t *now, __local children_t *children, __local subtree_t *alone, int step, int count) {
    if (get_local_id(0) != 0) {
        return;
    }
    const int threshold = now->threshold, lowest = (int)(alone->key >> 3) + LOWEST;
    const bool reached = alone->key != NONE && lowest <= -threshold;
    now->nodes += alone->made;
    worker->have = reached || alone->open == 0;
    if (worker->have) {
        worker->result = -lowest;
        worker->best_move = reached ? children->move[alone->key & 7u] : NO_MOVE;
        return;
    }
    now->step = TRY;
    alone->count = 0;
    bool is_best = step == PLAN && CUT_OF(now->info);
    for (int before = -1; before < alone->count;) {
        before = alone->count;
        for (int place = 0; place < count; ++place) {
            const int m = alone->child[place];
            if (alone->best[m] <= -threshold) {
                try_next(alone, m, is_best ? COLUMNS : 1);
                is_best = is_best && alone->count == 0;
            }
        }
    }
}

#include "common/table_search_kernel.clh"
