// Plays random games that begin with one of a position's moves (the published kernel). Each work-item plays LANES games
// to the end and writes their results.

#include "checkers/games.clh"

// Number of work-items per group.
#ifndef GROUP
#define GROUP 64
#endif

// The initial state of the paper's generator. Each thread XORs its number into it.
#define XORSHIFT_BEGIN 0x9e3779b9u

// `own` to `quiet`: the position after the first move, and the plies since the last capture. `low`, `high`: the words
// of the first playout's number. The numbers of consecutive playouts differ by `moves`. `key`: the key of the draws or,
// with XORSHIFT, the first game's thread number. `results`: each game's result in the two lowest bits, and its plies in
// the others. `steps`: number of steps that each work-item takes. Both buffers have space for whole groups.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void flat(
    const uint own,
    const uint other,
    const uint kings,
    const uint quiet,
    const uint down,
    const uint moves,
    const uint key,
    const uint low,
    const uint high,
    const uint count,
    __global uint *restrict results,
    __global uint *restrict steps)
{
    const uint item = (uint)get_global_id(0);
    const ulong first = (ulong)high << 32 | low;
    lanes_t playout, above, live, state;
    for (int lane = 0; lane < LANES; lane++) {
        const uint game = item * LANES + (uint)lane;
        const ulong number = first + (ulong)game * moves;
        playout.of[lane] = (uint)number;
        above.of[lane] = (uint)(number >> 32) << 16;
        state.of[lane] = XORSHIFT_BEGIN ^ (key + game);
        live.of[lane] = game < count ? ~0u : 0u;
    }
    games_t games;
    // A game without pieces ends at its first test.
    games.board.own = own & live.all;
    games.board.other = other & live.all;
    games.board.kings = kings & live.all;
    games.board.down = WORDS(down);
    games.quiet = WORDS(quiet);
    games.plies = WORDS(1u);
    games.playout = playout.all;
    games.high = above.all;
#if XORSHIFT
    games.state = state.all;
#endif
    uint turns = 0u;
    do {
        advance(&games, key);
        turns += 1u;
    } while (ANY((games.stuck | games.drawn) == 0));

    lanes_t result;
    result.all = ending_of(&games) | games.plies << 2;
    for (int lane = 0; lane < LANES; lane++) {
        results[item * LANES + (uint)lane] = result.of[lane];
    }
    steps[item] = turns * STEPS;
}
