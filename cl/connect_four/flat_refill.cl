// Plays random games of Connect Four. Each ply plays a random column that has room, until there are four in a row or
// the board is full. src/games/connect_four/random_game.rs explains how a ply works.

#include "common/sums.clh"
#include "common/wide.clh"

// Number of bits per column: one per square, from the bottom, and one that is always empty.
#define STRIDE 7
#define BOTTOM 0x40810204081UL
#define BOARD (BOTTOM * 63UL)
#define FIELDS (BOTTOM * 127UL)

#define WON 0u
#define DRAWN 1u
#define LOST 2u

// Number of plies per random word (RandomColumns::PLIES_PER_WORD).
#ifndef PLIES_PER_WORD
#define PLIES_PER_WORD 4
#endif

// Number of words per first move: mover's stones, all stones, all ones if the game continues, all ones if it is won.
#define CHILD_WORDS 4

typedef struct {
    lanes_t own;
    lanes_t stones;
    lanes_t plies;
    lanes_t live;
    lanes_t won;
} games_t;

IN_CALLER games_t no_games(void)
{
    games_t games;
    games.own.all = games.stones.all = games.plies.all = WIDE(0);
    games.live.all = games.won.all = WIDE(0);
    return games;
}

IN_CALLER void put_game(games_t *games, const int lane, __global const ulong *child)
{
    games->own.of[lane] = child[0];
    games->stones.of[lane] = child[1];
    games->live.of[lane] = child[2];
    games->won.of[lane] = child[3];
    games->plies.of[lane] = 1UL;
}

IN_CALLER wide_t fours(const wide_t stones)
{
    wide_t pairs = stones & stones >> 1;
    wide_t found = pairs & pairs >> 2;
    pairs = stones & stones >> (STRIDE - 1);
    found |= pairs & pairs >> (2 * (STRIDE - 1));
    pairs = stones & stones >> STRIDE;
    found |= pairs & pairs >> (2 * STRIDE);
    pairs = stones & stones >> (STRIDE + 1);
    return found | (pairs & pairs >> (2 * (STRIDE + 1)));
}

IN_CALLER void advance(games_t *games, wide_t word)
{
    wide_t own = games->own.all, stones = games->stones.all, plies = games->plies.all;
    wide_t live = games->live.all, won = games->won.all;
    for (int ply = 0; ply < PLIES_PER_WORD; ply++) {
        wide_t counts = ~stones >> (STRIDE - 2) & BOTTOM;
#if LANES == 1
        counts *= BOTTOM;
#else
        // This is not a multiplication, because some processors cannot multiply vectors of 64-bit words.
        counts += counts << STRIDE;
        counts += counts << (2 * STRIDE);
        counts += counts << (4 * STRIDE);
#endif
        wide_t above = 63UL - digit(&word, counts >> (6 * STRIDE) & 7UL);
#if LANES == 1
        above *= BOTTOM;
#else
        above |= above << STRIDE;
        above |= above << (2 * STRIDE);
        above |= above << (4 * STRIDE);
        above &= FIELDS;
#endif
        const wide_t past = ((counts & FIELDS) + above) >> (STRIDE - 1) & BOTTOM;
        const wide_t column = past & (0UL - past) & live;
        own ^= stones & live;
        stones |= stones + column;
        plies += live & 1UL;
        const wide_t four = ALL_ONES(fours(own ^ stones) != 0UL) & live;
        won |= four;
        live &= ~four & ALL_ONES(stones != BOARD);
    }
    games->own.all = own;
    games->stones.all = stones;
    games->plies.all = plies;
    games->live.all = live;
    games->won.all = won;
}

IN_CALLER wide_t ended(const games_t *games)
{
    return ~games->live.all;
}

IN_CALLER ulong plies_of(const games_t *games, const int lane)
{
    return games->plies.of[lane];
}

IN_CALLER uint ending_of(const games_t *games, const int lane)
{
    if (games->won.of[lane] == 0UL) {
        return DRAWN;
    }
    return (games->plies.of[lane] & 1UL) != 0UL ? WON : LOST;
}

#ifndef GAMES_ALONE
#include "common/flat_refill.clh"
#endif
