// Plays random games that begin with one of a position's moves. Each work-item plays one game, as in flat.cl, but with
// the paper's data structures: every ply lists all moves and selects one.
//
// The list is in private memory, because data-dependent indices keep it out of registers. The kernel measures the cost.

// With 1, squares have the straight index of src/games/checkers/straight.rs, and with 0 the rotated index.
#ifndef STRAIGHT
#define STRAIGHT 0
#endif

#if STRAIGHT && !defined(STEP_INSIDE_0)
#define STEP_INSIDE_0 0x7f7f7f70u
#define STEP_INSIDE_1 0xfefefef0u
#define STEP_INSIDE_2 0x0f7f7f7fu
#define STEP_INSIDE_3 0x0efefefeu
#define JUMP_INSIDE_0 0x77777700u
#define JUMP_INSIDE_1 0xeeeeee00u
#define JUMP_INSIDE_2 0x00777777u
#define JUMP_INSIDE_3 0x00eeeeeeu
#define KING_ROWS 0xf000000fu
#endif

// Each list is for one game.
#undef LANES
#define LANES 1

#include "checkers/rules.clh"

// Number of work-items per group.
#ifndef GROUP
#define GROUP 64
#endif

#ifndef DRAW_AFTER
#define DRAW_AFTER 50
#endif

// Number of bytes per move, 8 or 16. The paper has two structures with these sizes.
#ifndef MOVE_BYTES
#define MOVE_BYTES 8
#endif

// Maximum number of moves in a list. If a position has more, the game ends as FULL.
#ifndef MOST_MOVES
#define MOST_MOVES 64
#endif

// Game results, from the point of view of the side to move at the root.
#define WON 0u
#define DRAWN 1u
#define LOST 2u
#define FULL 3u

// The rotations that move a word by one step in each direction, for even and for odd rows. Each takes one byte.
#if STRAIGHT
#define EVEN_ROWS 0x0f0f0f0fu
#ifndef EVEN_ROTATIONS
#define EVEN_ROTATIONS 0x03041b1cu
#define ODD_ROTATIONS 0x04051c1du
#endif
#else
#define EVEN_ROWS (~0u)
#define EVEN_ROTATIONS (ROTATION_0 | ROTATION_1 << 8 | ROTATION_2 << 16 | ROTATION_3 << 24)
#define ODD_ROTATIONS EVEN_ROTATIONS
#endif
#define EVEN_ROTATION(direction) ((uint)(EVEN_ROTATIONS) >> 8 * (direction) & 31u)
#define ODD_ROTATION(direction) ((uint)(ODD_ROTATIONS) >> 8 * (direction) & 31u)
// A jump consists of a step from an even row and a step from an odd row.
#define JUMP_ROTATION(direction) (EVEN_ROTATION(direction) + ODD_ROTATION(direction) & 31u)

#if MOVE_BYTES == 16
typedef struct {
    // The squares on the piece's path, including the first.
    uchar path[10];
    uchar path_len;
    uint captured;
} listed_t;
#else
typedef struct {
    // The squares on the piece's path between its first and last square, and the squares of the captured pieces.
    uint path;
    uchar begin;
    uchar end;
} listed_t;
#endif

// Returns the square one step from `at`, which must have exactly one bit set.
IN_CALLER uint stepped(const uint at, const uint direction)
{
#if STRAIGHT
    return rotate(at, (at & EVEN_ROWS) != 0u ? EVEN_ROTATION(direction) : ODD_ROTATION(direction));
#else
    return rotate(at, EVEN_ROTATION(direction));
#endif
}

IN_CALLER uint jumped(const uint at, const uint direction)
{
    return rotate(at, JUMP_ROTATION(direction));
}

// Returns the squares from which a step in the given direction ends on one of `squares`. Ignores the edges.
IN_CALLER uint before_step(const uint squares, const uint direction)
{
    const uint even = rotate(squares, 32u - EVEN_ROTATION(direction));
#if STRAIGHT
    return (even & EVEN_ROWS) | (rotate(squares, 32u - ODD_ROTATION(direction)) & ~EVEN_ROWS);
#else
    return even;
#endif
}

IN_CALLER uint before_jump(const uint squares, const uint direction)
{
    return rotate(squares, 32u - JUMP_ROTATION(direction));
}

