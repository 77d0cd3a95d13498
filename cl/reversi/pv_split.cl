// Searches the siblings of a principal-variation node, each in one work-group.
//
// Follows Strnad and Guid, "Parallel Alpha-Beta Algorithm on the GPU", section 3: iterative alpha-beta with its stack
// in local memory. All work-items generate moves, execute them and evaluate positions. The first is the administrator.
//
// Each iteration enters one position, in three phases with barriers:
//   1. all work-items play the move, each on its words of the new board;
//   2. all work-items generate moves and evaluate, each on its run of squares, and store one number each;
//   3. the first work-item sums these numbers, updates scores, makes cutoffs, and chooses the next move.
// The administrator keeps its current node in private variables. A leaf, the common case, needs no stack access.

#include "common/outcome.clh"
#include "reversi/rules.clh"
#include "reversi/evaluate.clh"

// Maximum remaining depth of a sibling: the number of plies for which the stack has room.
#ifndef LEVELS
#define LEVELS 4
#endif
// If the first work-item would sum more results than this, SUMMERS work-items sum parts first.
#ifndef SUM_ALONE
#define SUM_ALONE 32
#endif
#ifndef SUMMERS
#define SUMMERS 32
#endif
#if GROUP > SUM_ALONE
#define LAST_SUMS SUMMERS
#else
#define LAST_SUMS GROUP
#endif

// Number of lanes in lockstep if the kernel reports how busy they are in walks for moves, otherwise 0.
#ifndef LANES
#define LANES 0
#endif
#if LANES > 0
#define BUNDLES ((GROUP + LANES - 1) / LANES)
#endif

// Lower than any score.
#define LOWEST (-(1 << 30))
// The level that ends the search.
#define FINISHED (-2)

