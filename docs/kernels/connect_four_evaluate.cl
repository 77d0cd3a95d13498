// A correct but slow example of the `evaluate` contract (docs/KERNELS.md), for Connect Four. Each work-item evaluates
// one position. The file has no includes.

#define COLUMNS 7
#define ROWS 6

// The options `two` and `three`. The host sets them.
#ifndef TWO
#define TWO 10
#define THREE 50
#endif

// The words of a position: the mover's stones (low word, high word), then all stones. A square is bit 7 * column + row,
// with rows from the bottom. The seventh bit of a column stays empty.
#define POSITION_WORDS 4

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

// `worths`: the value of a stone on each square, by bit. `values`: one per position, for the side to move.
__kernel void evaluate(
    __global const uint *restrict positions,
    const uint count,
    __global const int *restrict worths,
    __global int *restrict values)
{
    const uint item = (uint)get_global_id(0);
    // The last work-group may have more work-items than there are positions.
    if (item >= count) {
        return;
    }
    __global const uint *position = positions + item * POSITION_WORDS;
    const ulong own = (ulong)position[1] << 32 | position[0];
    const ulong stones = (ulong)position[3] << 32 | position[2];
    values[item] = sum_of(own, worths) - sum_of(stones ^ own, worths);
}
