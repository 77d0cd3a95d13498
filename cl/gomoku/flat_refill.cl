// Plays random games of gomoku on boards of up to 16x16. Each ply plays a random empty square, until there is a five or
// the board is full. src/games/gomoku/random_game.rs explains how a ply works.
//
// A game's list of empty squares and its lines are in local memory. If a work-item plays one game, the words of all
// work-items are interleaved, so that each work-item always reads a different memory bank. If it plays several games,
// on a CPU, the words of each game are contiguous. The plies of its games are independent, so a core can overlap them.

#include "common/sums.clh"
#include "common/wide.clh"

#ifndef GROUP
#define GROUP 64
#endif

#define WON 0u
#define DRAWN 1u
#define LOST 2u

// Number of plies per random word (RandomStones::PLIES_PER_WORD).
#ifndef PLIES_PER_WORD
#define PLIES_PER_WORD 1
#endif

// Maximum side of a board, then offsets of the lines, as in RandomBoard::words() in src/games/gomoku/random_game.rs.
#define LONGEST 16u
#define ROWS_AT 64u
#define COLUMNS_AT (ROWS_AT + LONGEST)
#define FALLING_AT (COLUMNS_AT + LONGEST)
#define RISING_AT (FALLING_AT + 2u * LONGEST - 1u)
// Number of words per game in local memory.
#define ROOM_WORDS (RISING_AT + 2u * LONGEST - 1u)

// Number of 64-bit words per first move: the game's words, its number of empty squares, and its state.
#define CHILD_WORDS ((ROOM_WORDS + 2u) / 2u)

#if LANES == 1
#define STEP GROUP
#else
#define STEP 1
#endif

typedef struct {
    // The first word of this work-item's first game. Consecutive words of a game are STEP words apart.
    __local uint *room;
    uint left[LANES];
    uint plies[LANES];
    bool live[LANES];
    bool won[LANES];
} games_t;

IN_CALLER games_t no_games(__local uint *room, const uint item)
{
    games_t games;
    games.room = room + item * (LANES == 1 ? 1 : LANES * ROOM_WORDS);
    for (int lane = 0; lane < LANES; lane++) {
        games.left[lane] = games.plies[lane] = 0u;
        games.live[lane] = games.won[lane] = false;
    }
    return games;
}

IN_CALLER void put_game(games_t *games, const int lane, __global const ulong *child)
{
    __local uint *room = games->room + lane * (int)ROOM_WORDS;
    for (uint at = 0u; at < ROOM_WORDS / 2u; at++) {
        const ulong pair = child[at];
        room[2u * at * STEP] = (uint)pair;
        room[(2u * at + 1u) * STEP] = (uint)(pair >> 32);
    }
    const ulong last = child[ROOM_WORDS / 2u];
    games->left[lane] = (uint)last;
    games->live[lane] = (last >> 32 & 1UL) != 0UL;
    games->won[lane] = (last >> 32 & 2UL) != 0UL;
    games->plies[lane] = 1u;
}

// Returns the address of an entry in the list of empty squares, which is a byte of a word.
IN_CALLER __local uchar *entry(__local uint *room, const uint place)
{
    return (__local uchar *)room + (place & ~3u) * STEP + (place & 3u);
}

// Adds a stone to a line. Returns the line's word, shifted down by `shift`.
IN_CALLER uint with_stone(__local uint *room, const uint line, const uint stone, const uint shift)
{
    const uint stones = room[line * STEP] | stone;
    room[line * STEP] = stones;
    return stones >> shift;
}

// Returns a nonzero number if one of two lines has five in a row. A run across both lines does not count, because no
// pair may start at or after the last place of the first line.
IN_CALLER uint fives(const uint first, const uint second)
{
    const uint lines = (first & 0xffffu) | second << 16;
    const uint pairs = lines & lines >> 1 & 0x7fff7fffu;
    return pairs & pairs >> 2 & lines >> 4 & 0x0fff0fffu;
}

IN_CALLER void play(games_t *games, const int lane, ulong *word)
{
    __local uint *room = games->room + lane * (int)ROOM_WORDS;
    const ulong product = (ulong)(uint)*word * games->left[lane];
    *word = (uint)product;
    games->left[lane] -= 1u;
    __local uchar *taken = entry(room, (uint)(product >> 32));
    const uint square = *taken;
    *taken = *entry(room, games->left[lane]);
    const uint x = square & 15u, y = square >> 4, shift = (games->plies[lane] & 1u) * 16u;
    const uint at_x = 1u << (x + shift), at_y = 1u << (y + shift);
    const uint row = with_stone(room, ROWS_AT + y, at_x, shift);
    const uint column = with_stone(room, COLUMNS_AT + x, at_y, shift);
    const uint falling = with_stone(room, FALLING_AT + LONGEST - 1u + x - y, at_x, shift);
    const uint rising = with_stone(room, RISING_AT + x + y, at_x, shift);
    games->plies[lane] += 1u;
    games->won[lane] = (fives(row, column) | fives(falling, rising)) != 0u;
    games->live[lane] = !games->won[lane] && games->left[lane] > 0u;
}

IN_CALLER void advance(games_t *games, const wide_t word)
{
    lanes_t words;
    words.all = word;
    for (int ply = 0; ply < PLIES_PER_WORD; ply++) {
        for (int lane = 0; lane < LANES; lane++) {
            if (games->live[lane]) {
                play(games, lane, &words.of[lane]);
            }
        }
    }
}

IN_CALLER wide_t ended(const games_t *games)
{
    lanes_t over;
    for (int lane = 0; lane < LANES; lane++) {
        over.of[lane] = games->live[lane] ? 0UL : ~0UL;
    }
    return over.all;
}

IN_CALLER ulong plies_of(const games_t *games, const int lane)
{
    return games->plies[lane];
}

IN_CALLER uint ending_of(const games_t *games, const int lane)
{
    if (!games->won[lane]) {
        return DRAWN;
    }
    return (games->plies[lane] & 1u) != 0u ? WON : LOST;
}

#ifndef GAMES_ALONE
#include "common/flat_refill.clh"
#endif
