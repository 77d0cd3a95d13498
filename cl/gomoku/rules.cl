// The rules by themselves, for tests: what a stone of the side to move on each empty square of many
// positions changes, where its four lines are, and boards that stones are put on and taken from.

#define BOARD_SPACE __global

#include "gomoku/evaluate.clh"

// A square that holds a stone already.
#define TAKEN (-(1 << 30))

// A work-item a square of each position: along x the positions, along y the squares.
// `changes` has SQUARES words a position, `near` too: whether a stone lies beside.
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

// Plays a list of moves on an empty board, a work-item a position, takes the last one back, plays
// it again line by line, and leaves the balance of the side that is to move.
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
