// Searches siblings, one block each, as published (Kawakami and Wang, section 5.3, Algorithm 4, after Strnad and Guid).
//
// A block has one board of ints in local memory. All its work-items scan the board together, one square each. The first
// work-item runs Algorithm 4 with a stack in local memory. The block therefore needs two barriers per node.

#define CELLS_SPACE __local

#include "common/outcome.clh"
#include "gomoku/cells.clh"

// Number of work-items per work-group.
#ifndef GROUP
#define GROUP 768
#endif
// Number of nodes on a path from the siblings' parent to a leaf, not counting the leaf.
#ifndef FRAMES
#define FRAMES 4
#endif

// How Algorithm 4 searches a child: as the first child, with the null window, or again after the null-window search
// failed high.
#define FIRST 0
#define NULL_WINDOW 1
#define AGAIN 2

// A call of Algorithm 4 that waits for the call that it makes.
typedef struct {
    int alpha;
    int beta;
    int score;
    // The first untried place in move order, the square of the last tried move, and how that move was searched.
    int next;
    int square;
    int call;
} frame_t;

// The block's shared data, besides the board: the results of the scan, and whether the search continues.
typedef struct {
    int five;
    int balance;
    int running;
} shared_t;

// `parent`: the board of the siblings' parent. `moves`: the squares that lead to the siblings. `mover`, `empty`: the
// parent's side to move and its number of empty squares. `alpha`, `beta`: its window, where alpha is the value of its
// first child. `depth`: the siblings' remaining depth. `ply`: their ply from the root. Each outcome is the parent's
// `score` after the search of the sibling.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void pvs_as_published(
    __global const int *restrict order,
    __global const int *restrict parent,
    __global const int *restrict moves,
    const int alpha,
    const int beta,
    const int mover,
    const int empty,
    const int depth,
    const int ply,
    const uint stamp,
    __global uint *restrict outcomes) {
    __local int cells[SQUARES];
    __local frame_t frames[FRAMES];
    __local shared_t shared;

    LOCAL_ID_KIND item = (int)get_local_id(0);
    const int sibling = (int)get_group_id(0);
    for (int square = item; square < SQUARES; square += GROUP) {
        cells[square] = parent[square] + (square == moves[sibling] ? mover : NO_STONE);
    }
    // For the first work-item: the node on the board is `level` plies below the parent. Its window is `low` to `high`.
    int level = 1, low = -alpha - 1, high = -alpha;
    uint nodes = 0, leaves = 0;
    if (item == 0) {
        frames[0].alpha = alpha;
        frames[0].beta = beta;
        frames[0].score = alpha;
        frames[0].next = SQUARES;
        frames[0].square = moves[sibling];
        frames[0].call = NULL_WINDOW;
        shared.five = 0;
        shared.balance = 0;
        shared.running = 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    for (;;) {
        if (shared.running == 0) {
            break;
        }
        scan_t part = {0, 0};
        for (int square = item; square < SQUARES; square += GROUP) {
            scan_square(cells, square, &part);
        }
        if (part.five) {
            atomic_or(&shared.five, 1);
        }
        if (part.balance != 0) {
            atomic_add(&shared.balance, part.balance);
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        if (item == 0) {
            const scan_t scan = {shared.five, shared.balance};
            const bool full = empty == level;
            // True if the current node's value is known.
            bool valued = scan.five || full || level == depth + 1;
            int value = 0;
            nodes += 1u;
            if (valued) {
                leaves += 1u;
                const int to_move = level & 1 ? OTHER(mover) : mover;
                value = value_of(scan, to_move, ply + level - 1, full);
            } else {
                frames[level].alpha = low;
                frames[level].beta = high;
                frames[level].score = LOWEST;
                frames[level].next = 0;
                frames[level].call = FIRST;
            }
            bool walking = true;
            while (walking) {
                int again = LOWEST;
                if (valued) {
                    level -= 1;
                    valued = false;
                    __local frame_t *frame = &frames[level];
                    const int child = -value;
                    // A call at `level` has `depth + 1 - level` plies left.
                    if (frame->call == NULL_WINDOW && child > frame->score
                        && frame->alpha < child && child < frame->beta && depth + 1 - level > 2) {
                        again = child;
                    } else {
                        cells[frame->square] = NO_STONE;
                        if (frame->call != NULL_WINDOW || child > frame->score) {
                            frame->score = child;
                        }
                    }
                }
                __local frame_t *frame = &frames[level];
                if (again != LOWEST) {
                    // Search the same child again. Its stone is still on the board.
                    frame->call = AGAIN;
                    low = -frame->beta;
                    high = -again;
                    level += 1;
                    walking = false;
                } else {
                    int place = SQUARES;
                    if (frame->score < frame->beta) {
                        place = next_move(order, cells, frame->next);
                    }
                    if (level == 0) {
                        __global uint *outcome = outcomes + sibling * SEARCHED_WORDS;
                        PUT_SEARCHED(outcome, frame->score, nodes, leaves, stamp, sibling);
                        shared.running = 0;
                        walking = false;
                    } else if (place == SQUARES) {
                        value = frame->score;
                        valued = true;
                    } else {
                        if (frame->next == 0) {
                            low = -frame->beta;
                            high = -frame->alpha;
                        } else {
                            frame->alpha = max(frame->alpha, frame->score);
                            frame->call = NULL_WINDOW;
                            low = -frame->alpha - 1;
                            high = -frame->alpha;
                        }
                        frame->next = place + 1;
                        frame->square = order[place];
                        cells[frame->square] = level & 1 ? OTHER(mover) : mover;
                        level += 1;
                        walking = false;
                    }
                }
            }
            shared.five = 0;
            shared.balance = 0;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
