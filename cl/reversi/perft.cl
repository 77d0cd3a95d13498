// Counts the move sequences of exactly `depth` plies from many positions, with one work-group per position.
//
// The walk is as in pv_split.cl, but without values. All work-items play and generate moves. The first work-item keeps
// the stack. With one ply left, the kernel counts a position's moves without entering them. A pass is a ply. A game
// that ends earlier adds no sequence.

#include "common/outcome.clh"
#include "reversi/rules.clh"

// Maximum depth, at least 1.
#ifndef LEVELS
#define LEVELS 4
#endif

// The level that ends the walk.
#define FINISHED (-2)

// Number of words that a group writes: sequences (low word, high word), positions entered including the last ply (low,
// high), stamp.
#define OUTCOME_WORDS 5

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void perft(
    __global const uint2 *positions,
    const int depth,
    const uint stamp,
    __global uint *outcomes) {
    __local rank_t boards[LEVELS * RANKS];
    __local uint legal[LEVELS * WORDS];
    // For each level, the word that contains its next move, and the moves left to try in that word.
    __local int word_of[LEVELS];
    __local uint pending_of[LEVELS];
    __local int own_moves;
    __local int other_moves;
    // The level of the node whose child is entered next, and the move to that child.
    __local int2 job;

    LOCAL_ID_KIND item = (int)get_local_id(0);
    const int group = (int)get_group_id(0);
    const int first_square = item * RUN;
    const int end_square = min(first_square + RUN, AREA);

    for (int i = item; i < LEVELS * RANKS; i += GROUP) {
        boards[i] = (rank_t)(0u);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = item; i < WORDS; i += GROUP) {
        set_cell(boards, i / WORDS_PER_RANK, i % WORDS_PER_RANK, positions[group * WORDS + i]);
    }
    if (item == 0) {
        own_moves = 0;
        other_moves = 0;
        job = (int2)(-1, PASS);
    }
    ulong sequences = 0, nodes = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (;;) {
        const int level = job.x;
        const int move = job.y;
        if (level == FINISHED) {
            break;
        }
        const int entered = level + 1;
        __local const rank_t *parent = boards + level * RANKS;
        __local rank_t *board = boards + entered * RANKS;

        for (int i = item; i < WORDS; i += GROUP) {
            if (level >= 0) {
                const int rank = i / WORDS_PER_RANK, column = i % WORDS_PER_RANK;
                const change_t change = change_in_word(parent, move, i);
                set_cell(board, rank, column, changed(cell_at(parent, rank, column), change));
            }
            if (!WHOLE_WORDS) {
                legal[entered * WORDS + i] = 0u;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        int own = 0, other = 0;
        for (int square = first_square; square < end_square;) {
            const span_t span = span_at(square, end_square);
            const uint2 moves = legal_moves(board, span.rank, span.column, span.squares);
            own += (int)popcount(moves.x);
            other += (int)popcount(moves.y);
            const int at = entered * WORDS + span.rank * WORDS_PER_RANK + span.column;
            if (WHOLE_WORDS) {
                legal[at] = moves.x;
            } else if (moves.x != 0u) {
                atomic_or(&legal[at], moves.x);
            }
            square += span.count;
        }
        if (own != 0) {
            atomic_add(&own_moves, own);
        }
        if (other != 0) {
            atomic_add(&other_moves, other);
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        if (item == 0) {
            const int moves = own_moves;
            const bool pass = moves == 0 && other_moves != 0;
            own_moves = 0;
            other_moves = 0;
            nodes += 1;
            int at = level;
            int2 next = (int2)(FINISHED, PASS);
            if (entered + 1 == depth) {
                const ulong last = (ulong)(pass ? 1 : moves);
                sequences += last;
                nodes += last;
            } else if (pass) {
                at = entered;
                word_of[at] = WORDS;
                pending_of[at] = 0u;
                next = (int2)(at, PASS);
            } else if (moves != 0) {
                at = entered;
                word_of[at] = 0;
                pending_of[at] = legal[at * WORDS];
            }
            while (next.x == FINISHED && at >= 0) {
                int word = word_of[at];
                uint pending = pending_of[at];
                while (pending == 0u && word + 1 < WORDS) {
                    word += 1;
                    pending = legal[at * WORDS + word];
                }
                if (pending != 0u) {
                    next = (int2)(at, word * 32 + LOWEST_BIT_32(pending));
                    word_of[at] = word;
                    pending_of[at] = pending & (pending - 1u);
                } else {
                    at -= 1;
                }
            }
            if (next.x == FINISHED) {
                __global uint *outcome = outcomes + group * OUTCOME_WORDS;
                PUT_WIDE(outcome, 0, sequences);
                PUT_WIDE(outcome, 2, nodes);
                PUT_STAMP(outcome, stamp, group);
            }
            job = next;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
