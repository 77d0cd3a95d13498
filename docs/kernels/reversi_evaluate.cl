// The evaluation of reversi, under the contract `evaluate` (docs/KERNELS.md): right, and slow. A work-item values one
// position of any board. It includes nothing.

// Files and ranks, and what a move more than the other side has is worth; the host says them.
#ifndef WIDTH
#define WIDTH 8
#define HEIGHT 8
#endif
#ifndef MOBILITY
#define MOBILITY 10
#endif

#define AREA (WIDTH * HEIGHT)
// Words of a position: rank by rank, in words of 32 files, the mover's discs and then the other's; bit x of word h
// is file 32 * h + x.
#define RANK_WORDS ((WIDTH + 31) / 32)
#define POSITION_WORDS (2 * HEIGHT * RANK_WORDS)

// A board: 1 a disc of the mover's, -1 one of the other's, 0 an empty square, rank by rank.
typedef struct {
    char of[AREA];
} board_t;

board_t board_of(__global const uint *position)
{
    board_t board;
    for (int square = 0; square < AREA; square++) {
        const int file = square % WIDTH;
        __global const uint *words = position + 2 * (square / WIDTH * RANK_WORDS + file / 32);
        board.of[square] = (char)(words[0] >> (file % 32) & 1u) - (char)(words[1] >> (file % 32) & 1u);
    }
    return board;
}

// The discs that a side's disc on a square turns over; none where that is no move. They are turned where `turns`.
int turned(board_t *board, const int square, const char side, const bool turns)
{
    if (board->of[square] != 0) {
        return 0;
    }
    int sum = 0;
    for (int way = 0; way < 9; way++) {
        const int x = way % 3 - 1, y = way / 3 - 1;
        int file = square % WIDTH + x, rank = square / WIDTH + y, run = 0;
        while (way != 4 && file >= 0 && file < WIDTH && rank >= 0 && rank < HEIGHT
               && board->of[rank * WIDTH + file] == -side) {
            file += x;
            rank += y;
            run += 1;
        }
        const bool closed = run > 0 && file >= 0 && file < WIDTH && rank >= 0 && rank < HEIGHT
            && board->of[rank * WIDTH + file] == side;
        sum += closed ? run : 0;
        for (int back = 1; closed && turns && back <= run; back++) {
            board->of[(rank - back * y) * WIDTH + file - back * x] = side;
        }
    }
    return sum;
}

int moves_of(board_t *board, const char side)
{
    int moves = 0;
    for (int square = 0; square < AREA; square++) {
        moves += turned(board, square, side, false) > 0;
    }
    return moves;
}

// The value for the mover: the squares of the discs, and the moves.
int value_of(board_t *board, __global const int *worths)
{
    int sum = MOBILITY * (moves_of(board, 1) - moves_of(board, -1));
    for (int square = 0; square < AREA; square++) {
        sum += board->of[square] * worths[square];
    }
    return sum;
}

// `worths`: of each square, rank by rank. `values`: one for each position, from the side to move.
__kernel void evaluate(
    __global const uint *restrict positions,
    const uint count,
    __global const int *restrict worths,
    __global int *restrict values)
{
    const uint item = (uint)get_global_id(0);
    // The last group may have more work-items than there are positions.
    if (item >= count) {
        return;
    }
    board_t board = board_of(positions + item * POSITION_WORDS);
    values[item] = value_of(&board, worths);
}
