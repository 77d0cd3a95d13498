// A correct but slow example of the `evaluate` contract (docs/KERNELS.md), for gomoku. Each work-item evaluates one
// position on a board of any size. The board and its shapes are Plybench's, based on Kawakami and Wang.

#include "gomoku/words.clh"

// `worths`: a live four, dead four, live three, dead three, live two, dead two; the host also defines them as
// constants. `values`: one per position, for the side to move.
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
    int cells[SQUARES];
    read_words(positions + item * POSITION_WORDS, cells);
    // The host sends no finished position, so the ply and a full board do not matter.
    values[item] = value_of(scan_cells(cells), BLACK, 0, false);
}