IN_CALLER uint way_of(const ways_t ways, const uint direction)
{
    const uint low = direction == 0u ? ways.a : ways.b;
    const uint high = direction == 2u ? ways.c : ways.d;
    return direction < 2u ? low : high;
}

// Returns the pieces of `movers` that can step, or can jump over an opposing piece, in the given direction.
#define STEPS_OF(movers, direction) ((movers) & STEP_INSIDE_##direction & before_step(empty, direction##u))
#define JUMPS_OF(movers, direction)                                                                                    \
    ((movers) & JUMP_INSIDE_##direction & before_step(board.other, direction##u) & before_jump(empty, direction##u))

// True if a piece can jump from its square in the given direction.
IN_CALLER bool can_jump(const uint at, const uint direction, const uint other, const uint empty)
{
    ways_t inside;
    inside.a = JUMP_INSIDE_0;
    inside.b = JUMP_INSIDE_1;
    inside.c = JUMP_INSIDE_2;
    inside.d = JUMP_INSIDE_3;
    return (at & way_of(inside, direction)) != 0u && (stepped(at, direction) & other) != 0u &&
           (jumped(at, direction) & empty) != 0u;
}

// Appends the steps in the given direction to a list of `count` moves. Returns the new count.
IN_CALLER uint list_steps(listed_t *const list, uint count, const uint sources, const uint direction)
{
    for (uint left = sources; left != 0u; left &= left - 1u) {
        const uint from = LOWEST(left), to = stepped(from, direction);
        if (count < (uint)MOST_MOVES) {
#if MOVE_BYTES == 16
            list[count].path[0] = (uchar)LOWEST_BIT_32(from);
            list[count].path[1] = (uchar)LOWEST_BIT_32(to);
            list[count].path_len = 2;
            list[count].captured = 0u;
#else
            list[count].path = 0u;
            list[count].begin = (uchar)LOWEST_BIT_32(from);
            list[count].end = (uchar)LOWEST_BIT_32(to);
#endif
        }
        count += 1u;
    }
    return count;
}

// Stores a capture if the list has space. `directions`: two bits per jump, with the last jump in the lowest bits.
IN_CALLER void put_capture(
    listed_t *const list, const uint place, const uint from, const uint jumps, const uint directions, const uint taken)
{
    if (place < (uint)MOST_MOVES) {
        uint at = from;
#if MOVE_BYTES == 16
        list[place].path[0] = (uchar)LOWEST_BIT_32(from);
        for (uint jump = 1u; jump <= jumps; jump++) {
            at = jumped(at, directions >> 2u * (jumps - jump) & 3u);
            list[place].path[jump] = (uchar)LOWEST_BIT_32(at);
        }
        list[place].path_len = (uchar)(jumps + 1u);
        list[place].captured = taken;
#else
        uint path = taken;
        for (uint jump = 1u; jump < jumps; jump++) {
            at = jumped(at, directions >> 2u * (jumps - jump) & 3u);
            path |= at;
        }
        list[place].path = path;
        list[place].begin = (uchar)LOWEST_BIT_32(from);
        list[place].end = (uchar)LOWEST_BIT_32(jumped(at, directions & 3u));
#endif
    }
}

// Lists all legal captures whose first jump is in `firsts`, depth first. Returns their number.
IN_CALLER uint list_captures(listed_t *const list, const board_t board, const ways_t firsts)
{
    uint count = 0u, longest = 0u;
    for (uint first = 0u; first < 4u; first++) {
        for (uint left = way_of(firsts, first); left != 0u; left &= left - 1u) {
            const uint from = LOWEST(left);
            const uint empty = ~(board.own | board.other) | from;
            // Bit d is set if the piece may move in direction d.
            const uint ways = (board.kings & from) != 0u ? 15u : board.down != 0u ? 3u : 12u;
            uint taken = stepped(from, first), at = jumped(from, first);
            uint directions = first, jumps = 1u, next = 0u;
            while (jumps > 0u) {
                uint can = 0u;
                for (uint direction = 0u; direction < 4u; direction++) {
                    const bool on = can_jump(at, direction, board.other & ~taken, empty | taken);
                    can |= on ? 1u << direction : 0u;
                }
                can &= ways;
                const bool legal = !LONGEST || jumps >= longest;
                if (can == 0u && legal) {
                    count = LONGEST && jumps > longest ? 0u : count;
                    longest = jumps;
                    put_capture(list, count, from, jumps, directions, taken);
                    count += 1u;
                }
                const uint open = can >> next << next;
                if (open != 0u) {
                    const uint direction = (uint)LOWEST_BIT_32(open);
                    taken |= stepped(at, direction);
                    at = jumped(at, direction);
                    directions = directions << 2 | direction;
                    jumps += 1u;
                    next = 0u;
                } else {
                    const uint direction = directions & 3u;
                    at = before_jump(at, direction);
                    taken &= ~stepped(at, direction);
                    directions >>= 2;
                    jumps -= 1u;
                    next = direction + 1u;
                }
            }
        }
    }
    return count;
}

// Lists legal moves in order, up to the capacity of the list. Returns the number of all legal moves.
IN_CALLER uint list_moves(listed_t *const list, const board_t board)
{
    const uint empty = ~(board.own | board.other);
    const uint downward = board.own & (board.kings | board.down);
    const uint upward = board.own & (board.kings | ~board.down);
    ways_t jumps;
    jumps.a = JUMPS_OF(downward, 0);
    jumps.b = JUMPS_OF(downward, 1);
    jumps.c = JUMPS_OF(upward, 2);
    jumps.d = JUMPS_OF(upward, 3);
    if ((jumps.a | jumps.b | jumps.c | jumps.d) != 0u) {
        return list_captures(list, board, jumps);
    }
    uint count = list_steps(list, 0u, STEPS_OF(downward, 0), 0u);
    count = list_steps(list, count, STEPS_OF(downward, 1), 1u);
    count = list_steps(list, count, STEPS_OF(upward, 2), 2u);
    return list_steps(list, count, STEPS_OF(upward, 3), 3u);
}

// `own` to `quiet`: the position after the first move, and the plies since the last capture. `low`, `high`: the words
// of the first playout's number. The numbers of consecutive playouts differ by `moves`. `results`: each game's result
// in the two lowest bits, and its plies in the others. `steps`: number of lists that each work-item created. Both
// buffers have space for whole groups.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void lists(
    const uint own,
    const uint other,
    const uint kings,
    const uint quiet,
    const uint down,
    const uint moves,
    const uint key,
    const uint low,
    const uint high,
    const uint count,
    __global uint *restrict results,
    __global uint *restrict steps)
{
    listed_t list[MOST_MOVES];
    const uint item = (uint)get_global_id(0);
    const ulong playout = ((ulong)high << 32 | low) + (ulong)item * moves;
    const uint above = (uint)(playout >> 32) << 16;
    board_t board;
    board.own = own;
    board.other = other;
    board.kings = kings;
    board.down = down;
    uint plies = 1u, without_capture = quiet, listed = 1u, lists_made = 0u;
    if (item < count) {
        for (;;) {
            listed = list_moves(list, board);
            lists_made += 1u;
            if (listed == 0u || listed > (uint)MOST_MOVES || without_capture >= (uint)DRAW_AFTER) {
                break;
            }
            const uint index = below(draws(key, (uint)playout, above | plies), listed);
#if MOVE_BYTES == 16
            const uint from = 1u << list[index].path[0];
            const uint to = 1u << list[index].path[list[index].path_len - 1];
            const uint captured = list[index].captured;
#else
            const uint from = 1u << list[index].begin;
            const uint to = 1u << list[index].end;
            // The squares of the path that hold an opposing piece.
            const uint captured = list[index].path & board.other;
#endif
            board = moved(board, from, to, captured);
            without_capture = captured == 0u ? without_capture + 1u : 0u;
            plies += 1u;
        }
    }
    // Compute this after the loop. In the loop, Intel's runtime (2026.2) turns some losses into wins in groups of 24.
    const uint ended = (plies & 1u) == 0u ? LOST : WON;
    const uint ending = listed == 0u ? ended : listed > (uint)MOST_MOVES ? FULL : DRAWN;
    results[item] = ending | plies << 2;
    steps[item] = lists_made;
}
