// A correct but slow example of the `subtrees` contract (docs/KERNELS.md), for gomoku. Each work-item searches one
// position on a board of any size with alpha-beta. The board and its shapes are Plybench's, based on Kawakami and Wang.

#include "gomoku/words.clh"

// Maximum depth. The host sets it.
#ifndef LEVELS
#define LEVELS 4
#endif

// `windows`: one per position, for its side to move. A value inside its window must be exact. For a value outside, any
// bound on the same side is valid. `depth`: the number of plies to search. `ply`: the number of plies from the root to
// the positions. `worths`: a live four, dead four, live three, dead three, live two, dead two; the host also defines
// them as constants. `values`: one per position, for its side to move. `nodes`: the number of positions entered, which
// may stay 0.
__kernel void subtrees(
    __global const uint *restrict positions,
    __global const int2 *restrict windows,
    const uint count,
    const int depth,
    const int ply,
    __global const int *restrict worths,
    __global int *restrict values,
    __global ulong *restrict nodes)
{
    const uint item = (uint)get_global_id(0);
    // The last work-group may have more work-items than there are positions.
    if (item >= count) {
        return;
    }
    // The single board, on which moves are made and undone.
    int cells[SQUARES];
    const int stones = read_words(positions + item * POSITION_WORDS, cells);
    // The window, the best value and the current square of each position on the current path.
    int alpha[LEVELS + 1], beta[LEVELS + 1], best[LEVELS + 1], square[LEVELS + 1];
    alpha[0] = windows[item].x;
    beta[0] = windows[item].y;
    ulong entered = 0;
    int level = 0, value = 0;
    bool is_new = true;
    while (true) {
        const int mover = level % 2 == 0 ? BLACK : WHITE;
        bool valued = false;
        if (is_new) {
            const scan_t scan = scan_cells(cells);
            const bool full = stones + level == SQUARES;
            entered += 1;
            best[level] = LOWEST;
            square[level] = 0;
            valued = scan.five || full || level == depth;
            value = value_of(scan, mover, ply + level, full);
        }
        if (!valued) {
            while (square[level] < SQUARES && !is_move(cells, square[level])) {
                square[level] += 1;
            }
            valued = square[level] == SQUARES || best[level] >= beta[level];
            value = best[level];
        }
        is_new = !valued;
        if (is_new) {
            cells[square[level]] = mover;
            alpha[level + 1] = -beta[level];
            beta[level + 1] = -max(alpha[level], best[level]);
            level += 1;
            continue;
        }
        if (level == 0) {
            break;
        }
        // Changes the sign, because the other side is to move in the parent.
        level -= 1;
        cells[square[level]] = NO_STONE;
        square[level] += 1;
        best[level] = max(best[level], -value);
    }
    values[item] = value;
    nodes[item] = entered;
}
