// Searches stored boards, one per work-item, as published (Kawakami and Wang, section 5.2). The host has written the
// boards of all leaves of the upper part of the tree. Each work-item searches its board in place.

#define CELLS_SPACE __global

#include "common/outcome.clh"
#include "gomoku/cells_item.clh"

// Number of work-items per work-group.
#ifndef GROUP
#define GROUP 768
#endif

// `boards`: SQUARES ints per board. `mover`: the side to move on all boards. `empty`: their number of empty squares.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void sequential_parallel_as_published(
    __global const int *restrict order,
    __global int *restrict boards,
    const int count,
    const int mover,
    const int empty,
    const uint stamp,
    __global uint *restrict outcomes) {
    const int item = (int)get_global_id(0);
    if (item >= count) {
        return;
    }
    __global int *cells = boards + (size_t)item * SQUARES;
    const found_t found = search_board(order, cells, mover, empty);
    __global uint *outcome = outcomes + (size_t)item * SEARCHED_WORDS;
    PUT_SEARCHED(outcome, found.value, found.nodes, found.leaves, stamp, item);
}
