// Random games of reversi on any board, a word a rank and side: any legal move, a pass where there is none, until neither
// side can move. A ply is that of src/games/reversi/random_rows.rs, where it is told.
//
// Where a work-item plays one game, its ranks lie in local memory, the words of all work-items side by side, so that each
// reads its own bank. Where it plays several, on a processor, they are vectors of its own: moves are found in all games at
// once, and made in one after another.

#include "common/sums.clh"
#include "common/wide.clh"

#ifndef GROUP
#define GROUP 64
#endif

// The board.
#ifndef WIDTH_OF_BOARD
#define WIDTH_OF_BOARD 16
#define HEIGHT_OF_BOARD 16
#endif
#define HEIGHT HEIGHT_OF_BOARD

// Plies that a random word serves: RandomRows::PLIES_PER_WORD.
#ifndef PLIES_PER_WORD
#define PLIES_PER_WORD 1
#endif

#define WON 0u
#define DRAWN 1u
#define LOST 2u

#define NAME_OF(type, lanes) type##lanes
#define VECTOR(type, lanes) NAME_OF(type, lanes)

// A rank of one game, and of all games of a work-item.
#if WIDTH_OF_BOARD <= 32
#define ROW_BITS 32
typedef uint row_t;
#if LANES == 1
typedef uint rows_t;
#else
typedef VECTOR(uint, LANES) rows_t;
#endif
#else
#define ROW_BITS 64
typedef ulong row_t;
typedef wide_t rows_t;
#endif

// The board's files, and those that a slanting run can lie on.
#define FULL ((row_t)(~(row_t)0 >> (ROW_BITS - WIDTH_OF_BOARD)))
#define INNER ((row_t)(FULL & FULL >> 1 & ~(row_t)1))

// A first move: the discs of the side to move and of the other, rank by rank.
#define CHILD_WORDS (2 * HEIGHT * ROW_BITS / 64)

typedef union {
    rows_t all;
    row_t of[LANES];
} rank_t;

// Where the discs of the two sides and the moves begin. The first side is the one that moves after the first ply.
#define SECOND HEIGHT
#define MOVES (2 * HEIGHT)

#if LANES == 1
#define ROOM_WORDS (3 * HEIGHT * ROW_BITS / 32)
#endif

typedef struct {
#if LANES == 1
    __local row_t *room;
#else
    rank_t room[3 * HEIGHT];
    // All ones where the second side is to move.
    rank_t second;
#endif
    ulong plies[LANES];
    // The first rank with a disc, and one past the last.
    int low[LANES];
    int high[LANES];
    bool live[LANES];
    bool passed[LANES];
} games_t;

// A rank of all games, and of one.
#if LANES == 1
#define RANKS(games, at) ((games)->room[(at) * GROUP])
#define RANK(games, at, lane) RANKS(games, at)
#else
#define RANKS(games, at) ((games)->room[at].all)
#define RANK(games, at, lane) ((games)->room[at].of[lane])
#endif

#if LANES == 1
IN_CALLER games_t no_games(__local uint *room, const uint item)
#else
IN_CALLER games_t no_games(void)
#endif
{
    games_t games;
#if LANES == 1
    games.room = (__local row_t *)room + item;
#else
    games.second.all = (rows_t)(0);
    for (int at = 0; at < 3 * HEIGHT; at++) {
        games.room[at].all = (rows_t)(0);
    }
#endif
    for (int lane = 0; lane < LANES; lane++) {
        games.plies[lane] = 0UL;
        games.low[lane] = HEIGHT;
        games.high[lane] = 0;
        games.live[lane] = games.passed[lane] = false;
    }
    return games;
}

IN_CALLER void put_game(games_t *games, const int lane, __global const ulong *child)
{
    int low = HEIGHT, high = 0;
    for (int rank = 0; rank < HEIGHT; rank++) {
#if ROW_BITS == 32
        const row_t own = (uint)child[rank], other = (uint)(child[rank] >> 32);
#else
        const row_t own = child[2 * rank], other = child[2 * rank + 1];
#endif
        RANK(games, rank, lane) = own;
        RANK(games, SECOND + rank, lane) = other;
        if ((own | other) != 0) {
            low = min(low, rank);
            high = rank + 1;
        }
    }
#if LANES > 1
    games->second.of[lane] = 0;
#endif
    games->low[lane] = low;
    games->high[lane] = high;
    games->plies[lane] = 1UL;
    games->live[lane] = true;
    games->passed[lane] = false;
}

