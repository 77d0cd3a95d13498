// Searches reversi on 8x8 with one tree per work-group. Plays games from the leaves as flat_refill.cl does.

#define GAMES_ALONE
#include "reversi/flat_refill.cl"

// A position: the discs of the side to move, and the discs of the other side.
#define PARTS 2

typedef struct {
    lanes_t part[PARTS];
} position_t;

IN_CALLER position_t child_of(
    __global const ulong *root, __global const ulong *position, const lanes_t *index)
{
    const wide_t own = WIDE(position[0]), other = WIDE(position[1]);
    const runs_t runs = runs_from(own, other);
    lanes_t moves;
    moves.all = ends_of(&runs) & ~(own | other);
    for (int lane = 0; lane < LANES; lane++) {
        // A pass has no square.
        const ulong squares = moves.of[lane];
        moves.of[lane] = squares == 0UL ? 0UL : 1UL << bit_of(squares, (int)index->of[lane]);
    }
    const wide_t turned = turned_between(moves.all, other, &runs);
    position_t child;
    child.part[0].all = other & ~turned;
    child.part[1].all = own | turned | moves.all;
    return child;
}

IN_CALLER wide_t moves_of(const position_t *position)
{
    const wide_t own = position->part[0].all, other = position->part[1].all;
    const wide_t moves = legal_moves8(own, other);
    const wide_t none = ALL_ONES(moves == 0UL);
    wide_t count = popcount(moves);
    if (ANY_BIT(none)) {
        count |= none & ALL_ONES(legal_moves8(other, own) != 0UL) & 1UL;
    }
    return count;
}

IN_CALLER games_t games_from(
    __global const ulong *root, __global const ulong *position, const uint moves)
{
    games_t games;
    games.own.all = WIDE(position[0]);
    games.other.all = WIDE(position[1]);
    games.plies.all = WIDE(1);
    games.live.all = WIDE(moves > 0u ? ~0UL : 0UL);
    games.passed.all = WIDE(0);
    return games;
}

#include "common/block_games.clh"
