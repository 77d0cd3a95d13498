// Runs null-window searches of a reversi 8x8 position to a fixed depth. The workers share a tree and a table.
//
// Nodes with more than three plies left are split (common/table_search.clh). A node with three plies left is searched
// by one worker, with many positions per step. The worker creates the node's children, then children of several of
// them, then leaves below many of these grandchildren (reversi/table_search_alone.clh).

#include "common/shared_tree.clh"
#include "reversi/bits8.clh"

// Maximum number of moves in a position.
#ifndef MOST_MOVES
#define MOST_MOVES 64
#endif
// Remaining depth of a node that one worker searches alone.
#define ALONE 3
// Maximum number of grandchildren of such a node at a time, at least MOST_MOVES, and maximum number of leaves.
#ifndef MOST_BELOW
#define MOST_BELOW (GROUP > 32 ? 256 : 128)
#endif
#ifndef MOST_LEAVES
#define MOST_LEAVES (GROUP > 32 ? 512 : 256)
#endif
// Places for the children, then for the grandchildren.
#define MOST_PLACES (MOST_MOVES + MOST_BELOW)

IN_CALLER ulong key_of(ulong own, ulong other) {
    ulong key = own * 0x9e3779b97f4a7c15ul ^ rotate(other * 0xbb67ae8584caa73bul, 32ul);
    key = (key ^ key >> 30) * 0xbf58476d1ce4e5b9ul;
    key = (key ^ key >> 27) * 0x94d049bb133111ebul;
    return key ^ key >> 31;
}

IN_CALLER int final_value(ulong own, ulong other, int weight) {
    return final_value8(own, other);
}

// Steps other than SPLIT. They create children or grandchildren of a node that one worker searches, or leaves.
#define CHILDREN 1
#define GRANDCHILDREN 2
#define REPLIES 3

IN_CALLER int first_step(int left, ulong own, ulong other) {
    return left == ALONE ? CHILDREN : SPLIT;
}

#include "common/table_search.clh"
#include "reversi/table_search_alone.clh"

typedef short worth_t;
// One bit per square: the good squares, and the squares that are at least fair.
#define GAME_PARAMETERS , const ulong good, const ulong fair
#define GAME_ARGUMENTS , good, fair

IN_CALLER int child_count(const __local current_t *now) {
    int count = (int)popcount(now->moves);
    if (now->moves == 0) {
        count = legal_moves8(now->other, now->own) != 0 ? 1 : 0;
    }
    return count;
}

IN_CALLER int made_by(const __local current_t *now, const __local subtree_t *alone, int step, int count) {
    return MADE_OF(step) >= GRANDCHILDREN ? alone->total : count;
}

// Creates and evaluates a work-item's share of the positions.
IN_CALLER void make(
    const tree_t *tree, __local current_t *now, __local children_t *children, __local subtree_t *alone,
    __global const short *sums, int step, int count, int total) {
    const int lane = (int)get_local_id(0);
    const int left = now->depth;
    const uint info = now->info;
    const int what = MADE_OF(step);
    const bool listed = what >= GRANDCHILDREN;
    const bool blocked = now->moves == 0;
    if (lane == 0 && step != SPLIT) {
        begin_alone(now, alone, step, total);
    }
    for (int m = lane; m < total; m += GROUP) {
        ulong own = now->own, other = now->other;
        int weight = now->weight, from = 0;
        uint move = PASS;
        if (listed) {
            move = alone->list[m] & 127u;
            from = alone->list[m] >> 7;
            own = children->own[from];
            other = children->other[from];
            weight = children->weight[from];
        } else if (!blocked) {
            move = bit_of(now->moves, m);
        }
        ulong mine = other, theirs = own;
        int after = -weight;
        if (move != PASS) {
            const ulong square = 1ul << move;
            const ulong turned = turned_by(square, own, other);
            mine = other & ~turned;
            theirs = own | turned | square;
            after = -(weight + 2 * weight_of_set(turned, sums) + weight_of_square(move, sums));
        }
        const ulong reach = legal_moves8(mine, theirs), against = legal_moves8(theirs, mine);
        const int value = after + MOBILITY * ((int)popcount(reach) - (int)popcount(against));
        if (what == REPLIES) {
            atomic_min(&alone->best[from], value);
            continue;
        }
        const int place = what == GRANDCHILDREN ? MOST_MOVES + m : m;
        children->own[place] = mine;
        children->other[place] = theirs;
        children->moves[place] = reach;
        children->weight[place] = after;
        const bool over = reach == 0 && against == 0;
        if (what == GRANDCHILDREN) {
            alone->parent_of[m] = (uchar)from;
            alone->state[place] = over ? ENDED_STATE : reach == 0 ? BLOCKED : OPEN;
            alone->best[place] = HIGHEST;
            if (over) {
                atomic_max(&alone->best[from], final_value8(theirs, mine));
                atomic_inc(&alone->ended[from]);
            } else {
                atomic_min(&alone->favourite[from], (uint)(value - LOWEST) << 8 | (uint)m);
            }
            continue;
        }
        children->move[m] = (uchar)move;
        children->rank_by[m] = move == HINT_OF(info) ? m : ((value - LOWEST) << 6) | m;
        if (what == CHILDREN) {
            alone->state[m] = WAITING;
            alone->best[m] = over ? final_value8(mine, theirs) : LOWEST;
            alone->kids[m] = over ? 0 : reach == 0 ? 1 : (int)popcount(reach);
            alone->ended[m] = 0;
            alone->favourite[m] = NONE;
            continue;
        }
        children->value[m] = value;
        int score = known_score(tree, mine, theirs, left, now->threshold, info, children, m);
        if (left == 1) {
            score = -value;
        } else if (over) {
            score = final_value8(theirs, mine);
        }
        children->known[m] = score;
    }
}

#include "common/table_search_kernel.clh"