// The discs of the side to move, and of the other.
IN_CALLER void load_rank(const games_t *games, const int rank, rows_t *own, rows_t *other)
{
#if LANES == 1
    // The first side moves after an odd number of plies.
    const int first = (games->plies[0] & 1UL) != 0UL ? 0 : SECOND;
    *own = RANKS(games, first + rank);
    *other = RANKS(games, SECOND - first + rank);
#else
    const rows_t a = RANKS(games, rank), b = RANKS(games, SECOND + rank);
    const rows_t swapped = (a ^ b) & games->second.all;
    *own = a ^ swapped;
    *other = b ^ swapped;
#endif
}

// Runs that enter a rank from the one before: the discs next to which one can begin, and those of the other side in runs
// towards higher files, straight on, and towards lower files.
typedef struct {
    rows_t from;
    rows_t higher;
    rows_t straight;
    rows_t lower;
} sweep_t;

// Advances to the next rank, and returns where runs end there.
IN_CALLER rows_t step_to(sweep_t *sweep, const rows_t own, const rows_t other)
{
    const rows_t ends = sweep->higher << 1 | sweep->straight | sweep->lower >> 1;
    const rows_t slanting = other & INNER;
    sweep->higher = (sweep->higher | sweep->from) << 1 & slanting;
    sweep->straight = (sweep->straight | sweep->from) & other;
    sweep->lower = (sweep->lower | sweep->from) >> 1 & slanting;
    sweep->from = own;
    return ends;
}

// Where runs along a rank end.
IN_CALLER rows_t ends_along(const rows_t own, const rows_t other)
{
    const rows_t up = (other + (own << 1 & other)) & ~other;
    rows_t run = own >> 1 & other, through = other;
#pragma unroll
    for (int step = 1; step < WIDTH_OF_BOARD; step *= 2) {
        run |= through & run >> step;
        through &= through >> step;
    }
    return up | run >> 1;
}

IN_CALLER void turn(games_t *games, const int lane, const int side, const int rank, const row_t discs)
{
    RANK(games, side + rank, lane) |= discs;
    RANK(games, SECOND - side + rank, lane) &= ~discs;
}

// Discs turned in a line through other ranks: `sideways` is -1, 0 or 1 files for each step of `upwards` ranks.
IN_CALLER void turn_line(
    games_t *games,
    const int lane,
    const int side,
    const int rank,
    const row_t bit,
    const int upwards,
    const int sideways)
{
    row_t here = bit;
    int at = rank, length = 0;
    bool closed = false;
    for (bool goes_on = true; goes_on;) {
        here = sideways < 0 ? here >> 1 : here << sideways;
        at += upwards;
        goes_on = false;
        if (at >= 0 && at < HEIGHT) {
            goes_on = (RANK(games, SECOND - side + at, lane) & here) != 0;
            closed = !goes_on && (RANK(games, side + at, lane) & here) != 0;
            length += goes_on ? 1 : 0;
        }
    }
    if (closed) {
        for (; length > 0; length--) {
            at -= upwards;
            here = sideways < 0 ? here << 1 : here >> sideways;
            turn(games, lane, side, at, here);
        }
    }
}

// Puts a disc of a side, and turns the other's.
IN_CALLER void put_disc(games_t *games, const int lane, const int side, const int rank, const row_t bit)
{
    const row_t own = RANK(games, side + rank, lane), other = RANK(games, SECOND - side + rank, lane);
    row_t turned = bit;
    const row_t run = other & ~(other + (bit << 1));
    turned |= (run << 1 & own) != 0 ? run : 0;
    const row_t below = bit - 1;
    const row_t stops = below & ~other;
    if (stops != 0) {
        const row_t end = (row_t)1 << (ROW_BITS - 1 - (int)clz(stops));
        turned |= (end & own) != 0 ? bit - (end << 1) : 0;
    }
    turn(games, lane, side, rank, turned);
    for (int sideways = -1; sideways <= 1; sideways++) {
        turn_line(games, lane, side, rank, bit, 1, sideways);
        turn_line(games, lane, side, rank, bit, -1, sideways);
    }
    games->low[lane] = min(games->low[lane], rank);
    games->high[lane] = max(games->high[lane], rank + 1);
}

