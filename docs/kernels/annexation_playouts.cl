// A correct but slow example of the `playouts` contract (docs/KERNELS.md), for Annexation. Each work-item plays one
// game with the same random colours as `serial`, so the tallies match exactly.

#include "annexation/draws.clh"

// Maximum number of cells on a board. The host sets it.
#ifndef MOST_CELLS
#define MOST_CELLS 200
#endif

// The words of a position: the number of cells; the number of turns left; the mover's cell; the opponent's cell; the
// number of cells that each of these two stands for; two words of the seed; the colour of each cell; the offset of each
// cell's neighbours, and the end of the list; the neighbours, by cell.
#define COLOURS_AT 8

// Mask of a cell's owner: one bit for the mover at the root and one for the other player.
#define BOTH 3

// `first`: the number of the launch's first playout. `results`: one word per playout.
__kernel void playouts(
    __global const uint *restrict position,
    const uint key,
    const ulong first,
    const uint count,
    __global uint *restrict results)
{
    const uint cells = position[0], turns = position[1];
    const uint2 seed = (uint2)(position[6], position[7]);
    __global const uint *colours = position + COLOURS_AT;
    __global const uint *begins = colours + cells;
    __global const uint *neighbours = begins + cells + 1;
    const uint item = (uint)get_global_id(0);
    // The last work-group may have more work-items than there are games.
    if (item >= count) {
        return;
    }
    const ulong number = first + item;
    uchar owners[MOST_CELLS];
    for (uint cell = 0u; cell < cells; cell++) {
        owners[cell] = 0;
    }
    owners[position[2]] = 1;
    owners[position[3]] = 2;
    for (uint turn = 0u; turn < turns; turn++) {
        // One draw covers one turn of 32 games. Each game uses one bit of each word.
        const uint4 draw = draw_of(seed, number / 32u, turn) >> (uint)(number % 32u);
        const uint colour = (draw.x & 1u) | (draw.y & 1u) << 1 | (draw.z & 1u) << 2;
        const uchar mover = turn % 2u == 0u ? 1 : 2;
        // Marks all gained cells first, so that they do not gain others in the same turn.
        for (uint cell = 0u; cell < cells; cell++) {
            bool taken = false;
            for (uint at = begins[cell]; at < begins[cell + 1u]; at++) {
                taken |= owners[neighbours[at]] == mover;
            }
            if (taken && owners[cell] == 0 && colours[cell] == colour) {
                owners[cell] = (uchar)(mover << 2);
            }
        }
        for (uint cell = 0u; cell < cells; cell++) {
            owners[cell] |= owners[cell] >> 2;
            owners[cell] &= BOTH;
        }
    }
    uint own = position[4], other = position[5];
    for (uint cell = 0u; cell < cells; cell++) {
        const bool start = cell == position[2] || cell == position[3];
        own += !start && owners[cell] == 1 ? 1u : 0u;
        other += !start && owners[cell] == 2 ? 1u : 0u;
    }
    // Two bits: 0 if the side to move at the root has won, 1 for a draw, 2 if it has lost. The number of plies stays 0,
    // because techniques end a decided game at different turns.
    results[item] = own > other ? 0u : own == other ? 1u : 2u;
}
