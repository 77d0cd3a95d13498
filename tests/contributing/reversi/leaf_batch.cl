// Evaluates one position per work-item. Each work-item has its own board in local memory, so no barrier is needed.

#include "common/outcome.clh"
#include "reversi/rules.clh"
#include "reversi/evaluate.clh"

// Number of words that a work-item writes: the value and the stamp.
#define OUTCOME_WORDS 2

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void leaf_batch(
    __global const uint2 *positions,
    __global const int *weights,
    const int count,
    const uint stamp,
    __global uint *outcomes) {
    __local rank_t boards[GROUP * RANKS];
    __local rank_t *board = boards + (int)get_local_id(0) * RANKS;
    const int position = (int)get_global_id(0);
    // The last group may have more work-items than there are positions left.
    if (position >= count) {
        return;
    }
    board[RANK(-1)] = (rank_t)(0u);
    board[RANK(HEIGHT)] = (rank_t)(0u);
    for (int i = 0; i < WORDS; ++i) {
        set_cell(board, i / WORDS_PER_RANK, i % WORDS_PER_RANK, positions[position * WORDS + i]);
    }
    int value = 0;
    for (int rank = 0; rank < HEIGHT; ++rank) {
        for (int column = 0; column < WORDS_PER_RANK; ++column) {
            const uint squares = low_bits(min(WIDTH - 32 * column, 32));
            const uint2 moves = legal_moves(board, rank, column, squares);
            const uint2 cell = cell_at(board, rank, column);
            value += weight_of(weights, cell.x, 0u, rank, column)
                - weight_of(weights, cell.y, 0u, rank, column)
                + MOBILITY * ((int)popcount(moves.x) - (int)popcount(moves.y));
        }
    }
    __global uint *outcome = outcomes + position * OUTCOME_WORDS;
    outcome[0] = (uint)value;
    PUT_STAMP(outcome, stamp, position);
}
