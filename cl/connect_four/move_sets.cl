// Evaluates move sets as published (Connect Four AI, "Algorithm Description"). Each work-item replays its whole set on
// a board of bytes. Its board and its moves are in local memory. Three stages sum the utilities. OPTIMISTIC selects the
// paper's first strategy, in which only the best set counts.
//
// No work-item reads another's board or moves, so the only barrier precedes the summation of the utilities.

#include "connect_four/move_sets.clh"

// Contents of a square: EMPTY, 1 (a stone of the side to move at the root) or 2 (an opponent's stone).
#define EMPTY 0
#define SQUARES (COLUMNS * ROWS)

// Returns the length, at most three, of the run of `owner`'s stones next to a square in a direction.
IN_CALLER int
run_from(__local const uchar *board, int column, int row, int x, int y, uchar owner) {
    int length = 0;
    for (int step = 1; step <= 3; ++step) {
        const int to = column + step * x, up = row + step * y;
        if (to < 0 || to >= COLUMNS || up < 0 || up >= ROWS || board[to * ROWS + up] != owner) {
            break;
        }
        length = step;
    }
    return length;
}

// Plays a set on a work-item's board. `value` is the value of the root for the side to move there.
IN_CALLER set_t replay_bytes(
    __global const int *restrict table,
    __local uchar *board,
    __local const uchar *moves,
    int value,
    int empty) {
    set_t played = {0, 0, true};
    for (int ply = 1; ply <= PLIES; ++ply) {
        const int column = moves[ply - 1];
        int row = 0;
        while (row < ROWS && board[column * ROWS + row] != EMPTY) {
            row += 1;
        }
        if (row == ROWS) {
            played.whole = false;
            break;
        }
        played.entered += 1;
        const uchar owner = (uchar)(2 - (ply & 1));
        const int sign = ply & 1 ? 1 : -1;
        board[column * ROWS + row] = owner;
        uint twos = 0, threes = 0;
        bool won = false;
        for (int direction = 0; direction < 4; ++direction) {
            const int x = direction > 0, y = direction == 0 ? 1 : direction - 2;
            const int before = run_from(board, column, row, -x, -y, owner);
            const int after = run_from(board, column, row, x, y, owner);
            won |= before + after >= 3;
            twos += (uint)(before > 0) + (uint)(after > 0);
            threes += (uint)(before > 1) + (uint)(after > 1) + (uint)(before > 0 && after > 0);
        }
        const uint runs = (twos & 7u) | (threes & 7u) << 3;
        value += sign * (table[column * STRIDE + row] + table[RUNS_AT + runs]);
        const bool over = won || ply == empty;
        const int worth = won ? sign * (WIN - ply) : over ? 0 : value;
#if OPTIMISTIC
        played.utility = worth;
#else
        played.utility += worth;
#endif
        if (over) {
            break;
        }
    }
    return played;
}

__kernel __attribute__((reqd_work_group_size(GROUP_X, 7, 1))) void move_sets(
    __global const int *restrict table,
    const ulong own,
    const ulong stones,
    const int value,
    __global long *restrict scores) {
    __local uchar boards[ITEMS * SQUARES];
    __local uchar moves[ITEMS * PLIES];
    __local long utilities[ITEMS];
    __local uint entered[ITEMS];
    const int item = (int)(get_local_id(1) * GROUP_X + get_local_id(0));
    __local uchar *board = boards + item * SQUARES;
    __local uchar *own_moves = moves + item * PLIES;
    ulong set;
    const int sets = set_of_place(&set) ? LOOP_SETS : 0;
    const int empty = SQUARES - (int)popcount(stones);
    long joined = NONE;
    uint positions = 0;
    for (int i = 0; i < sets; ++i) {
        for (int column = 0; column < COLUMNS; ++column) {
            for (int row = 0; row < ROWS; ++row) {
                const int bit = column * STRIDE + row;
                const uchar stone = (uchar)(stones >> bit & 1);
                const uchar theirs = (uchar)((own ^ stones) >> bit & 1);
                board[column * ROWS + row] = stone + theirs;
            }
        }
        for (int ply = 1; ply <= PLIES; ++ply) {
            own_moves[ply - 1] = (uchar)move_at(set, ply);
        }
        const set_t played = replay_bytes(table, board, own_moves, value, empty);
        joined = played.whole ? JOINED(joined, played.utility) : joined;
        positions += played.entered;
        set = set_after(set);
    }
    utilities[item] = joined;
    entered[item] = positions;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0) {
        sum_group(utilities, entered, scores);
    }
}
