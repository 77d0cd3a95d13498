// Searches of reversi, under the contract `subtrees` (docs/KERNELS.md): right, and slow. A work-item searches one
// position of any board by alpha-beta. It includes nothing.

// The largest depth; the host says it.
#ifndef LEVELS
#define LEVELS 6
#endif

// A game that is over is worth this to the winner, and the discs that it is ahead; the host says it.
#ifndef WIN
#define WIN 1000000
#endif

// Below every value.
#define LOWEST (-(1 << 30))

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

// The value of a game that is over.
int final_of(const board_t *board)
{
    int ahead = 0;
    for (int square = 0; square < AREA; square++) {
        ahead += board->of[square];
    }
    return ahead == 0 ? 0 : ahead > 0 ? ahead + WIN : ahead - WIN;
}

// The other side is to move.
void pass(board_t *board)
{
    for (int square = 0; square < AREA; square++) {
        board->of[square] = -board->of[square];
    }
}

// `windows`: for each position a window, from its side to move: a value inside is to be exact, and in place of one
// outside any bound on the same side will do. `depth`: plies to search, a pass being one. `ply`: plies from the root
// to the positions, on which no value depends here. `worths`: of each square, rank by rank. `values`: one for each
// position, from its side to move. `nodes`: positions entered, which may stay 0.
__kernel void subtrees(
    __global const uint *restrict positions,
    __global const int2 *restrict windows,
    const uint count,
    const int depth,
    const int ply,
    __global const int *restrict worths,
    __global int *restrict values,
    __global ulong *restrict nodes)
{
    const uint item = (uint)get_global_id(0);
    // The last group may have more work-items than there are positions.
    if (item >= count) {
        return;
    }
    // The positions on the way to the one at hand: window, best value, next square.
    board_t board[LEVELS + 1];
    int alpha[LEVELS + 1], beta[LEVELS + 1], best[LEVELS + 1], square[LEVELS + 1];
    board[0] = board_of(positions + item * POSITION_WORDS);
    alpha[0] = windows[item].x;
    beta[0] = windows[item].y;
    best[0] = LOWEST;
    square[0] = 0;
    ulong entered = 1;
    int level = 0, value = 0;
    while (true) {
        bool deeper = false;
        if (level == depth) {
            value = value_of(&board[level], worths);
        } else if (best[level] >= beta[level]) {
            value = best[level];
        } else {
            while (square[level] < AREA && turned(&board[level], square[level], 1, false) == 0) {
                square[level] += 1;
            }
            const int at = square[level];
            const bool stuck = at == AREA && best[level] == LOWEST;
            if (at < AREA || (stuck && moves_of(&board[level], -1) > 0)) {
                deeper = true;
                board[level + 1] = board[level];
                if (at < AREA) {
                    square[level] += 1;
                    turned(&board[level + 1], at, 1, true);
                    board[level + 1].of[at] = 1;
                }
                pass(&board[level + 1]);
            } else {
                value = stuck ? final_of(&board[level]) : best[level];
            }
        }
        if (deeper) {
            entered += 1;
            alpha[level + 1] = -beta[level];
            beta[level + 1] = -max(alpha[level], best[level]);
            best[level + 1] = LOWEST;
            square[level + 1] = 0;
            level += 1;
            continue;
        }
        if (level == 0) {
            break;
        }
        // What is good for one side is as bad for the other.
        level -= 1;
        best[level] = max(best[level], -value);
    }
    values[item] = value;
    nodes[item] = entered;
}
