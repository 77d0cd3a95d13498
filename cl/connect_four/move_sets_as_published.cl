// Evaluates move sets as published (Connect Four AI: "Algorithm Description" with its pseudocode, and "Results").
//
// A work-item's local ID and group ID determine its moves. It plays them on its own board of integers. After each move
// that does not make four in a row, it adds the value of the whole board. Each group computes a sum per first move.
// Then, each work-item of one group adds up a share of these sums, and the first work-item compares the totals.
//
// src/techniques/connect_four/move_sets_as_published.rs lists our corrections, and choices that the text leaves open.

#include "common/vendor.clh"

// Number of moves in a set.
#ifndef PLIES
#define PLIES 8
#endif
// Number of work-items in a group's first dimension: 7 or 49. The second dimension has 7.
#ifndef GROUP_X
#define GROUP_X 7
#endif
// Number of moves that the group ID selects per dimension.
#ifndef GRID_X_DIGITS
#define GRID_X_DIGITS 3
#endif
#ifndef GRID_Y_DIGITS
#define GRID_Y_DIGITS 3
#endif
// The value of two adjacent stones, then the additional value of a third stone in the same line.
#ifndef TWO
#define TWO 10
#endif
#ifndef THREE
#define THREE 50
#endif

#define COLUMNS 7
#define ROWS 6
#define SQUARES (COLUMNS * ROWS)
#define ITEMS (GROUP_X * 7)
// Number of moves after the first move of a set. The local ID selects the first move.
#define LATER (PLIES > 1 ? PLIES - 1 : 1)

// Contents of a square: empty, a stone of the side to move at the root, or an opponent's stone.
#define EMPTY 0
#define ROOT 1
#define OTHER 2

// The utility of a set that plays into a full column.
#define INVALID LONG_MIN
// Offsets of a work-item's results in local memory.
#define UTILITY 0
#define ENTERED 1
#define SEEN 2
// Number of words per group in global memory: one per first move, plus one for the positions entered.
#define SCORES 8

IN_CALLER int owner_at(const int *board, int column, int row) {
    const bool inside = column >= 0 && column < COLUMNS && row >= 0 && row < ROWS;
    return inside ? board[column * ROWS + row] : EMPTY;
}

// Returns the length, at most three, of the run of `player`'s stones next to a square in a direction.
IN_CALLER int
run_from(const int *board, int column, int row, int x, int y, int player) {
    int length = 0;
    while (length < 3
        && owner_at(board, column + (length + 1) * x, row + (length + 1) * y) == player) {
        length += 1;
    }
    return length;
}

// Implements the pseudocode's noWinner: true if the stone on this square is not part of four in a row.
IN_CALLER bool no_winner(const int *board, int column, int row, int player) {
    bool none = true;
    for (int direction = 0; direction < 4; ++direction) {
        const int x = direction > 0, y = direction == 0 ? 1 : direction - 2;
        none &= run_from(board, column, row, -x, -y, player)
                + run_from(board, column, row, x, y, player)
            < 3;
    }
    return none;
}

// Implements the pseudocode's evaluate: returns the value of the whole board for the side to move at the root.
IN_CALLER int evaluate(const int *board, __global const int *restrict squares) {
    int value = 0;
    for (int column = 0; column < COLUMNS; ++column) {
        for (int row = 0; row < ROWS; ++row) {
            const int owner = board[column * ROWS + row];
            if (owner != EMPTY) {
                int worth = squares[column * ROWS + row];
                for (int direction = 0; direction < 4; ++direction) {
                    const int x = direction > 0, y = direction == 0 ? 1 : direction - 2;
                    if (owner_at(board, column + x, row + y) == owner) {
                        worth += TWO;
                        const bool third =
                            owner_at(board, column + 2 * x, row + 2 * y) == owner;
                        worth += third ? THREE : 0;
                    }
                }
                value += owner == ROOT ? worth : -worth;
            }
        }
    }
    return value;
}

