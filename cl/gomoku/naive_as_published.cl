// Searches all root moves in one block, with one work-item per move, as published (Kawakami and Wang, section 5.1).
//
// Every work-item has its own board in private memory, like the local array of a CUDA thread.

#define CELLS_SPACE __private
#define PLY 1

#include "common/outcome.clh"
#include "gomoku/cells_item.clh"

// Number of work-items in the only work-group.
#ifndef GROUP
#define GROUP 224
#endif

// `position`: the root's board. `moves`: its moves, as squares. `mover`: its side to move. `empty`: its number of empty
// squares. If there are more moves than work-items, each work-item takes every GROUP-th move.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void naive_as_published(
    __global const int *restrict order,
    __global const int *restrict position,
    __global const int *restrict moves,
    const int count,
    const int mover,
    const int empty,
    const uint stamp,
    __global uint *restrict outcomes) {
    int cells[SQUARES];
    for (int square = 0; square < SQUARES; ++square) {
        cells[square] = position[square];
    }
    for (int at = (int)get_local_id(0); at < count; at += GROUP) {
        cells[moves[at]] = mover;
        const found_t found = search_board(order, cells, OTHER(mover), empty - 1);
        cells[moves[at]] = NO_STONE;
        __global uint *outcome = outcomes + at * SEARCHED_WORDS;
        PUT_SEARCHED(outcome, found.value, found.nodes, found.leaves, stamp, at);
    }
}
