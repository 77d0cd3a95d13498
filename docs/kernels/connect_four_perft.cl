// A correct but slow example of the `perft` contract (docs/KERNELS.md), for Connect Four. Each work-item counts the
// sequences from one position. The file has no includes.

#define COLUMNS 7
#define ROWS 6

// Maximum depth. The host sets it.
#ifndef LEVELS
#define LEVELS 6
#endif

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

__kernel void perft(
    __global const uint *restrict positions,
    const uint count,
    const int depth,
    __global ulong *restrict results)
{
    const uint item = (uint)get_global_id(0);
    // The last work-group may have more work-items than there are positions.
    if (item >= count) {
        return;
    }
    __global const uint *position = positions + item * POSITION_WORDS;
    // The positions on the current path, and the next column in each.
    ulong own[LEVELS + 1], stones[LEVELS + 1];
    int column[LEVELS + 1];
    own[0] = (ulong)position[1] << 32 | position[0];
    stones[0] = (ulong)position[3] << 32 | position[2];
    column[0] = 0;
    ulong leaves = 0, nodes = 1;
    int level = 0;
    // A finished game has no moves. A four of the other side ends the game.
    while (level >= 0) {
        const int at = column[level];
        if (at == COLUMNS || (at == 0 && has_four(own[level] ^ stones[level]))) {
            level -= 1;
            continue;
        }
        column[level] = at + 1;
        const ulong bottom = 1ul << (7 * at);
        const ulong next = stones[level] | (stones[level] + bottom);
        if (next >> (7 * at + ROWS) & 1) {
            continue;
        }
        nodes += 1;
        if (level + 1 == depth) {
            leaves += 1;
            continue;
        }
        own[level + 1] = own[level] ^ stones[level];
        stones[level + 1] = next;
        column[level + 1] = 0;
        level += 1;
    }
    // The number of sequences with exactly `depth` plies, then the number of positions entered, which may stay 0.
    results[2 * item] = leaves;
    results[2 * item + 1] = nodes;
}
