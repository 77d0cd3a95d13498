// Searches the siblings of a principal-variation node, each in one work-group. The first child's value sets the window.
//
// Implements Kawakami and Wang, "Parallel Game Tree Search: Gomoku", section 5.3, after Strnad and Guid: one block per
// child node searches the subtree under it.

#include "common/outcome.clh"
#include "gomoku/group_search.clh"

// A sibling: the square of the stone that leads to it, and the balance for its side to move.
typedef int2 sibling_t;

// `parent`: the board of the siblings' parent, then the siblings. `alpha`, `beta`: the parent's window. `colour`: its
// side to move. `empty`: its number of empty squares. `depth`: the siblings' remaining depth, at least 1. `ply`: their
// ply from the root. The game must not be over at any sibling. `alone`, `tries` and `chunk` are the settings for turns.
// `rooms`: for each sibling, the number of nodes that the lanes had time for. While the administrator walks, the other
// lanes in its bundle wait.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void pvs(
    __global const int *restrict tables,
    __global const uint *restrict order,
    __global const lines_t *parent,
    const int alpha,
    const int beta,
    const int colour,
    const int empty,
    const int depth,
    const int ply,
    const int alone,
    const int tries,
    const int chunk,
    const uint stamp,
    __global uint *outcomes
#if LANES > 0
    ,
    __global ulong *rooms
#endif
) {
    __local lines_t board[LINES];
    __local node_t waiting[LEVELS];
    __local int stones[LEVELS];
    // The pending moves of the node that was probed last.
    __local uint pending[PLACE_WORDS];
    __local count_t counts[GROUP];
    __local turn_t turn;
    // The bound that the moves of this turn have reached.
    __local int reached;
#if LANES > 0
    // The maximum number of nodes in this turn, for each bundle of lanes in lockstep.
    __local uint longest[BUNDLES];
    ulong room = 0;
#endif

    const manner_t manner = {alone, tries, chunk};
    LOCAL_ID_KIND item = (int)get_local_id(0);
    const int sibling = (int)get_group_id(0);
    for (int line = item; line < LINES; line += GROUP) {
        board[line] = parent[line];
    }
    count_t count = {0u, 0u};
    walk_t walk;
    bool begun = false;
    if (item == 0) {
        first_turn(&turn, alpha, beta);
        reached = alpha;
#if LANES > 0
        for (int bundle = 0; bundle < BUNDLES; ++bundle) {
            longest[bundle] = 0u;
        }
#endif
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    for (;;) {
        if (turn.remaining == 0) {
            break;
        }
#if LANES > 0
        const uint before = count.nodes;
#endif
        const int found = share_of_turn(tables, order, board, &turn, pending, item, &count);
        if (found > turn.alpha) {
            atomic_max(&reached, found);
        }
        counts[item] = count;
#if LANES > 0
        atomic_max(&longest[item / LANES], count.nodes - before);
#endif
        barrier(CLK_LOCAL_MEM_FENCE);

        if (item == 0) {
#if LANES > 0
            room += room_of_turn(longest);
            const uint own = count.nodes;
#endif
            if (begun) {
                take_turn(&walk, &turn, reached);
            } else {
                begun = true;
                const sibling_t stone = ((__global const sibling_t *)(parent + LINES))[sibling];
                put_stone(board, COLUMN_OF(stone.x), ROW_OF(stone.x), colour);
                const node_t root = {-beta, -alpha, stone.y, 0};
                begin(&walk, root, depth, ply, 1 - colour, empty - 1, alone);
                count.nodes += 1u;
            }
            if (!walk_on(
                    tables, order, board, waiting, stones, pending, manner, &walk, &turn,
                    &count)) {
                turn.remaining = 0;
                counts[0] = count;
                const ulong2 all = entered_by_all(counts);
                __global uint *outcome = outcomes + sibling * SEARCHED_WORDS;
                PUT_SEARCHED(outcome, -walk.node.alpha, all.x, all.y, stamp, sibling);
            }
#if LANES > 0
            room += (ulong)LANES * (count.nodes - own);
            rooms[sibling] = room;
#endif
            reached = turn.alpha;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
