// Searches gomoku, on boards of up to 16x16, with one tree per work-group. Plays games as flat_refill.cl does.

#define GAMES_ALONE
#include "gomoku/flat_refill.cl"

// Number of squares on the board.
#ifndef SQUARES
#define SQUARES 225
#endif

// A position consists of the mover's stones and the other side's stones. Bit y * 16 + x of a side's words stands for a
// square. The root's position is followed by the board's squares in move order, one byte each.
#define SIDE 4
#define PARTS (2 * SIDE)
#define SQUARE(root, at) ((uint)((root)[PARTS + (at) / 8] >> 8 * ((at) % 8)) & 255u)
#define TAKEN(position, square) \
    ((((position)[(square) / 64u] | (position)[SIDE + (square) / 64u]) >> (square) % 64u & 1UL) != 0UL)

typedef struct {
    lanes_t part[PARTS];
} position_t;

IN_CALLER position_t child_of(
    __global const ulong *root, __global const ulong *position, const lanes_t *index)
{
    lanes_t square;
    square.all = WIDE(0);
    int lane = 0;
    ulong empty = 0;
    for (int at = 0; at < SQUARES && lane < LANES; at++) {
        const uint next = SQUARE(root, at);
        if (!TAKEN(position, next)) {
            while (lane < LANES && index->of[lane] == empty) {
                square.of[lane] = next;
                lane += 1;
            }
            empty += 1UL;
        }
    }
    position_t child;
    for (int part = 0; part < SIDE; part++) {
        const wide_t stone = ALL_ONES(square.all / 64UL == (ulong)part) & WIDE(1) << square.all % 64UL;
        child.part[part].all = WIDE(position[SIDE + part]);
        child.part[SIDE + part].all = WIDE(position[part]) | stone;
    }
    return child;
}

// Shifts the bits of all squares down by `count`, which must be less than 64.
IN_CALLER void move_down(wide_t *squares, const int count)
{
    for (int part = 0; part < SIDE - 1; part++) {
        squares[part] = squares[part] >> count | squares[part + 1] << (64 - count);
    }
    squares[SIDE - 1] >>= count;
}

// Returns a nonzero number if a five with stones `step` bits apart begins on a square in `from`.
IN_CALLER wide_t fives_along(const position_t *position, const int step, const ulong from)
{
    wide_t stones[SIDE], further[SIDE];
    for (int part = 0; part < SIDE; part++) {
        further[part] = stones[part] = position->part[SIDE + part].all;
    }
    move_down(further, step);
    for (int part = 0; part < SIDE; part++) {
        further[part] = stones[part] &= further[part];
    }
    // Require a second pair two steps further, and the fifth stone four steps further.
    move_down(further, 2 * step);
    wide_t found = WIDE(0);
    for (int part = 0; part < SIDE; part++) {
        stones[part] &= further[part];
        further[part] = position->part[SIDE + part].all;
    }
    move_down(further, 2 * step);
    move_down(further, 2 * step);
    for (int part = 0; part < SIDE; part++) {
        found |= stones[part] & further[part] & from;
    }
    return found;
}

// Returns a nonzero number if the side that moved has a five.
IN_CALLER wide_t fives_of(const position_t *position)
{
    return fives_along(position, 1, 0x0fff0fff0fff0fffUL) | fives_along(position, 15, 0xfff0fff0fff0fff0UL)
        | fives_along(position, 16, ~0UL) | fives_along(position, 17, 0x0fff0fff0fff0fffUL);
}

IN_CALLER wide_t moves_of(const position_t *position)
{
    wide_t taken = WIDE(0);
    for (int part = 0; part < SIDE; part++) {
        taken += popcount(position->part[part].all | position->part[SIDE + part].all);
    }
    return (WIDE(SQUARES) - taken) & ~ALL_ONES(fives_of(position) != 0UL);
}

IN_CALLER games_t games_from(
    __global const ulong *root,
    __global const ulong *position,
    const uint moves,
    __local uint *all,
    const uint item)
{
    games_t games = no_games(all, item);
    __local uint *room = games.room;
    for (uint at = 0u; at < ROOM_WORDS; at++) {
        room[at * STEP] = 0u;
    }
    uint left = 0u;
    for (int at = 0; at < SQUARES; at++) {
        const uint square = SQUARE(root, at);
        if (TAKEN(position, square)) {
            // In the games, the side to move here is the opponent of the side to move at their root.
            const uint own = (uint)(position[square / 64u] >> square % 64u) & 1u;
            const uint x = square & 15u, y = square >> 4;
            with_stone(room, ROWS_AT + y, 1u << (x + 16u * own), 0u);
            with_stone(room, COLUMNS_AT + x, 1u << (y + 16u * own), 0u);
            with_stone(room, FALLING_AT + LONGEST - 1u + x - y, 1u << (x + 16u * own), 0u);
            with_stone(room, RISING_AT + x + y, 1u << (x + 16u * own), 0u);
        } else {
            *entry(room, left) = (uchar)square;
            left += 1u;
        }
    }
    bool won = false;
    if (moves == 0u) {
        position_t over;
        for (int part = 0; part < PARTS; part++) {
            over.part[part].all = WIDE(position[part]);
        }
        // This is a variable, because ANY_BIT() evaluates its argument twice with 16 lanes.
        const wide_t fives = fives_of(&over);
        won = ANY_BIT(fives);
    }
    for (int lane = 0; lane < LANES; lane++) {
        for (uint at = 0u; lane > 0 && at < ROOM_WORDS; at++) {
            room[lane * (int)ROOM_WORDS + (int)at] = room[at];
        }
        games.left[lane] = left;
        games.plies[lane] = 1u;
        games.live[lane] = moves > 0u;
        games.won[lane] = won;
    }
    return games;
}

#include "common/block_games.clh"
