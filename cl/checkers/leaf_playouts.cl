// Plays the same number of random games from each leaf of a tree, and sums the half points of each leaf. When a game
// ends, the work-item starts the next game of its group.

#include "checkers/games.clh"

// Number of work-items per group.
#ifndef GROUP
#define GROUP 64
#endif

// Number of calls of advance() between two passes that replace ended games.
#ifndef TURNS
#define TURNS 2
#endif

// A leaf: own, other, kings, and the plies since the last capture. LEAF_DOWN is added if the mover's men go down.
#ifndef LEAF_DOWN
#define LEAF_DOWN 0x80000000u
#endif

// Offsets in `sums`: plies (low word, high word), ended games, and the half points of each leaf.
#ifndef SUM_PLIES
#define SUM_PLIES 0
#define SUM_GAMES 2
#define SUM_POINTS 4
#endif

// The parameters are as in common/leaf_playouts.clh.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void leaf_playouts(
    __global const uint *restrict leaves,
    const uint each,
    const uint key,
    const uint playout,
    const uint high,
    const uint first,
    const uint end,
    const uint share,
    __global uint *restrict sums)
{
    __local uint next;
    __local uint group_plies[2];
    __local uint group_games;
    const uint item = (uint)get_local_id(0);
    const uint group_first = first + (uint)get_group_id(0) * share;
    const uint group_end = end - group_first < share ? end : group_first + share;

    if (item == 0u) {
        next = group_first;
        group_plies[0] = 0u;
        group_plies[1] = 0u;
        group_games = 0u;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    games_t games;
    games.board.own = games.board.other = games.board.kings = games.board.down = WORDS(0u);
    games.quiet = games.plies = games.playout = WORDS(0u);
    games.high = high;
    games.stuck = games.drawn = (flags_t)(0);
    // 1 in each lane that plays a game, otherwise 0.
    lanes_t busy;
    busy.all = WORDS(0u);
    lanes_t leaf;
    leaf.all = WORDS(0u);
    // In the first pass, every lane needs a game.
    lanes_t ended;
    ended.all = WORDS(1u);
    ulong plies = 0;
    uint count = 0u;
    bool playing = true;
    while (playing) {
        if (ANY(ended.all != 0u)) {
            lanes_t own, other, kings, down, quiet, since_root, number, ending;
            own.all = games.board.own;
            other.all = games.board.other;
            kings.all = games.board.kings;
            down.all = games.board.down;
            quiet.all = games.quiet;
            since_root.all = games.plies;
            number.all = games.playout;
            ending.all = ending_of(&games);
            for (int lane = 0; lane < LANES; lane++) {
                if (ended.of[lane] == 0u) {
                    continue;
                }
                if (busy.of[lane] != 0u) {
                    // WON, DRAWN and LOST mean 2, 1 and 0 half points.
                    atomic_add(&sums[SUM_POINTS + leaf.of[lane]], LOST - ending.of[lane]);
                    plies += since_root.of[lane];
                    count += 1u;
                }
                const uint taken = atomic_inc(&next);
                busy.of[lane] = taken < group_end ? 1u : 0u;
                if (taken < group_end) {
                    leaf.of[lane] = taken / each;
                    const uint4 words = vload4(leaf.of[lane], leaves);
                    own.of[lane] = words.x;
                    other.of[lane] = words.y;
                    kings.of[lane] = words.z;
                    down.of[lane] = (words.w & LEAF_DOWN) != 0u ? ~0u : 0u;
                    quiet.of[lane] = words.w & ~LEAF_DOWN;
                    since_root.of[lane] = 0u;
                    number.of[lane] = playout + taken;
                } else {
                    // A game without pieces is over at every test.
                    own.of[lane] = other.of[lane] = kings.of[lane] = 0u;
                }
            }
            games.board.own = own.all;
            games.board.other = other.all;
            games.board.kings = kings.all;
            games.board.down = down.all;
            games.quiet = quiet.all;
            games.plies = since_root.all;
            games.playout = number.all;
            playing = ANY(busy.all != 0u);
        }
        if (playing) {
            for (int turn = 0; turn < TURNS; turn++) {
                advance(&games, key);
            }
            ended.all = MASK((games.stuck | games.drawn) & (busy.all != 0u));
        }
    }

    const uint low = (uint)plies;
    const uint before = atomic_add(&group_plies[0], low);
    atomic_add(&group_plies[1], (uint)(plies >> 32) + (before + low < before ? 1u : 0u));
    atomic_add(&group_games, count);
    barrier(CLK_LOCAL_MEM_FENCE);

    if (item == 0u) {
        const uint sum = group_plies[0];
        const uint sum_before = atomic_add(&sums[SUM_PLIES], sum);
        atomic_add(&sums[SUM_PLIES + 1], group_plies[1] + (sum_before + sum < sum_before ? 1u : 0u));
        atomic_add(&sums[SUM_GAMES], group_games);
    }
}
