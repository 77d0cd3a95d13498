// A correct but slow example of the `subtrees` contract (docs/KERNELS.md), for Connect Four. Each work-item searches
// one position with alpha-beta. The file has no includes.

#define COLUMNS 7
#define ROWS 6

// Maximum depth. The host sets it.
#ifndef LEVELS
#define LEVELS 6
#endif

// The options `two` and `three`. The host sets them.
#ifndef TWO
#define TWO 10
#define THREE 50
#endif

// The value of a win, before the number of plies from the root is subtracted. The host sets it.
#ifndef WIN
#define WIN 1000000
#endif

// Lower than every value of a position.
#define LOWEST (-(1 << 30))

// The words of a position: the mover's stones (low word, high word), then all stones. A square is bit 7 * column + row,
// with rows from the bottom. The seventh bit of a column stays empty.
#define POSITION_WORDS 4

// Returns true if these stones contain a four.
int has_four(const ulong own)
{
    const int steps[4] = {1, 7, 6, 8};
    for (int way = 0; way < 4; way++) {
        const ulong pairs = own & own >> steps[way];
        if (pairs & pairs >> (2 * steps[way])) {
            return 1;
        }
    }
    return 0;
}

// Returns the value of one side's stones: their squares, and their runs of two and three.
int sum_of(const ulong own, __global const int *worths)
{
    const int steps[4] = {1, 7, 6, 8};
    int sum = 0;
    for (int bit = 0; bit < 7 * COLUMNS; bit++) {
        sum += own >> bit & 1 ? worths[bit] : 0;
    }
    for (int way = 0; way < 4; way++) {
        const ulong twos = own & own >> steps[way];
        const ulong threes = twos & own >> (2 * steps[way]);
        sum += TWO * (int)popcount(twos) + THREE * (int)popcount(threes);
    }
    return sum;
}

// `windows`: one per position, for its side to move. A value inside its window must be exact. For a value outside, any
// bound on the same side is valid. `depth`: the number of plies to search. `ply`: the number of plies from the root to
// the positions. `worths`: the value of a stone on each square, by bit. `values`: one per position, for its side to
// move. `nodes`: the number of positions entered, which may stay 0.
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
    // The last work-group may have more work-items than there are positions.
    if (item >= count) {
        return;
    }
    __global const uint *position = positions + item * POSITION_WORDS;
    // The positions on the current path, with the window, the best value and the next column of each.
    ulong own[LEVELS + 1], stones[LEVELS + 1];
    int alpha[LEVELS + 1], beta[LEVELS + 1], best[LEVELS + 1], column[LEVELS + 1];
    own[0] = (ulong)position[1] << 32 | position[0];
    stones[0] = (ulong)position[3] << 32 | position[2];
    alpha[0] = windows[item].x;
    beta[0] = windows[item].y;
    best[0] = LOWEST;
    column[0] = 0;
    ulong entered = 1;
    int level = 0, value = 0;
    while (true) {
        if (has_four(own[level] ^ stones[level])) {
            // The side to move has lost.
            value = ply + level - WIN;
        } else if (popcount(stones[level]) == COLUMNS * ROWS) {
            value = 0;
        } else if (level == depth) {
            value = sum_of(own[level], worths) - sum_of(own[level] ^ stones[level], worths);
        } else if (best[level] >= beta[level] || column[level] == COLUMNS) {
            value = best[level];
        } else {
            const int at = column[level];
            column[level] += 1;
            const ulong next = stones[level] | (stones[level] + (1ul << (7 * at)));
            if (next >> (7 * at + ROWS) & 1) {
                // The column is full.
                continue;
            }
            entered += 1;
            own[level + 1] = own[level] ^ stones[level];
            stones[level + 1] = next;
            alpha[level + 1] = -beta[level];
            beta[level + 1] = -max(alpha[level], best[level]);
            best[level + 1] = LOWEST;
            column[level + 1] = 0;
            level += 1;
            continue;
        }
        if (level == 0) {
            break;
        }
        // Changes the sign, because the other side is to move in the parent.
        level -= 1;
        best[level] = max(best[level], -value);
    }
    values[item] = value;
    nodes[item] = entered;
}
