// Tests only the rules. One kernel computes, for many positions, the change in balance from a stone on each empty
// square. The other kernel places stones on boards and removes them.

#define BOARD_SPACE __global

#include "gomoku/evaluate.clh"

// Marks a square that has a stone.
#define TAKEN (-(1 << 30))

// Has one work-item per square of each position, with positions along x and squares along y. `changes` and `near` have
// SQUARES words per position. `near` is true if a stone is next to the square.
__kernel void changes(
    __global const int *restrict tables,
    __global const lines_t *boards,
    __global const int *movers,
    __global int *changes,
    __global int *near) {
    const int position = (int)get_global_id(0), square = (int)get_global_id(1);
    const int x = square % SIDE, y = square / SIDE;
    __global const lines_t *board = boards + position * LINES;
    const int at = position * SQUARES + square;
    changes[at] =
        is_empty(board, x, y) ? change_by(tables, board, x, y, movers[position]) : TAKEN;
    near[at] = has_neighbour(board, x, y);
}

// Has one work-item per position, which plays a list of moves. It places each stone, removes it, and places it again
// line by line. It writes the balance for the side to move to `balances`.
__kernel void play(
    __global const int *restrict tables,
    __global const int *moves,
    __global const int *counts,
    const int most,
    __global lines_t *boards,
    __global int *balances) {
    const int position = (int)get_global_id(0);
    __global lines_t *board = boards + position * LINES;
    int balance = 0;
    for (int i = 0; i < counts[position]; ++i) {
        const int square = moves[position * most + i];
        const int x = COLUMN_OF(square), y = ROW_OF(square), colour = i & 1;
        balance = -(balance + change_by(tables, board, x, y, colour));
        put_stone(board, x, y, colour);
        take_stone(board, x, y);
        for (int direction = 0; direction < 4; ++direction) {
            const int line = line_through(x, y, direction);
            board[line] = with_stone(board[line], place_on(x, y, direction), colour);
        }
    }
    balances[position] = balance;
}
