// The evaluation of gomoku, under the contract `evaluate` (docs/KERNELS.md): right, and slow. A work-item values one
// position of any board. The board and its shapes are Plybench's own, as Kawakami and Wang have them.

#include "gomoku/words.clh"

// `worths`: a live four, dead four, live three, dead three, live two, dead two, as the constants that the host says.
// `values`: one for each position, from the side to move.
__kernel void evaluate(
    __global const uint *restrict positions,
    const uint count,
    __global const int *restrict worths,
    __global int *restrict values)
{
    const uint item = (uint)get_global_id(0);
    // The last group may have more work-items than there are positions.
    if (item >= count) {
        return;
    }
    int cells[SQUARES];
    read_words(positions + item * POSITION_WORDS, cells);
    // The host sends no position in which the game is over, so that neither the ply nor a full board counts.
    values[item] = value_of(scan_cells(cells), BLACK, 0, false);
}
