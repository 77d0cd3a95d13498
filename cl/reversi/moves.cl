// Tests each rule separately: the legal moves of many positions, the effect of one move in each, and the static values.
// Each position has one work-group, as in pv_split.cl.

#include "reversi/rules.clh"
#include "reversi/evaluate.clh"

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void moves(
    __global const uint2 *positions,
    __global const int *weights,
    __global const int *played,
    __global uint2 *legal,
    __global uint2 *after,
    __global int *values) {
    __local rank_t board[RANKS];
    __local uint own_moves[WORDS];
    __local uint other_moves[WORDS];
    __local int value;

    LOCAL_ID_KIND item = (int)get_local_id(0);
    const int group = (int)get_group_id(0);
    const int first_square = item * RUN;
    const int end_square = min(first_square + RUN, AREA);

    for (int i = item; i < RANKS; i += GROUP) {
        board[i] = (rank_t)(0u);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = item; i < WORDS; i += GROUP) {
        set_cell(board, i / WORDS_PER_RANK, i % WORDS_PER_RANK, positions[group * WORDS + i]);
        own_moves[i] = 0u;
        other_moves[i] = 0u;
    }
    if (item == 0) {
        value = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int i = item; i < WORDS; i += GROUP) {
        const change_t change = change_in_word(board, played[group], i);
        const uint2 cell = cell_at(board, i / WORDS_PER_RANK, i % WORDS_PER_RANK);
        after[group * WORDS + i] = changed(cell, change);
    }
    int sum = 0;
    for (int square = first_square; square < end_square;) {
        const span_t span = span_at(square, end_square);
        const uint2 found = legal_moves(board, span.rank, span.column, span.squares);
        const uint2 cell = cell_at(board, span.rank, span.column) & span.squares;
        const int word = span.rank * WORDS_PER_RANK + span.column;
        atomic_or(&own_moves[word], found.x);
        atomic_or(&other_moves[word], found.y);
        sum += weight_of(weights, cell.x, 0u, span.rank, span.column)
            - weight_of(weights, cell.y, 0u, span.rank, span.column)
            + MOBILITY * ((int)popcount(found.x) - (int)popcount(found.y));
        square += span.count;
    }
    atomic_add(&value, sum);
    barrier(CLK_LOCAL_MEM_FENCE);

    for (int i = item; i < WORDS; i += GROUP) {
        legal[group * WORDS + i] = (uint2)(own_moves[i], other_moves[i]);
    }
    if (item == 0) {
        values[group] = value;
    }
}
