// A correct but slow example of the `evaluate` contract (docs/KERNELS.md), for reversi. Each work-item evaluates one
// position on a board of any size. The included file reads and evaluates positions.

#include "reversi/words.clh"

// `worths`: one per square, rank by rank. `values`: one per position, for the side to move.
__kernel void evaluate(
    __global const uint *restrict positions,
    const uint count,
    __global const int *restrict worths,
    __global int *restrict values)
{
    const uint item = (uint)get_global_id(0);
    // The last work-group may have more work-items than there are positions.
    if (item >= count) {
        return;
    }
    board_t board = board_of(positions + item * POSITION_WORDS);
    values[item] = value_of(&board, worths);
}
