// A correct but slow example of the `playouts` contract (docs/KERNELS.md), for Connect Four. Each work-item plays one
// game. The kernel draws its own random numbers, so the experiment sets `own-random = true`. The file has no includes.

#define COLUMNS 7
#define ROWS 6

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

// Returns the next state of a xorshift64 generator. A state must not be 0.
ulong next_of(ulong state)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

// `position`: the mover's stones (low word, high word), then all stones. A square is bit 7 * column + row, with rows
// from the bottom. The seventh bit of a column stays empty. `first`: the number of the launch's first playout.
// `results`: one word per playout.
__kernel void playouts(
    __global const uint *restrict position,
    const uint key,
    const ulong first,
    const uint count,
    __global uint *restrict results)
{
    const uint item = (uint)get_global_id(0);
    // The last work-group may have more work-items than there are games.
    if (item >= count) {
        return;
    }
    const ulong number = first + item;
    ulong own = (ulong)position[1] << 32 | position[0];
    ulong stones = (ulong)position[3] << 32 | position[2];
    // Neighbouring playouts must start with states that are far apart.
    ulong state = (number * 0x9e3779b97f4a7c15ul) ^ ((ulong)key << 32 | 1u);
    for (int turn = 0; turn < 4; turn++) {
        state = next_of(state);
    }
    uint plies = 0u, won = 0u;
    while (true) {
        int open[COLUMNS], moves = 0;
        for (int column = 0; column < COLUMNS; column++) {
            if (!(stones >> (7 * column + ROWS - 1) & 1)) {
                open[moves] = column;
                moves += 1;
            }
        }
        if (moves == 0) {
            break;
        }
        // Playout n starts with move n modulo the number of moves. Later moves are random.
        state = next_of(state);
        const uint drawn = plies == 0u ? (uint)(number % (uint)moves) : (uint)(state >> 33) % (uint)moves;
        const ulong next = stones | (stones + (1ul << (7 * open[drawn])));
        const ulong mine = own | (next ^ stones);
        plies += 1u;
        if (has_four(mine)) {
            won = 1u;
            break;
        }
        // The other side is now to move.
        own = stones ^ own;
        stones = next;
    }
    // Two bits: 0 if the side to move at the root has won, 1 for a draw, 2 if it has lost. Above them: the number of
    // plies.
    const uint ending = won == 0u ? 1u : (plies & 1u) ? 0u : 2u;
    results[item] = ending | plies << 2;
}
