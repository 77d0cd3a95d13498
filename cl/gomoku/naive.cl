// A work-item a move of the root, which searches everything below it (Kawakami and Wang, section
// 5.1): no bound is known to more than one of them, and the launch lasts as long as the largest
// subtree takes one work-item.

#define PREFIX 1

#include "common/outcome.clh"
#include "gomoku/item.clh"

// Work-items in a work-group.
#ifndef GROUP
#define GROUP 8
#endif

// A work-item for each of the root's moves, which follow its empty squares, rounded up to whole
// groups.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void naive(
    __global const int *restrict tables,
    __global const uint *restrict position,
    const int empty,
    const int balance,
    const int count,
    const uint stamp,
    __global uint *restrict outcomes) {
    const int item = (int)get_global_id(0);
    if (item >= count) {
        return;
    }
    const root_t root = root_at(tables, position, empty, balance);
    const uint square = root.squares[empty + item];
    overlay_t over;
    lay_none(&over);
    const int x = COLUMN_OF(square), y = ROW_OF(square);
    const found_t found = search_after(&root, &over, balance, x, y, LOWEST, -LOWEST);
    __global uint *outcome = outcomes + item * SEARCHED_WORDS;
    PUT_SEARCHED(outcome, found.value, found.nodes, found.leaves, stamp, item);
}
