// Searches the siblings of a principal-variation node, each in one work-group, as published.
//
// Implements Strnad and Guid, "Parallel Alpha-Beta Algorithm on the GPU", section 3. Boards have one byte per square. A
// two-dimensional group has one work-item per square. If it is smaller than the board, each work-item has consecutive
// squares (their figure 3). All work-items evaluate nodes, generate moves and execute them, each for its squares. The
// first work-item makes cutoffs, updates scores and chooses the next node. The stack is in local memory.
//
// src/techniques/reversi/pv_split_as_published.rs lists the points that the text leaves open.

#include "common/outcome.clh"
#include "common/vendor.clh"

// Numbers of files and ranks.
#ifndef WIDTH
#define WIDTH 8
#endif
#ifndef HEIGHT
#define HEIGHT 8
#endif
// Numbers of work-items in the two dimensions of the group.
#ifndef GROUP_X
#define GROUP_X WIDTH
#endif
#ifndef GROUP_Y
#define GROUP_Y HEIGHT
#endif
// Number of work-items that begin the reduction: the largest power of two that is less than the group's size.
#ifndef HALF
#define HALF (WIDTH * HEIGHT / 2)
#endif
// Maximum remaining depth of a sibling: the number of plies for which the stack has room.
#ifndef LEVELS
#define LEVELS 4
#endif
// The value of each move by which the mover's mobility exceeds the opponent's.
#ifndef MOBILITY
#define MOBILITY 10
#endif
// The value of a win. The disc difference is added to it.
#ifndef WIN
#define WIN 1000000
#endif

#define AREA (WIDTH * HEIGHT)
#define GROUP (GROUP_X * GROUP_Y)
// Number of squares per work-item.
#define RUN ((AREA + GROUP - 1) / GROUP)
// Maximum number of nodes on a path that may have children.
#define INNER (LEVELS > 0 ? LEVELS : 1)
// Values of a square's byte. Each side is a bit, so a byte can also be a set of sides. FIRST is the side to move at the
// sibling, and therefore at even levels.
#define EMPTY 0
#define FIRST 1
#define SECOND 2
#define MOVER(level) ((level) & 1 ? SECOND : FIRST)
#define OTHER_THAN(side) (FIRST + SECOND - (side))

#define PASS (-1)
// Lower than any score.
#define LOWEST (-(1 << 30))
// The level that ends the search.
#define FINISHED (-2)

// A node on the stack: its best score so far, its window, and the square from which to search for its next move.
typedef struct {
    int best;
    int alpha;
    int beta;
    int next;
} node_t;

// Returns the contents of a square, or EMPTY off the board.
IN_CALLER uchar at(__local const uchar *board, int x, int y) {
    return x >= 0 && x < WIDTH && y >= 0 && y < HEIGHT ? board[y * WIDTH + x] : EMPTY;
}

// Returns the sides that may move to a square. In each direction, one walk passes over the discs of one side. If this
// run ends at a disc of the other side, the other side may move.
IN_CALLER uchar open_to(__local const uchar *board, int square) {
    uchar open = EMPTY;
    if (board[square] == EMPTY) {
        const int x = square % WIDTH, y = square / WIDTH;
        for (int direction = 0; direction < 9; ++direction) {
            const int dx = direction % 3 - 1, dy = direction / 3 - 1;
            int to_x = x + dx, to_y = y + dy;
            const uchar run = at(board, to_x, to_y);
            // The fifth direction has no step and stays on the empty square.
            if (run != EMPTY) {
                uchar end;
                do {
                    to_x += dx;
                    to_y += dy;
                    end = at(board, to_x, to_y);
                } while (end == run);
                open |= end;
            }
        }
    }
    return open;
}

// Returns the contents of a square after `mover` has played `move`. For an opponent's disc, looks back to the move and
// ahead to the disc that would enclose it. Only discs of the same colour may be between the two.
IN_CALLER uchar after_move(__local const uchar *board, uchar mover, int move, int square) {
    const uchar before = board[square];
    if (square == move) {
        return mover;
    }
    if (move == PASS || before != OTHER_THAN(mover)) {
        return before;
    }
    const int move_x = move % WIDTH, move_y = move / WIDTH;
    const int x = square % WIDTH, y = square / WIDTH;
    const int away_x = x - move_x, away_y = y - move_y;
    if (away_x != 0 && away_y != 0 && away_x != away_y && away_x != -away_y) {
        return before;
    }
    const int dx = (away_x > 0) - (away_x < 0), dy = (away_y > 0) - (away_y < 0);
    int to_x = x - dx, to_y = y - dy;
    while ((to_x != move_x || to_y != move_y) && at(board, to_x, to_y) == before) {
        to_x -= dx;
        to_y -= dy;
    }
    if (to_x != move_x || to_y != move_y) {
        return before;
    }
    to_x = x;
    to_y = y;
    uchar end;
    do {
        to_x += dx;
        to_y += dy;
        end = at(board, to_x, to_y);
    } while (end == before);
    return end == mover ? mover : before;
}

