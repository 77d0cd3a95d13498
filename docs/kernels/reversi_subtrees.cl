// A correct but slow example of the `subtrees` contract (docs/KERNELS.md), for reversi. Each work-item searches one
// position on a board of any size with alpha-beta. The included file reads and evaluates positions, and makes moves.

#include "reversi/words.clh"

// Maximum depth. The host sets it.
#ifndef LEVELS
#define LEVELS 6
#endif

// The value of a won game, before the lead in discs is added. The host sets it.
#ifndef WIN
#define WIN 1000000
#endif

// Lower than every value of a position.
#define LOWEST (-(1 << 30))

// Returns the value of a finished game.
int final_of(const board_t *board)
{
    int ahead = 0;
    for (int square = 0; square < AREA; square++) {
        ahead += board->of[square];
    }
    return ahead == 0 ? 0 : ahead > 0 ? ahead + WIN : ahead - WIN;
}

// Changes the side to move.
void pass(board_t *board)
{
    for (int square = 0; square < AREA; square++) {
        board->of[square] = -board->of[square];
    }
}

// `windows`: one per position, for its side to move. A value inside its window must be exact. For a value outside, any
// bound on the same side is valid. `depth`: the number of plies to search; a pass counts. `ply`: the number of plies
// from the root to the positions, which affects no value here. `worths`: one per square, rank by rank. `values`: one
// per position, for its side to move. `nodes`: the number of positions entered, which may stay 0.
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
    // The positions on the current path, with the window, the best value and the next square of each.
    board_t board[LEVELS + 1];
    int alpha[LEVELS + 1], beta[LEVELS + 1], best[LEVELS + 1], square[LEVELS + 1];
    board[0] = board_of(positions + item * POSITION_WORDS);
    alpha[0] = windows[item].x;
    beta[0] = windows[item].y;
    best[0] = LOWEST;
    square[0] = 0;
    ulong entered = 1;
    int level = 0, value = 0;
    while (true) {
        bool deeper = false;
        if (level == depth) {
            value = value_of(&board[level], worths);
        } else if (best[level] >= beta[level]) {
            value = best[level];
        } else {
            while (square[level] < AREA && turned(&board[level], square[level], 1, false) == 0) {
                square[level] += 1;
            }
            const int at = square[level];
            const bool stuck = at == AREA && best[level] == LOWEST;
            if (at < AREA || (stuck && moves_of(&board[level], -1) > 0)) {
                deeper = true;
                board[level + 1] = board[level];
                if (at < AREA) {
                    square[level] += 1;
                    turned(&board[level + 1], at, 1, true);
                    board[level + 1].of[at] = 1;
                }
                pass(&board[level + 1]);
            } else {
                value = stuck ? final_of(&board[level]) : best[level];
            }
        }
        if (deeper) {
            entered += 1;
            alpha[level + 1] = -beta[level];
            beta[level + 1] = -max(alpha[level], best[level]);
            best[level + 1] = LOWEST;
            square[level + 1] = 0;
            level += 1;
            continue;
        }
        if (level == 0) {
            break;
        }
        // Changes the sign, because the other side is to move in the parent.
        level -= 1;
        best[level] = max(best[level], -value);
    }
    values[item] = value;
    nodes[item] = entered;
}