// A node that waits for its child.
typedef struct {
    int best;
    int alpha;
    int beta;
    int word;
    uint pending;
} frame_t;

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void pv_split(
    __global const uint2 *positions,
    __global const int *weights,
    const int parent_alpha,
    const int parent_beta,
    const int depth,
    const uint stamp,
    __global uint *outcomes
#if LANES > 0
    ,
    // For each sibling: the number of steps in all walks, and the number of steps that the lanes had time for.
    __global ulong *walks
#endif
) {
    __local rank_t boards[(LEVELS + 1) * RANKS];
    __local uint legal[(LEVELS + 1) * WORDS];
    __local frame_t frames[LEVELS + 1];
    // One number per work-item, then zeros up to a multiple of four.
    __local int4 partial_fours[(GROUP + 3) / 4];
    __local int *partial = (__local int *)partial_fours;
    __local int2 job;
#if LANES > 0
    // Number of steps in this iteration: the total, and the maximum for each bundle of lanes in lockstep.
    __local uint taken, longest[BUNDLES];
    ulong all_taken = 0, room = 0;
#endif

    LOCAL_ID_KIND item = (int)get_local_id(0);
    const int sibling = (int)get_group_id(0);
    const int first_square = item * RUN;
    const int end_square = min(first_square + RUN, AREA);

    for (int i = item; i < (LEVELS + 1) * RANKS; i += GROUP) {
        boards[i] = (rank_t)(0u);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = item; i < WORDS; i += GROUP) {
        set_cell(boards, i / WORDS_PER_RANK, i % WORDS_PER_RANK, positions[sibling * WORDS + i]);
    }
    if (item == 0) {
        job = (int2)(-1, PASS);
        partial_fours[(GROUP - 1) / 4] = (int4)(0);
#if LANES > 0
        taken = 0u;
        for (int bundle = 0; bundle < BUNDLES; ++bundle) {
            longest[bundle] = 0u;
        }
#endif
    }

    // The administrator's node. It is the parent of the node that is entered next.
    int best = LOWEST, alpha = parent_alpha, beta = parent_beta;
    int word = WORDS;
    uint pending = 0u;
    ulong nodes = 0, leaves = 0;
    // The total weight of the run's discs, for the side to move at the node above the leaves.
    int base = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (;;) {
        const int level = job.x;
        const int move = job.y;
        if (level == FINISHED) {
            break;
        }
        const int entered = level + 1;
        const bool leaf = entered == depth;
        __local const rank_t *parent = boards + level * RANKS;
        __local rank_t *board = boards + entered * RANKS;

        int sum = 0;
        for (int i = item; i < WORDS; i += GROUP) {
            if (level >= 0) {
                const int rank = i / WORDS_PER_RANK, column = i % WORDS_PER_RANK;
                const change_t change = change_in_word(parent, move, i);
                set_cell(board, rank, column, changed(cell_at(parent, rank, column), change));
                if (leaf) {
                    sum += weight_of(
                        weights, change.flips | change.disc, change.flips, rank, column);
                }
            }
            if (!WHOLE_WORDS) {
                legal[entered * WORDS + i] = 0u;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        if (!leaf || level < 0) {
            base = 0;
        }
        uint steps = 0u;
        for (int square = first_square; square < end_square;) {
            const span_t span = span_at(square, end_square);
            const uint2 moves =
                legal_moves_in_steps(board, span.rank, span.column, span.squares, &steps);
            const uint2 cell = cell_at(board, span.rank, span.column) & span.squares;
            if (leaf) {
                // The value is for the side to move at the node above.
                sum += MOBILITY * ((int)popcount(moves.y) - (int)popcount(moves.x));
                if (level < 0) {
                    base += weight_of(weights, cell.y, 0u, span.rank, span.column)
                        - weight_of(weights, cell.x, 0u, span.rank, span.column);
                }
            } else {
                sum += (int)popcount(moves.x) + ((int)popcount(moves.y) << 16);
                const int at = entered * WORDS + span.rank * WORDS_PER_RANK + span.column;
                if (WHOLE_WORDS) {
                    legal[at] = moves.x;
                } else if (moves.x != 0u) {
                    atomic_or(&legal[at], moves.x);
                }
                if (entered + 1 == depth) {
                    base += weight_of(weights, cell.x, 0u, span.rank, span.column)
                        - weight_of(weights, cell.y, 0u, span.rank, span.column);
                }
            }
            square += span.count;
        }
        sum += leaf ? base : 0;
        partial[item] = sum;
#if LANES > 0
        atomic_add(&taken, steps);
        atomic_max(&longest[item / LANES], steps);
#endif
        barrier(CLK_LOCAL_MEM_FENCE);
#if GROUP > SUM_ALONE
        if (item < SUMMERS) {
            for (int i = item + SUMMERS; i < GROUP; i += SUMMERS) {
                sum += partial[i];
            }
            partial[item] = sum;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#endif

        if (item == 0) {
#if LANES > 0
            all_taken += taken;
            taken = 0u;
            for (int bundle = 0; bundle < BUNDLES; ++bundle) {
                room += (ulong)LANES * longest[bundle];
                longest[bundle] = 0u;
            }
#endif
            int4 sums = (int4)(0);
#pragma unroll 8
            for (int i = 0; i < (LAST_SUMS + 3) / 4; ++i) {
                sums += partial_fours[i];
            }
            const int total = sums.x + sums.y + sums.z + sums.w;
            nodes += 1;
            int at = level;
            int value = 0;
            bool returned = true;
            int2 next = (int2)(FINISHED, PASS);
            if (leaf) {
                leaves += 1;
                value = total;
            } else if (total == 0) {
                leaves += 1;
                value = -final_value(board);
            } else {
                returned = false;
                if (at >= 0) {
                    const frame_t frame = {best, alpha, beta, word, pending};
                    frames[at] = frame;
                }
                const int floor = -beta;
                beta = -alpha;
                alpha = floor;
                best = LOWEST;
                at = entered;
                pending = 0u;
                word = -1;
                if ((total & 0xffff) == 0) {
                    word = WORDS;
                    next = (int2)(at, PASS);
                }
            }
            while (next.x == FINISHED) {
                if (returned) {
                    if (at < 0) {
                        best = value;
                        break;
                    }
                    best = max(best, value);
                    alpha = max(alpha, best);
                    if (best >= beta) {
                        pending = 0u;
                        word = WORDS;
                    }
                }
                while (pending == 0u && word + 1 < WORDS) {
                    word += 1;
                    pending = legal[at * WORDS + word];
                }
                if (pending != 0u) {
                    next = (int2)(at, word * 32 + LOWEST_BIT_32(pending));
                    pending &= pending - 1u;
                } else {
                    value = -best;
                    returned = true;
                    at -= 1;
                    if (at >= 0) {
                        const frame_t frame = frames[at];
                        best = frame.best;
                        alpha = frame.alpha;
                        beta = frame.beta;
                        word = frame.word;
                        pending = frame.pending;
                    }
                }
            }
            if (next.x == FINISHED) {
                __global uint *outcome = outcomes + sibling * SEARCHED_WORDS;
                PUT_SEARCHED(outcome, best, nodes, leaves, stamp, sibling);
#if LANES > 0
                walks[2 * sibling] = all_taken;
                walks[2 * sibling + 1] = room;
#endif
            }
            job = next;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
