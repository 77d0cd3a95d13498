// Monte Carlo tree search with a tree for each work-group. Item 0 selects a leaf, every item plays a random
// game from it, or LANES of them, and item 0 credits their points to the path. A launch is a number of such
// rounds; trees stay in global memory between launches.

#include "checkers/tree.clh"

// A group's state, which the host reads: nodes allocated, nodes visited, depth of the deepest, leaves, plies
// of all games (low word, high word), leaves whose game is over. Then the visits of each of the root's moves.
#ifndef STATE_WORDS
#define STATE_WORDS 7
#define STATE_USED 0
#define STATE_MADE 1
#define STATE_DEPTH 2
#define STATE_LEAVES 3
#define STATE_PLIES 4
#define STATE_OVER 6
#endif

// The sums over the games of a leaf.
typedef struct {
    uint points;
    uint plies;
} sums_t;

// `own` to `quiet`: the root in a node's format; it has `moves` moves. `explore`: as in weight_of(). `room`:
// nodes per group. `first`: rounds before this launch; with 0 new trees are started. Groups from `active` on
// have no round. `states`: for each group STATE_WORDS, and a word for each move.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void mcts_block(
    const uint own,
    const uint other,
    const uint kings,
    const uint quiet,
    const uint moves,
    const uint key,
    const uint tree_key,
    const float explore,
    const uint room,
    const uint first,
    const uint rounds,
    const uint active,
    __global uint4 *restrict all_positions,
    __global uint4 *restrict all_nodes,
    __global uint *restrict states)
{
    __local tree_t tree;
    __local sums_t sums;
    __local ulong plies;
    __local uint leaves;
    __local uint over;
    LOCAL_ID_KIND item = (int)get_local_id(0);
    const uint group = (uint)get_group_id(0);
    const uint groups = (uint)get_num_groups(0);
    __global uint4 *positions = all_positions + (size_t)group * room;
    __global uint4 *nodes = all_nodes + (size_t)group * room;
    __global uint *state = states + (size_t)group * (STATE_WORDS + moves);

    if (item == 0) {
        if (first == 0u) {
            positions[0] = (uint4)(own, other, kings, quiet);
            nodes[0] = (uint4)(1u, 0u, moves << MOVES_SHIFT, 0u);
            tree.used = 1u;
            tree.made = 1u;
            tree.deepest = 0u;
            leaves = 0u;
            over = 0u;
            plies = 0;
        } else {
            tree.used = state[STATE_USED];
            tree.made = state[STATE_MADE];
            tree.deepest = state[STATE_DEPTH];
            leaves = state[STATE_LEAVES];
            over = state[STATE_OVER];
            plies = (ulong)state[STATE_PLIES + 1] << 32 | state[STATE_PLIES];
        }
    }
    const uint mine = group < active ? rounds : 0u;
    for (uint round = 0u; round < mine; round++) {
        // Numbered over the leaves of all groups.
        const ulong number = (ulong)(first + round) * groups + group;
        if (item == 0) {
            const uint draw = playout_draw(tree_key, tree.made, group);
            select_leaf(nodes, room, explore, draw, &tree);
            sums.points = 0u;
            sums.plies = 0u;
        }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);

        const uint children = tree.children;
        for (uint child = (uint)item * LANES; child < children; child += ITEMS) {
            make_children(positions, nodes, tree.parent, tree.place, child, children);
        }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);

        const uint4 leaf = positions[tree.path[tree.depth]];
        lanes_t playout, above;
        for (int lane = 0; lane < LANES; lane++) {
            const ulong game = number * ITEMS + (ulong)((uint)item * LANES + (uint)lane);
            playout.of[lane] = (uint)game;
            above.of[lane] = (uint)(game >> 32) << 16;
        }
        games_t games;
        games.board.own = WORDS(leaf.x);
        games.board.other = WORDS(leaf.y);
        games.board.kings = WORDS(leaf.z);
        games.board.down = WORDS((leaf.w & LEAF_DOWN) != 0u ? ~0u : 0u);
        games.quiet = WORDS(leaf.w & ~LEAF_DOWN);
        games.plies = WORDS(0u);
        games.playout = playout.all;
        games.high = above.all;
        do {
            advance(&games, key);
        } while (ANY((games.stuck | games.drawn) == 0));

        lanes_t ending, length;
        ending.all = ending_of(&games);
        length.all = games.plies;
        uint points = 0u, played_plies = 0u;
        for (int lane = 0; lane < LANES; lane++) {
            // WON, DRAWN, LOST: 2, 1 and 0 half points.
            points += LOST - ending.of[lane];
            played_plies += length.of[lane];
        }
        atomic_add(&sums.points, points);
        atomic_add(&sums.plies, played_plies);
        barrier(CLK_LOCAL_MEM_FENCE);

        if (item == 0) {
            credit(nodes, sums.points, &tree);
            plies += sums.plies;
            leaves += 1u;
            // A finished game in the tree is credited as if all items had played it, although none has.
            over += nodes[tree.path[tree.depth]].z >> MOVES_SHIFT == 0u ? 1u : 0u;
        }
    }
    if (item == 0) {
        state[STATE_USED] = tree.used;
        state[STATE_MADE] = tree.made;
        state[STATE_DEPTH] = tree.deepest;
        state[STATE_LEAVES] = leaves;
        state[STATE_PLIES] = (uint)plies;
        state[STATE_PLIES + 1] = (uint)(plies >> 32);
        state[STATE_OVER] = over;
        const uint place = nodes[0].w;
        for (uint move = 0u; move < moves; move++) {
            state[STATE_WORDS + move] = place == 0u ? 0u : nodes[place + move].x;
        }
    }
}
