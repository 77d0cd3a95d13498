// Plays random games after each move of a position. When a game ends, the work-item starts another playout.

#include "checkers/games.clh"
#include "common/sums.clh"

// Number of work-items per group.
#ifndef GROUP
#define GROUP 64
#endif

// With 0, a work-item plays a single game in each of its lanes.
#ifndef REFILL
#define REFILL 1
#endif

// Number of calls of advance() between two passes that replace ended games.
#ifndef TURNS
#define TURNS 2
#endif

// Number of work-items in lockstep, as far as the host knows. Only the counters use this.
#ifndef WIDTH
#define WIDTH 32
#endif
#define BLOCKS ((GROUP + WIDTH - 1) / WIDTH)

// Number of words per first move: the position after it (own, other, kings), and the plies since the last capture.
#define CHILD_WORDS 4

// Offsets of a launch's sums, which follow the tally: plies (low word, high word), then steps (low, high). Each block
// of WIDTH work-items adds only the steps of its longest-running work-item.
#define SUM_PLIES 0
#define SUM_STEPS 2

#define NONE 0xffffffffu

// `playout`, `high`, `first`, `sums`, `tally`: as in common/flat_refill.clh.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void flat_refill(
    __global const uint *restrict children,
    const uint moves,
    const uint down,
    const uint key,
    const uint playout,
    const uint high,
    const uint first,
    const uint count,
    const uint share,
    __global uint *restrict sums,
    __local uint *tally)
{
    __local uint next;
    __local uint longest[BLOCKS];
    __local uint group_plies[2];
    const uint item = (uint)get_local_id(0);
    const uint begin = min((uint)get_group_id(0) * share, count);
    const uint end = min(begin + share, count);
    __global uint *totals = sums + 3u * moves;

    for (uint at = item; at < 3u * moves; at += GROUP) {
        tally[at] = 0u;
    }
    for (uint at = item; at < BLOCKS; at += GROUP) {
        longest[at] = 0u;
    }
    if (item == 0u) {
        next = begin;
        group_plies[0] = 0u;
        group_plies[1] = 0u;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    games_t games;
    games.board.own = games.board.other = games.board.kings = WORDS(0u);
    games.board.down = WORDS(down);
    games.quiet = games.plies = games.playout = WORDS(0u);
    games.high = WORDS(high);
    games.stuck = games.drawn = (flags_t)(0);
    // Index of each game's first move, or NONE in a lane without a game.
    lanes_t begun;
    begun.all = WORDS(NONE);
    // In the first pass, every lane needs a game.
    lanes_t ended;
    ended.all = WORDS(1u);
    ulong plies = 0;
    uint turns = 0u;
    bool playing = true;
    bool takes = true;
    while (playing) {
        if (ANY(ended.all != 0u)) {
            lanes_t own, other, kings, below_ones, quiet, since_root, number, ending;
            own.all = games.board.own;
            other.all = games.board.other;
            kings.all = games.board.kings;
            below_ones.all = games.board.down;
            quiet.all = games.quiet;
            since_root.all = games.plies;
            number.all = games.playout;
            ending.all = ending_of(&games);
            for (int lane = 0; lane < LANES; lane++) {
                if (ended.of[lane] == 0u) {
                    continue;
                }
                if (begun.of[lane] != NONE) {
                    atomic_inc(&tally[3u * begun.of[lane] + ending.of[lane]]);
                    plies += since_root.of[lane];
                    begun.of[lane] = NONE;
                }
                uint taken = end;
                if (takes) {
                    taken = atomic_inc(&next);
                }
                if (taken < end) {
                    const uint move = (first + taken) % moves;
                    const uint4 child = vload4(move, children);
                    own.of[lane] = child.x;
                    other.of[lane] = child.y;
                    kings.of[lane] = child.z;
                    below_ones.of[lane] = down;
                    quiet.of[lane] = child.w;
                    since_root.of[lane] = 1u;
                    number.of[lane] = playout + taken;
                    begun.of[lane] = move;
                } else {
                    // A game without pieces is over at every test.
                    own.of[lane] = other.of[lane] = kings.of[lane] = 0u;
                }
            }
            takes = REFILL;
            games.board.own = own.all;
            games.board.other = other.all;
            games.board.kings = kings.all;
            games.board.down = below_ones.all;
            games.quiet = quiet.all;
            games.plies = since_root.all;
            games.playout = number.all;
            playing = ANY(begun.all != NONE);
        }
        if (playing) {
            for (int turn = 0; turn < TURNS; turn++) {
                advance(&games, key);
            }
            turns += 1u;
            ended.all = MASK((games.stuck | games.drawn) & (begun.all != NONE));
        }
    }

    atomic_max(&longest[item / WIDTH], turns);
    const uint low = (uint)plies;
    const uint before = atomic_add(&group_plies[0], low);
    atomic_add(&group_plies[1], (uint)(plies >> 32) + (before + low < before ? 1u : 0u));
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint at = item; at < 3u * moves; at += GROUP) {
        if (tally[at] != 0u) {
            atomic_add(&sums[at], tally[at]);
        }
    }
    if (item == 0u) {
        add_wide(totals + SUM_PLIES, (ulong)group_plies[1] << 32 | group_plies[0]);
        ulong steps = 0;
        for (int block = 0; block < BLOCKS; block++) {
            steps += (ulong)longest[block] * (TURNS * STEPS);
        }
        add_wide(totals + SUM_STEPS, steps);
    }
}
