// Runs perft to `depth` from many positions, one per work-item. With one ply left, the kernel counts a position's moves
// without entering them. A game that ends earlier adds no sequence.

#include "checkers/captures.clh"
#include "common/outcome.clh"

#if LANES != 1
#error "LANES: a work-item walks one tree"
#endif

// Number of work-items per group.
#ifndef GROUP
#define GROUP 64
#endif

// Number of plies without a capture after which a game is drawn.
#ifndef DRAW_AFTER
#define DRAW_AFTER 50
#endif

// Maximum depth, at least 1.
#ifndef LEVELS
#define LEVELS 6
#endif

// Number of words in a position: own, other, kings, all ones if the mover's men go down, plies since the last capture.
#define POSITION_WORDS 5

// Number of words in an outcome: sequences (low, high), positions entered up to the last ply (low, high), stamp.
#define OUTCOME_WORDS 5

// Returns the number of moves, or 0 if the game is drawn. If move `index` exists, sets `next` to the board after it.
IN_CALLER uint visit(const board_t board, const uint quiet, const uint index, board_t *next, uint *next_quiet)
{
    const reach_t reach = reach_of(board);
    const moves_t moves = moves_of(board, reach);
    uint count = moves.count;
    board_t after = played(board, moves, index);
    if (moves.goes_on) {
        const long_t found = long_captures(board, reach);
        count = found.count;
        after = captured(board, found, index);
        if (found.deeper) {
            one_board_t one;
            one.own = board.own;
            one.other = board.other;
            one.kings = board.kings;
            one.down = board.down;
            const path_t path = walk_captures(one, false, 0u, index);
            count = path.count;
            after = moved(board, path.from, path.to, path.captured);
        }
    }
    *next = after;
    *next_quiet = moves.capturing ? 0u : quiet + 1u;
    return quiet >= (uint)DRAW_AFTER ? 0u : count;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void perft(
    __global const uint *restrict positions,
    const uint count,
    const int depth,
    const uint stamp,
    __global uint *restrict outcomes)
{
    const uint item = (uint)get_global_id(0);
    if (item >= count) {
        return;
    }
    __global const uint *position = positions + item * POSITION_WORDS;
    // The nodes on the current path, and the index of each node's next move.
    STACK_KIND uint own[LEVELS], other[LEVELS], kings[LEVELS], down[LEVELS], quiet[LEVELS], tried[LEVELS];
    own[0] = position[0];
    other[0] = position[1];
    kings[0] = position[2];
    down[0] = position[3];
    quiet[0] = position[4];
    tried[0] = 0u;
    ulong sequences = 0, nodes = 0;
    int level = 0;
    while (level >= 0) {
        board_t board, next;
        board.own = own[level];
        board.other = other[level];
        board.kings = kings[level];
        board.down = down[level];
        const uint index = tried[level];
        uint next_quiet;
        const uint moves = visit(board, quiet[level], index, &next, &next_quiet);
        nodes += index == 0u ? 1u : 0u;
        if (level + 1 == depth) {
            sequences += moves;
            nodes += moves;
            level -= 1;
        } else if (index < moves) {
            tried[level] = index + 1u;
            level += 1;
            own[level] = next.own;
            other[level] = next.other;
            kings[level] = next.kings;
            down[level] = next.down;
            quiet[level] = next_quiet;
            tried[level] = 0u;
        } else {
            level -= 1;
        }
    }
    __global uint *outcome = outcomes + item * OUTCOME_WORDS;
    PUT_WIDE(outcome, 0, sequences);
    PUT_WIDE(outcome, 2, nodes);
    PUT_STAMP(outcome, stamp, item);
}