// Plays one of a game's moves, drawn by a digit of its word, or a pass. Moves are on rank `from` or a higher one.
IN_CALLER void play(games_t *games, const int lane, const uint word, const uint moves, const int from)
{
    if (moves == 0u) {
        // A second pass ends the game and is none.
        games->live[lane] = !games->passed[lane];
        if (games->passed[lane]) {
            return;
        }
        games->passed[lane] = true;
    } else {
        uint left = (uint)((ulong)word * moves >> 32);
        int rank = from;
        row_t bits = RANK(games, MOVES + rank, lane);
        uint count = (uint)popcount(bits);
        while (left >= count) {
            left -= count;
            rank += 1;
            bits = RANK(games, MOVES + rank, lane);
            count = (uint)popcount(bits);
        }
        for (; left > 0u; left--) {
            bits &= bits - 1;
        }
        const int side = (games->plies[lane] & 1UL) != 0UL ? 0 : SECOND;
        put_disc(games, lane, side, rank, bits & (0 - bits));
        games->passed[lane] = false;
    }
    games->plies[lane] += 1UL;
#if LANES > 1
    games->second.of[lane] = ~games->second.of[lane];
#endif
}

IN_CALLER void advance(games_t *games, const wide_t words)
{
    // A run ends one rank further than there are discs, at the most.
    int low = HEIGHT, high = 0;
    for (int lane = 0; lane < LANES; lane++) {
        low = games->live[lane] ? min(low, games->low[lane]) : low;
        high = games->live[lane] ? max(high, games->high[lane]) : high;
    }
    low = max(low - 1, 0);
    high = min(high + 1, HEIGHT);

    rows_t own, other;
    sweep_t sweep;
    sweep.from = sweep.higher = sweep.straight = sweep.lower = (rows_t)(0);
    for (int rank = low; rank < high; rank++) {
        load_rank(games, rank, &own, &other);
        RANKS(games, MOVES + rank) = step_to(&sweep, own, other) | ends_along(own, other);
    }
    rank_t count;
    count.all = (rows_t)(0);
    sweep.from = sweep.higher = sweep.straight = sweep.lower = (rows_t)(0);
    for (int rank = high - 1; rank >= low; rank--) {
        load_rank(games, rank, &own, &other);
        rows_t moves = RANKS(games, MOVES + rank) | step_to(&sweep, own, other);
        moves &= ~(own | other) & FULL;
        RANKS(games, MOVES + rank) = moves;
        count.all += popcount(moves);
    }

    lanes_t word;
    word.all = words;
    for (int lane = 0; lane < LANES; lane++) {
        if (games->live[lane]) {
            play(games, lane, (uint)word.of[lane], (uint)count.of[lane], low);
        }
    }
}

IN_CALLER wide_t ended(const games_t *games)
{
    lanes_t flags;
    for (int lane = 0; lane < LANES; lane++) {
        flags.of[lane] = games->live[lane] ? 0UL : ~0UL;
    }
    return flags.all;
}

IN_CALLER ulong plies_of(const games_t *games, const int lane)
{
    return games->plies[lane] - (games->passed[lane] ? 1UL : 0UL);
}

IN_CALLER uint ending_of(const games_t *games, const int lane)
{
    // The second side is the one to move at the root.
    int lead = 0;
    for (int rank = 0; rank < HEIGHT; rank++) {
        lead += (int)popcount(RANK(games, SECOND + rank, lane)) - (int)popcount(RANK(games, rank, lane));
    }
    return lead == 0 ? DRAWN : lead > 0 ? WON : LOST;
}

#ifndef GAMES_ALONE
#include "common/flat_refill.clh"
#endif
