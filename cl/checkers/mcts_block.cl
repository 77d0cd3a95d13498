// Runs a Monte Carlo tree search for checkers, with one tree per work-group (common/mcts_block.clh).

#include "checkers/games.clh"
#include "common/block_tree.clh"

// A position: own, other, kings, and the plies since the last capture, combined with LEAF_DOWN.
typedef uint4 part_t;
#define PARTS 1

// A bit in the word with the plies since the last capture. It is set if the mover's men go down the board.
#ifndef LEAF_DOWN
#define LEAF_DOWN 0x80000000u
#endif

// Returns the number of moves in each lane's position, or 0 if the game is over.
IN_CALLER words_t moves_ahead(const board_t board, const words_t quiet)
{
    const reach_t reach = reach_of(board);
    const moves_t moves = moves_of(board, reach);
    lanes_t count;
    count.all = moves.count;
    if (ANY(moves.goes_on)) {
        const long_t found = long_captures(board, reach);
        count.all = select(count.all, found.count, moves.goes_on);
        if (ANY(found.deeper & moves.goes_on)) {
            lanes_t own, other, kings, down, walk;
            own.all = board.own;
            other.all = board.other;
            kings.all = board.kings;
            down.all = board.down;
            walk.all = MASK(found.deeper & moves.goes_on);
            for (int lane = 0; lane < LANES; lane++) {
                if (walk.of[lane] != 0u) {
                    one_board_t one;
                    one.own = own.of[lane];
                    one.other = other.of[lane];
                    one.kings = kings.of[lane];
                    one.down = down.of[lane];
                    // No capture has this number, so the call only counts.
                    count.of[lane] = walk_captures(one, false, 0u, ~0u).count;
                }
            }
        }
    }
    return select(count.all, WORDS(0u), quiet >= (uint)DRAW_AFTER);
}

// Creates one child per lane of a node with `count` children, starting with child `first`.
IN_CALLER void make_children(
    __global const uint4 *root,
    __global uint4 *positions,
    __global uint4 *nodes,
    const uint parent,
    const uint place,
    const uint first,
    const uint count)
{
    const uint4 from = positions[parent];
    board_t board;
    board.own = WORDS(from.x);
    board.other = WORDS(from.y);
    board.kings = WORDS(from.z);
    board.down = WORDS((from.w & LEAF_DOWN) != 0u ? ~0u : 0u);
    lanes_t index;
    for (int lane = 0; lane < LANES; lane++) {
        index.of[lane] = min(first + (uint)lane, count - 1u);
    }

    const reach_t reach = reach_of(board);
    const moves_t moves = moves_of(board, reach);
    board_t next = played(board, moves, index.all);
    // All lanes have the same board, so all of them take this branch.
    if (ANY(moves.goes_on)) {
        const long_t found = long_captures(board, reach);
        next = captured(board, found, index.all);
        if (ANY(found.deeper)) {
            one_board_t one;
            one.own = from.x;
            one.other = from.y;
            one.kings = from.z;
            one.down = (from.w & LEAF_DOWN) != 0u ? ~0u : 0u;
            lanes_t source, target, taken;
            for (int lane = 0; lane < LANES; lane++) {
                const path_t path = walk_captures(one, false, 0u, index.of[lane]);
                source.of[lane] = path.from;
                target.of[lane] = path.to;
                taken.of[lane] = path.captured;
            }
            next = moved(board, source.all, target.all, taken.all);
        }
    }
    const words_t after = WORDS((from.w & ~LEAF_DOWN) + 1u) & ~moves.capturing;
    lanes_t own, other, kings, quiet, ahead;
    own.all = next.own;
    other.all = next.other;
    kings.all = next.kings;
    quiet.all = after | (next.down & LEAF_DOWN);
    ahead.all = moves_ahead(next, after);
    for (int lane = 0; lane < LANES; lane++) {
        const uint child = first + (uint)lane;
        if (child < count) {
            positions[place + child] = (uint4)(own.of[lane], other.of[lane], kings.of[lane], quiet.of[lane]);
            nodes[place + child] = (uint4)(0u, 0u, ahead.of[lane] << MOVES_SHIFT, 0u);
        }
    }
}

// Plays LANES games from a position to the end. If the game is already over there, plays no plies.
IN_CALLER void play_games(
    __global const uint4 *root,
    __global const uint4 *position,
    const uint moves,
    const ulong game,
    const uint key,
    uint *points,
    uint *plies)
{
    const uint4 leaf = *position;
    lanes_t playout, above;
    for (int lane = 0; lane < LANES; lane++) {
        const ulong number = game + (ulong)lane;
        playout.of[lane] = (uint)number;
        above.of[lane] = (uint)(number >> 32) << 16;
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
    for (int lane = 0; lane < LANES; lane++) {
        // WON, DRAWN and LOST are 2, 1 and 0 half points.
        *points += LOST - ending.of[lane];
        *plies += length.of[lane];
    }
}

#include "common/mcts_block.clh"
