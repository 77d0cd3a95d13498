// Searches Connect Four with one tree per work-group. Plays games from the leaves as flat_refill.cl does.

#define GAMES_ALONE
#include "connect_four/flat_refill.cl"

// A position: the stones of the side to move, and all stones.
#define PARTS 2

typedef struct {
    lanes_t part[PARTS];
} position_t;

IN_CALLER position_t child_of(
    __global const ulong *root, __global const ulong *position, const lanes_t *index)
{
    const ulong own = position[0], stones = position[1];
    position_t child;
    for (int lane = 0; lane < LANES; lane++) {
        ulong squares = (stones + BOTTOM) & BOARD;
        for (ulong passed = 0; passed < index->of[lane]; passed++) {
            squares &= squares - 1UL;
        }
        child.part[0].of[lane] = own ^ stones;
        child.part[1].of[lane] = stones | (squares & (0UL - squares));
    }
    return child;
}

IN_CALLER wide_t moves_of(const position_t *position)
{
    const wide_t own = position->part[0].all, stones = position->part[1].all;
    const wide_t won = ALL_ONES(fours(own ^ stones) != 0UL);
    return popcount((stones + BOTTOM) & BOARD) & ~won;
}

IN_CALLER games_t games_from(
    __global const ulong *root, __global const ulong *position, const uint moves)
{
    games_t games;
    games.own.all = WIDE(position[0]);
    games.stones.all = WIDE(position[1]);
    games.plies.all = WIDE(1);
    games.live.all = WIDE(moves > 0u ? ~0UL : 0UL);
    games.won.all = ALL_ONES(fours(games.own.all ^ games.stones.all) != 0UL);
    return games;
}

#include "common/block_games.clh"
