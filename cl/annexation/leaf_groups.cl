// Bit-sliced random playouts from the leaves of a tree, on a GPU: a work-group has WORDS seats of 32 playouts
// each, of one or several leaves, and plays as in cl/annexation/sliced_groups.cl.
//
// Here player 0 is the one that moves first at the group's leaves, whichever it is.

#include "annexation/groups.clh"
#include "annexation/leaves.clh"

// A word with OF(w) for each seat w.
#if WORDS == 1
#define EACH_SEAT(OF) (OF(0))
#elif WORDS == 2
#define EACH_SEAT(OF) ((word_t)(OF(0), OF(1)))
#else
#define EACH_SEAT(OF) ((word_t)(OF(0), OF(1), OF(2), OF(3)))
#endif

// All bits set if a player owns a cell of a leaf, else none.
IN_CALLER uint owner_bits(
    __global const uint *leaf, const int bit_words, const int player, const int number)
{
    return 0u - (leaf[1 + player * bit_words + number / 32] >> (number & 31) & 1u);
}

// Group n plays seats WORDS x n to WORDS x n + WORDS - 1. `near` to `start_cells` are as in `sliced`, for the
// tree's whole board; `numbers`: the cell of each row; `look_at`: the number of turns left from which a look
// for decided playouts pays.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void leaf_groups(
    __global const ushort *near,
    __global const uint *cells,
    __global const uint *far_begins,
    __global const ushort *far_rows,
    const int rows,
    const int2 start_cells,
    __global const ushort *numbers,
    const uint2 key,
    __global const uint *leaves,
    const int bit_words,
    __global const uint4 *seats,
    const uint stamp,
    __global uint *results,
    const int look_at)
{
    __local word_t owned[2 * SLOTS];
    __local word_t masks[CHUNK * COLOURS];
    __local uint decided[WORDS];
    __local uint points[WORDS];
    __local int counts[2 * PLAYOUTS];
    __local int reach[2];

    const int lid = (int)get_local_id(0);
    const int first_seat = (int)get_group_id(0) * WORDS;
    const int all_cells = rows + start_cells.x + start_cells.y;
    __local uint *mask_words = (__local uint *)masks;
    __local const uint *owned_words = (__local const uint *)owned;

    seats += first_seat;
    const int leaf_words = LEAF_WORDS(bit_words);
    const int mover = LEAF_MOVER(leaves[(size_t)SEAT_LEAF(seats[0]) * leaf_words]);
    const int of_mover = mover ? start_cells.y : start_cells.x;
    const int of_other = mover ? start_cells.x : start_cells.y;
    uint turns = 0u;
    for (int word = 0; word < WORDS; ++word) {
        turns = max(turns, LEAF_TURNS(leaves[(size_t)SEAT_LEAF(seats[word]) * leaf_words]));
    }

    int neighbour[HELD][NEAR], slot[HELD], colour[HELD], soonest_0[HELD], soonest_1[HELD];
    word_t own_0[HELD], own_1[HELD], gained_0[HELD], gained_1[HELD];
    int active_0[HELD], active_1[HELD];
#if FAR
    uint far_begin[HELD], far_end[HELD];
#endif
    FOR_HELD {
        slot[h] = h * GROUP + lid;
#pragma unroll
        for (int place = 0; place < NEAR; ++place) {
            neighbour[h][place] = near[place * CAPACITY + slot[h]];
        }
        const uint cell = cells[slot[h]];
        const int of_first = (int)(cell >> 8 & 4095u);
        const int of_second = (int)(cell >> 20);
        colour[h] = (int)(cell & 7u);
        soonest_0[h] = mover ? of_second : of_first;
        soonest_1[h] = mover ? of_first : of_second;
#if FAR
        far_begin[h] = far_begins[slot[h]];
        far_end[h] = far_begins[slot[h] + 1];
#endif
        const int number = numbers[slot[h]];
#define LEAF_OF(w) (leaves + (size_t)SEAT_LEAF(seats[w]) * leaf_words)
#define OF_MOVER(w) owner_bits(LEAF_OF(w), bit_words, mover, number)
#define OF_OTHER(w) owner_bits(LEAF_OF(w), bit_words, 1 - mover, number)
        own_0[h] = slot[h] < rows ? EACH_SEAT(OF_MOVER) : (word_t)(0u);
        own_1[h] = slot[h] < rows ? EACH_SEAT(OF_OTHER) : (word_t)(0u);
        gained_0[h] = gained_1[h] = (word_t)(0u);
        owned[slot[h]] = own_0[h];
        owned[SLOTS + slot[h]] = own_1[h];
    }
    if (lid < 2) {
        // The first start is player 1's, the second player 2's.
        owned[CAPACITY + lid] = (word_t)(lid == mover ? ~0u : 0u);
        owned[SLOTS + CAPACITY + lid] = (word_t)(lid == mover ? 0u : ~0u);
        reach[lid] = 0;
    }
    for (int word = lid; word < WORDS; word += GROUP) {
        // Playouts that are not requested count as decided.
        decided[word] = ~SEAT_ASKED(seats[word]);
        points[word] = 0u;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    const int first_look = max((int)turns - look_at, 0) / CHUNK;
    // For each player, the number of moves to the farthest cell that it owns in some playout.
    int far_0 = 0, far_1 = 0;
    int chunks = (int)((turns + CHUNK - 1u) / CHUNK);
    for (int chunk = 0; chunk < chunks; ++chunk) {
        for (int i = lid; i < CHUNK * WORDS; i += GROUP) {
            const uint turn = (uint)(chunk * CHUNK + i / WORDS);
            const uint4 seat = seats[i % WORDS];
            const uint left = LEAF_TURNS(leaves[(size_t)SEAT_LEAF(seat) * leaf_words]);
            const uint4 draw = draw_of(key, SEAT_BLOCK(seat), turn);
            __local uint *mask = mask_words + i / WORDS * (COLOURS * WORDS) + i % WORDS;
            for (int named = 0; named < COLOURS; ++named) {
                // After its leaf's last turn no colour is named.
                mask[named * WORDS] = turn < left ? naming(draw, named) : 0u;
            }
        }
        FOR_HELD {
            if (soonest_0[h] > far_0 && ANY(own_0[h])) {
                atomic_max(&reach[0], soonest_0[h]);
            }
            if (soonest_1[h] > far_1 && ANY(own_1[h])) {
                atomic_max(&reach[1], soonest_1[h]);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        far_0 = reach[0];
        far_1 = reach[1];
#define DECIDED(w) decided[w]
        const word_t done = EACH_SEAT(DECIDED);
        FOR_HELD {
            const word_t left = ~(own_0[h] | own_1[h] | done);
            const int open = ANY(left) && slot[h] < rows;
            active_0[h] = open && soonest_0[h] <= far_0 + CHUNK / 2;
            active_1[h] = open && soonest_1[h] <= far_1 + CHUNK / 2;
        }

        for (int turn = 0; turn < CHUNK; turn += 2) {
            TURN(0, 1, turn)
            barrier(CLK_LOCAL_MEM_FENCE);
            TURN(1, 0, turn + 1)
            barrier(CLK_LOCAL_MEM_FENCE);
        }

        const int last = chunk == chunks - 1;
        const int looks = last || (chunk >= first_look && (chunk - first_look) % LOOK == 0);
        // The other player's words are not read before the next barrier but one.
        FOR_HELD {
            if (ANY(gained_1[h])) {
                owned[SLOTS + slot[h]] = own_1[h];
            }
            gained_1[h] = (word_t)(0u);
        }
        for (int i = lid; looks && i < 2 * PLAYOUTS; i += GROUP) {
            counts[i] = i < PLAYOUTS ? of_mover : of_other;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = lid; looks && i < PLAYOUTS * SHARES; i += GROUP) {
            const int playout = i % PLAYOUTS;
            const int share = i / PLAYOUTS;
            const int own = count_share(owned_words, playout, share, rows);
            const int other = count_share(owned_words + SLOTS * WORDS, playout, share, rows);
            atomic_add(&counts[playout], own);
            atomic_add(&counts[PLAYOUTS + playout], other);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = lid; looks && i < PLAYOUTS; i += GROUP) {
            const int own = counts[i], other = counts[PLAYOUTS + i];
            const uint bit = 1u << (i & 31);
            const int over = 2 * own > all_cells || 2 * other > all_cells
                || own + other == all_cells || last;
            // Each playout is counted once, when it is decided. Other work-items set bits of the same word,
            // so only the result of the atomic operation is used.
            if (over && (atomic_or(&decided[i / 32], bit) & bit) == 0u && own >= other) {
                atomic_add(&points[i / 32], own > other ? 2u : 1u);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        uint undecided = 0u;
        for (int word = 0; word < WORDS; ++word) {
            undecided |= ~decided[word];
        }
        // Equal for all work-items, and read only between barriers.
        chunks = undecided == 0u ? chunk + 1 : chunks;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int word = lid; word < WORDS; word += GROUP) {
        __global uint *result = results + (size_t)(first_seat + word) * SEAT_RESULTS;
        result[0] = points[word];
        result[1] = stamp + (uint)(first_seat + word);
    }
}
