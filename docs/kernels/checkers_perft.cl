// A correct but slow example of the `perft` contract (docs/KERNELS.md), for checkers. Each work-item counts the
// sequences from one position.

#include "checkers/captures.clh"

#ifndef DRAW_AFTER
#define DRAW_AFTER 50
#endif

// Maximum depth. The host sets it.
#ifndef LEVELS
#define LEVELS 6
#endif

// The words of a position: the mover's pieces; the opponent's pieces; the kings; all ones if the mover's men move down
// the board, otherwise 0; the number of plies since the last capture.
#define POSITION_WORDS 5

// Returns the number of moves in a position, or 0 if the game is drawn. If `index` is below this number, also sets
// `next` to the board after that move, and `next_quiet` to the number of plies since the last capture.
uint visit(const board_t board, const uint quiet, const uint index, board_t *next, uint *next_quiet)
{
    const reach_t reach = reach_of(board);
    const moves_t moves = moves_of(board, reach);
    uint count = moves.count;
    board_t after = played(board, moves, index);
    if (moves.goes_on) {
        const long_t found = long_captures(board, reach);
        count = found.count;
        after = captured(board, found, index);
        if (found.deeper) {
            one_board_t one;
            one.own = board.own;
            one.other = board.other;
            one.kings = board.kings;
            one.down = board.down;
            const path_t path = walk_captures(one, false, 0u, index);
            count = path.count;
            after = moved(board, path.from, path.to, path.captured);
        }
    }
    *next = after;
    *next_quiet = moves.capturing ? 0u : quiet + 1u;
    return quiet >= (uint)DRAW_AFTER ? 0u : count;
}

__kernel void perft(
    __global const uint *restrict positions,
    const uint count,
    const int depth,
    __global ulong *restrict results)
{
    const uint item = (uint)get_global_id(0);
    if (item >= count) {
        return;
    }
    __global const uint *position = positions + item * POSITION_WORDS;
    // The positions on the current path, and the index of the next move in each.
    board_t board[LEVELS + 1];
    uint quiet[LEVELS + 1], tried[LEVELS + 1];
    board[0].own = position[0];
    board[0].other = position[1];
    board[0].kings = position[2];
    board[0].down = position[3];
    quiet[0] = position[4];
    tried[0] = 0u;
    ulong leaves = 0, nodes = 1;
    int level = 0;
    while (level >= 0) {
        board_t next;
        uint next_quiet;
        const uint moves = visit(board[level], quiet[level], tried[level], &next, &next_quiet);
        if (tried[level] >= moves) {
            level -= 1;
            continue;
        }
        tried[level] += 1u;
        nodes += 1;
        if (level + 1 == depth) {
            leaves += 1;
            continue;
        }
        level += 1;
        board[level] = next;
        quiet[level] = next_quiet;
        tried[level] = 0u;
    }
    // The number of sequences with exactly `depth` plies, then the number of positions entered, which may stay 0.
    results[2 * item] = leaves;
    results[2 * item + 1] = nodes;
}
