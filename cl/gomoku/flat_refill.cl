// Random games of gomoku on boards of up to 16x16: any empty square, until five in a row or a full board. A ply is
// that of src/games/gomoku/random_game.rs, where it is told.
//
// A game's list of empty squares and its lines lie in local memory, word after word of all work-items side by
// side: however differently they index it, each reads its own bank.

#include "common/wide.clh"

#ifndef GROUP
#define GROUP 64
#endif

#define WON 0u
#define DRAWN 1u
#define LOST 2u

// Plies that a random word serves: RandomStones::PLIES_PER_WORD.
#ifndef PLIES_PER_WORD
#define PLIES_PER_WORD 1
#endif

// The longest side, and where the lines begin: RandomBoard::words() in src/games/gomoku/random_game.rs.
#define LONGEST 16u
#define ROWS_AT 64u
#define COLUMNS_AT (ROWS_AT + LONGEST)
#define FALLING_AT (COLUMNS_AT + LONGEST)
#define RISING_AT (FALLING_AT + 2u * LONGEST - 1u)
// Words of a game in local memory.
#define ROOM_WORDS (RISING_AT + 2u * LONGEST - 1u)

// A first move: those words, the number of empty squares, and how the game stands.
#define CHILD_WORDS ((ROOM_WORDS + 2u) / 2u)

typedef struct {
    // This work-item's first word; the next is GROUP words on.
    __local uint *room;
    uint left;
    uint plies;
    bool live;
    bool won;
} games_t;

IN_CALLER games_t no_games(__local uint *room)
{
    games_t games;
    games.room = room;
    games.left = games.plies = 0u;
    games.live = games.won = false;
    return games;
}

IN_CALLER void put_game(games_t *games, const int lane, __global const ulong *child)
{
    (void)lane;
    for (uint at = 0u; at < ROOM_WORDS / 2u; at++) {
        const ulong pair = child[at];
        games->room[2u * at * GROUP] = (uint)pair;
        games->room[(2u * at + 1u) * GROUP] = (uint)(pair >> 32);
    }
    const ulong last = child[ROOM_WORDS / 2u];
    games->left = (uint)last;
    games->live = (last >> 32 & 1UL) != 0UL;
    games->won = (last >> 32 & 2UL) != 0UL;
    games->plies = 1u;
}

// Puts a stone into a line; not 0 where five are in a row then.
IN_CALLER uint five_in(__local uint *room, const uint line, const uint place, const uint shift)
{
    const uint stones = room[line * GROUP] | 1u << (place + shift);
    room[line * GROUP] = stones;
    const uint own = stones >> shift & 0xffffu;
    const uint pairs = own & own >> 1;
    return pairs & pairs >> 2 & own >> 4;
}

IN_CALLER void advance(games_t *games, wide_t word)
{
    if (!games->live) {
        return;
    }
    __local uint *room = games->room;
    for (int ply = 0; ply < PLIES_PER_WORD && games->live; ply++) {
        const uint place = (uint)digit(&word, games->left);
        games->left -= 1u;
        const uint here = (place & 3u) * 8u, there = (games->left & 3u) * 8u;
        const uint squares = room[(place >> 2) * GROUP];
        const uint square = squares >> here & 255u;
        const uint last = room[(games->left >> 2) * GROUP] >> there & 255u;
        room[(place >> 2) * GROUP] = squares ^ (square ^ last) << here;
        const uint x = square & 15u, y = square >> 4, shift = (games->plies & 1u) * 16u;
        const uint five = five_in(room, ROWS_AT + y, x, shift)
            | five_in(room, COLUMNS_AT + x, y, shift)
            | five_in(room, FALLING_AT + LONGEST - 1u + x - y, x, shift)
            | five_in(room, RISING_AT + x + y, x, shift);
        games->plies += 1u;
        games->won = five != 0u;
        games->live = five == 0u && games->left > 0u;
    }
}

IN_CALLER wide_t ended(const games_t *games)
{
    return ALL_ONES(!games->live);
}

IN_CALLER ulong plies_of(const games_t *games, const int lane)
{
    (void)lane;
    return games->plies;
}

IN_CALLER uint ending_of(const games_t *games, const int lane)
{
    (void)lane;
    if (!games->won) {
        return DRAWN;
    }
    return (games->plies & 1u) != 0u ? WON : LOST;
}

#ifdef OF_LEAVES
#include "common/leaf_playouts.clh"
#else
#include "common/flat_refill.clh"
#endif
