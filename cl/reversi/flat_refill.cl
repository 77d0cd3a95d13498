// Plays random games of reversi on 8x8. Each ply plays a random legal move, or passes if there is none, until neither
// side can move. src/games/reversi/random_game.rs explains how a ply works.

#include "common/sums.clh"
#include "common/wide.clh"
#define BITS8_WORD wide_t
#include "reversi/bits8.clh"

#define WON 0u
#define DRAWN 1u
#define LOST 2u

// Number of plies per random word (RandomSquares::PLIES_PER_WORD).
#ifndef PLIES_PER_WORD
#define PLIES_PER_WORD 2
#endif

// Number of words per first move: the mover's discs, the other side's discs, and all ones if the game continues.
#define CHILD_WORDS 3

typedef struct {
    lanes_t own;
    lanes_t other;
    lanes_t plies;
    lanes_t live;
    lanes_t passed;
} games_t;

IN_CALLER games_t no_games(void)
{
    games_t games;
    games.own.all = games.other.all = games.plies.all = WIDE(0);
    games.live.all = games.passed.all = WIDE(0);
    return games;
}

IN_CALLER void put_game(games_t *games, const int lane, __global const ulong *child)
{
    games->own.of[lane] = child[0];
    games->other.of[lane] = child[1];
    games->live.of[lane] = child[2];
    games->passed.of[lane] = 0UL;
    games->plies.of[lane] = 1UL;
}

#if LANES == 1
// The squares on a line upwards from square 0, in steps of 7, 8 and 9 bits.
#define LINE_7 0x0002040810204080UL
#define LINE_8 0x0101010101010100UL
#define LINE_9 0x8040201008040200UL

// Returns the unbroken run in `runs` that starts next to a square and goes up a line. A carry finds its end. A line
// that leaves the board on one side re-enters on the other, where no run towards the square has a disc.
IN_CALLER ulong run_up_line(const ulong runs, const ulong line, const uint place)
{
    const ulong squares = line << place;
    const ulong filled = runs | ~squares;
    return squares & filled & ~(filled + 1UL);
}

// Returns the board with its ranks in reverse order.
IN_CALLER ulong upside_down(const ulong board)
{
    return as_ulong(as_uchar8(board).s76543210);
}

// Returns the discs that a move to a square flips, given the runs from the mover's discs. Going down the ranks is the
// same as going up the upside-down board.
IN_CALLER ulong turned_at(const uint place, const runs_t *runs)
{
    const uint below = place ^ 56u;
    const ulong turned = (runs->down1 & ~(runs->down1 + (2UL << place)))
        | run_up_line(runs->down7, LINE_7, place) | run_up_line(runs->down8, LINE_8, place)
        | run_up_line(runs->down9, LINE_9, place);
    const ulong turned_below = run_up_line(upside_down(runs->up7), LINE_9, below)
        | run_up_line(upside_down(runs->up8), LINE_8, below) | run_up_line(upside_down(runs->up9), LINE_7, below);
    // When the move's square is shifted out, the squares below it on its rank become the top bits. The first square
    // needs no shift, because the top bit is never in a run along a rank.
    const uint next = (uint)(runs->up1 << (0u - place & 63u) >> 32);
    const uint discs = clz(~next);
    return turned | upside_down(turned_below) | (ulong)((1u << discs) - 1u) << (place - discs & 63u);
}

// Returns a random move, drawn with a digit of the word. If there are no moves, returns 0 and uses no digit.
IN_CALLER uint random_place(const ulong moves, wide_t *word)
{
    const uint count = (uint)popcount(moves);
    const uint index = (uint)digit(word, max(count, 1u));
    return count == 0u ? 0u : bit_of(moves, (int)index);
}
#else
// Returns a random move, drawn with a digit of the word. If there are no moves, returns no square and uses no digit.
IN_CALLER wide_t random_square(const wide_t moves, wide_t *word)
{
    wide_t counts = moves - (moves >> 1 & 0x5555555555555555UL);
    counts = (counts & 0x3333333333333333UL) + (counts >> 2 & 0x3333333333333333UL);
    counts = (counts + (counts >> 4)) & 0x0f0f0f0f0f0f0f0fUL;
    counts += counts << 8;
    counts += counts << 16;
    counts += counts << 32;
    const wide_t none = ALL_ONES(moves == 0UL) & 1UL;
    const wide_t index = digit(word, (counts >> 56) + none);
    wide_t above = 127UL - index;
    above |= above << 8;
    above |= above << 16;
    above |= above << 32;
    const wide_t past = (counts + above) & 0x8080808080808080UL;
    const wide_t rank = past & (0UL - past);
    const wide_t files = (rank << 1) - (rank >> 7);
    wide_t before = counts << 8 & files;
    before |= before >> 32;
    before |= before >> 16;
    before |= before >> 8;
    const wide_t left = index - (before & 0xffUL);
    wide_t bits = moves & files;
    for (int cleared = 0; cleared < 7; cleared++) {
        const wide_t further = ALL_ONES(left > (ulong)cleared);
        bits &= (bits - 1UL) | ~further;
    }
    return bits & (0UL - bits);
}
#endif

IN_CALLER void advance(games_t *games, wide_t word)
{
    wide_t own = games->own.all, other = games->other.all, plies = games->plies.all;
    wide_t live = games->live.all, passed = games->passed.all;
    for (int ply = 0; ply < PLIES_PER_WORD; ply++) {
        const runs_t runs = runs_from(own, other);
        const wide_t moves = ends_of(&runs) & ~(own | other);
        const wide_t none = ALL_ONES(moves == 0UL);
#if LANES == 1
        const uint place = random_place(moves, &word);
        const wide_t turned = (turned_at(place, &runs) | 1UL << place) & ~none;
#else
        const wide_t square = random_square(moves, &word);
        const wide_t turned = turned_between(square, other, &runs) | square;
#endif
        live &= ~(none & passed);
        const wide_t next_own = other & ~turned, next_other = own | turned;
        own ^= (own ^ next_own) & live;
        other ^= (other ^ next_other) & live;
        plies += live & 1UL;
        passed ^= (passed ^ none) & live;
        live &= ALL_ONES((own | other) != ~0UL);
    }
    games->own.all = own;
    games->other.all = other;
    games->plies.all = plies;
    games->live.all = live;
    games->passed.all = passed;
}

IN_CALLER wide_t ended(const games_t *games)
{
    return ~games->live.all;
}

IN_CALLER ulong plies_of(const games_t *games, const int lane)
{
    return games->plies.of[lane] - (games->passed.of[lane] & 1UL);
}

IN_CALLER uint ending_of(const games_t *games, const int lane)
{
    const int lead = (int)popcount(games->own.of[lane]) - (int)popcount(games->other.of[lane]);
    if (lead == 0) {
        return DRAWN;
    }
    return (lead > 0) == ((games->plies.of[lane] & 1UL) == 0UL) ? WON : LOST;
}

#ifndef GAMES_ALONE
#include "common/flat_refill.clh"
#endif
