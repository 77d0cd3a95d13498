// A correct but slow example of the `playouts` contract (docs/KERNELS.md), for checkers. Each work-item plays one game.
//
// `#include` finds files next to this file and in Plybench's cl/. This one includes the rules and the random numbers.
// With other random numbers, the experiment must set `own-random`.

#include "checkers/games.clh"

// Returns the number of moves in a position, or 0 if the game is drawn. If `index` is below this number, also sets
// `next` to the board after that move, and `next_quiet` to the number of plies since the last capture.
uint visit(const board_t board, const uint quiet, const uint index, board_t *next, uint *next_quiet)
{
    const reach_t reach = reach_of(board);
    const moves_t moves = moves_of(board, reach);
    uint count = moves.count;
    board_t after = played(board, moves, index);
    if (moves.goes_on) {
        // Some captures continue after their first jump.
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

// `position`: the mover's pieces; the opponent's pieces; the kings; all ones if the mover's men move down the board,
// otherwise 0; the number of plies since the last capture. `first`: the number of the launch's first playout.
// `results`: one word per playout.
__kernel void playouts(
    __global const uint *restrict position,
    const uint key,
    const ulong first,
    const uint count,
    __global uint *restrict results)
{
    const uint item = (uint)get_global_id(0);
    // The last work-group may have more work-items than there are games.
    if (item >= count) {
        return;
    }
    const ulong number = first + item;
    board_t root, child;
    root.own = position[0];
    root.other = position[1];
    root.kings = position[2];
    root.down = position[3];
    const uint quiet = position[4];
    uint child_quiet;

    // Playout n starts with move n modulo the number of moves.
    const uint moves = visit(root, quiet, 0u, &child, &child_quiet);
    visit(root, quiet, (uint)(number % moves), &child, &child_quiet);

    games_t games;
    games.board = child;
    games.quiet = child_quiet;
    games.plies = 1u;
    // A random word depends on the key, the playout's number and the ply.
    games.playout = (uint)number;
    games.high = (uint)(number >> 32) << 16;
    do {
        advance(&games, key);
    } while (!(games.stuck | games.drawn));

    // Two bits: 0 if the side to move at the root has won, 1 for a draw, 2 if it has lost. Above them: the number of
    // plies.
    results[item] = ending_of(&games) | games.plies << 2;
}