__kernel __attribute__((reqd_work_group_size(GROUP_X, 7, 1))) void play_sets(
    __global const int *restrict squares,
    __global const int *restrict root,
    __global long *restrict scores,
    __global uint *restrict seen_at_root) {
    __local long evals[ITEMS * COLUMNS];
    __local uchar moves[ITEMS * LATER];
    const int item = (int)(get_local_id(1) * GROUP_X + get_local_id(0));
    const int first = (int)get_local_id(0) % 7;
    __local uchar *set = moves + item * LATER;

    // This is the pseudocode's generateMoves. If the IDs have more digits than there are moves, several work-items play
    // the same set, but only one of them counts it.
    int spelled = 1;
    bool valid = true;
#define NEXT_MOVE(digit)                                                                           \
    do {                                                                                           \
        if (spelled < PLIES) {                                                                     \
            set[spelled - 1] = (uchar)(digit);                                                     \
            spelled += 1;                                                                          \
        } else {                                                                                   \
            valid &= (digit) == 0u;                                                                \
        }                                                                                          \
    } while (0)
    NEXT_MOVE((uint)get_local_id(1));
#if GROUP_X > 7
    NEXT_MOVE((uint)get_local_id(0) / 7u);
#endif
    uint digits = (uint)get_group_id(0);
    for (int i = 0; i < GRID_X_DIGITS; ++i) {
        NEXT_MOVE(digits % 7u);
        digits /= 7u;
    }
    digits = (uint)get_group_id(1);
    for (int i = 0; i < GRID_Y_DIGITS; ++i) {
        NEXT_MOVE(digits % 7u);
        digits /= 7u;
    }
#undef NEXT_MOVE

    int board[SQUARES];
    int stones = 0;
    for (int square = 0; square < SQUARES; ++square) {
        board[square] = root[square];
        stones += board[square] != EMPTY;
    }
    long utility = 0;
    uint entered = 0, seen = 0;
    int player = ROOT;
    for (int ply = 0; ply < PLIES; ++ply) {
        const int column = ply == 0 ? first : set[ply - 1];
        int row = 0;
        while (row < ROWS && board[column * ROWS + row] != EMPTY) {
            row += 1;
        }
        if (row < ROWS) {
            board[column * ROWS + row] = player;
            stones += 1;
            entered += valid;
            if (no_winner(board, column, row, player)) {
                utility += evaluate(board, squares);
            } else if (ply == 0) {
                // The side to move at the root wins.
                seen |= 1u << column;
            } else if (ply == 1 && column != first) {
                // The opponent wins. A stone in that column would have prevented this.
                seen |= 1u << (column + COLUMNS);
            }
            player = ROOT + OTHER - player;
        } else if (stones < SQUARES) {
            valid = false;
        }
    }
    evals[item * COLUMNS + UTILITY] = valid ? utility : INVALID;
    evals[item * COLUMNS + ENTERED] = entered;
    evals[item * COLUMNS + SEEN] = seen;
    barrier(CLK_LOCAL_MEM_FENCE);

    if (item == 0) {
        long sums[COLUMNS];
        for (int i = 0; i < COLUMNS; ++i) {
            sums[i] = 0;
        }
        long positions = 0;
        uint all_seen = 0;
        for (int other = 0; other < ITEMS; ++other) {
            const long found = evals[other * COLUMNS + UTILITY];
            sums[other % GROUP_X % 7] += found == INVALID ? 0 : found;
            positions += evals[other * COLUMNS + ENTERED];
            all_seen |= (uint)evals[other * COLUMNS + SEEN];
        }
        const size_t group = get_group_id(1) * get_num_groups(0) + get_group_id(0);
        for (int i = 0; i < COLUMNS; ++i) {
            scores[group * SCORES + i] = sums[i];
        }
        scores[group * SCORES + COLUMNS] = positions;
        // All groups play all pairs of first and second moves, so the wins that one group has seen are enough.
        if (group == 0) {
            seen_at_root[0] = all_seen;
        }
    }
}

// The second kernel writes a total per first move, the number of positions entered, the chosen move, and the stamp.
#define MOVE 8
#define STAMP 9

__kernel __attribute__((reqd_work_group_size(GROUP_X, 7, 1))) void sum_grid(
    __global const long *restrict scores,
    __global const int *restrict root,
    __global const uint *restrict seen_at_root,
    const int groups,
    const ulong stamp,
    __global long *restrict result) {
    __local long evals[ITEMS * SCORES];
    const int item = (int)(get_local_id(1) * GROUP_X + get_local_id(0));
    const int work = (groups + ITEMS - 1) / ITEMS;
    const int start = min(item * work, groups), end = min(start + work, groups);
    for (int i = 0; i < SCORES; ++i) {
        long sum = 0;
        for (int group = start; group < end; ++group) {
            sum += scores[(size_t)group * SCORES + i];
        }
        evals[item * SCORES + i] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    if (item == 0) {
        const uint seen = seen_at_root[0];
        // A win takes precedence over a block, and a block over all totals. Otherwise, the largest total decides. Among
        // equal totals, the lowest column is chosen.
        const uint forced = (seen & 127u) != 0u ? seen & 127u : seen >> COLUMNS;
        int best = COLUMNS;
        long best_score = 0;
        for (int i = 0; i < SCORES; ++i) {
            long sum = 0;
            for (int other = 0; other < ITEMS; ++other) {
                sum += evals[other * SCORES + i];
            }
            result[i] = sum;
            const bool legal = i < COLUMNS && root[i % COLUMNS * ROWS + ROWS - 1] == EMPTY;
            if (legal && (best == COLUMNS || sum > best_score)) {
                best = i;
                best_score = sum;
            }
        }
        result[MOVE] = forced != 0u ? LOWEST_BIT_32(forced) : best;
        result[STAMP] = (long)stamp;
    }
}
