// Runs minimax without pruning, with one work-item per subtree (Connect Four AI, "Algorithm Description": "run all of
// these in parallel in different threads"). A stack replaces recursion.
//
// Each iteration tries one column of one node, at any level. Work-items at different levels then execute the same code.
// No node is created for the last ply.

#include "common/outcome.clh"
#include "connect_four/evaluate.clh"

// Number of plies searched below a work-item's position, at least 1.
#ifndef PLIES
#define PLIES 4
#endif
// Number of plies from the root to a work-item's position.
#ifndef PREFIX
#define PREFIX 4
#endif
// Number of work-items per work-group.
#ifndef GROUP
#define GROUP 32
#endif
// Lower than any value.
#define LOWEST (-(1 << 30))

// A node: its board, the gain of each column, and the columns that are left to try.
typedef struct {
    ulong own;
    ulong stones;
    ulong fields;
    ulong left;
    int value;
    int best;
} node_t;

IN_CALLER node_t node_of(ulong own, ulong stones, int value) {
    const gains_t gains = gains_of(own, stones);
    const node_t node = {own, stones, gains.fields, gains.drops, value, LOWEST};
    return node;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void root_split(
    __global const int *restrict table,
    __global const ulong *restrict boards,
    __global const int *restrict values,
    const int count,
    const uint stamp,
    __global uint *restrict outcomes) {
    const int item = (int)get_global_id(0);
    if (item >= count) {
        return;
    }
#if PLIES > 1
    STACK_KIND node_t waiting[PLIES - 1];
#endif
    node_t node = node_of(boards[2 * item], boards[2 * item + 1], values[item]);
    int level = 0;
    ulong nodes = 0, leaves = 0;
    for (;;) {
        if (node.left != 0) {
            const ulong drop = node.left & -node.left;
            node.left ^= drop;
            const int column = LOWEST_BIT_64(drop) / STRIDE;
            const uint field = field_of(node.fields, column);
            const bool won = (field & FIELD_WINS) != 0;
            const ulong stones = node.stones | drop;
            const bool over = won || stones == BOARD;
            const int value = node.value + worth_of(table, drop, field);
            if (over || level == PLIES - 1) {
                const int score = won ? WIN - (PREFIX + level + 1) : over ? 0 : value;
                node.best = max(node.best, score);
                nodes += 1;
                leaves += 1;
            }
#if PLIES > 1
            else {
                waiting[level] = node;
                level += 1;
                node = node_of(node.own ^ node.stones, stones, -value);
            }
#endif
            continue;
        }
        nodes += 1;
#if PLIES > 1
        if (level > 0) {
            const int score = -node.best;
            level -= 1;
            node = waiting[level];
            node.best = max(node.best, score);
            continue;
        }
#endif
        break;
    }
    __global uint *outcome = outcomes + item * SEARCHED_WORDS;
    PUT_SEARCHED(outcome, node.best, nodes, leaves, stamp, item);
}