// Returns the value of a finished game for `mover`.
IN_CALLER int final_value(__local const uchar *board, uchar mover) {
    int ahead = 0;
    for (int square = 0; square < AREA; ++square) {
        const uchar disc = board[square];
        ahead += disc == EMPTY ? 0 : disc == mover ? 1 : -1;
    }
    return ahead == 0 ? 0 : ahead + (ahead > 0 ? WIN : -WIN);
}

__kernel __attribute__((reqd_work_group_size(GROUP_X, GROUP_Y, 1))) void pv_split_as_published(
    __global const uchar *positions,
    __global const int *weights,
    const int parent_alpha,
    const int parent_beta,
    const int depth,
    const uint stamp,
    __global uint *outcomes) {
    __local uchar boards[(LEVELS + 1) * AREA];
    __local uchar marks[INNER * AREA];
    __local node_t stack[INNER];
    __local int sums[GROUP];
    // The node whose child is entered next, and the move to this child.
    __local int2 job;

    LOCAL_ID_KIND item = (int)(get_local_id(1) * GROUP_X + get_local_id(0));
    const int sibling = (int)get_group_id(0);

    for (int i = 0; i < RUN; ++i) {
        const int square = item * RUN + i;
        if (square < AREA) {
            boards[square] = positions[sibling * AREA + square];
        }
    }
    if (item == 0) {
        job = (int2)(-1, PASS);
    }
    // Only the administrator uses these.
    ulong nodes = 0, leaves = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (;;) {
        const int parent = job.x;
        const int move = job.y;
        if (parent == FINISHED) {
            break;
        }
        const int entered = parent + 1;
        const bool leaf = entered == depth;
        __local uchar *board = boards + entered * AREA;

        for (int i = 0; i < RUN; ++i) {
            const int square = item * RUN + i;
            if (parent >= 0 && square < AREA) {
                board[square] = after_move(board - AREA, MOVER(parent), move, square);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        // Evaluate the node, or generate its moves.
        int sum = 0;
        for (int i = 0; i < RUN; ++i) {
            const int square = item * RUN + i;
            if (square < AREA) {
                const uchar open = open_to(board, square);
                const int first = open & FIRST, second = open >> 1;
                if (leaf) {
                    const uchar disc = board[square];
                    const int side = disc == EMPTY ? 0 : disc == FIRST ? 1 : -1;
                    sum += side * weights[square] + MOBILITY * (first - second);
                } else {
                    marks[entered * AREA + square] = open & MOVER(entered);
                    // A single number counts the moves of both sides.
                    sum += first + (second << 16);
                }
            }
        }
        sums[item] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int apart = HALF; apart > 0; apart >>= 1) {
            if (item < apart && item + apart < GROUP) {
                sums[item] += sums[item + apart];
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }

        if (item == 0) {
            const int total = sums[0];
            const uchar mover = MOVER(entered);
            int2 next = (int2)(FINISHED, PASS);
            int level = entered;
            int value = 0;
            bool returned = true;
            nodes += 1;
            if (leaf) {
                leaves += 1;
                value = mover == FIRST ? total : -total;
            } else if (total == 0) {
                leaves += 1;
                value = final_value(board, mover);
            } else {
                returned = false;
                node_t node;
                node.best = LOWEST;
                node.alpha = entered == 0 ? -parent_beta : -stack[parent].beta;
                node.beta = entered == 0 ? -parent_alpha : -stack[parent].alpha;
                node.next = 0;
                if ((mover == FIRST ? total & 0xffff : total >> 16) == 0) {
                    node.next = AREA;
                    next = (int2)(entered, PASS);
                }
                stack[entered] = node;
            }
            while (next.x == FINISHED) {
                if (returned) {
                    level -= 1;
                    if (level < 0) {
                        break;
                    }
                    stack[level].best = max(stack[level].best, -value);
                    stack[level].alpha = max(stack[level].alpha, -value);
                    if (stack[level].alpha >= stack[level].beta) {
                        stack[level].next = AREA;
                    }
                }
                int square = stack[level].next;
                while (square < AREA && marks[level * AREA + square] == EMPTY) {
                    square += 1;
                }
                stack[level].next = square + 1;
                if (square < AREA) {
                    next = (int2)(level, square);
                } else {
                    value = stack[level].best;
                    returned = true;
                }
            }
            if (next.x == FINISHED) {
                __global uint *outcome = outcomes + sibling * SEARCHED_WORDS;
                PUT_SEARCHED(outcome, -value, nodes, leaves, stamp, sibling);
            }
            job = next;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
