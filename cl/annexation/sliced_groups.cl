// Plays bit-sliced random playouts on a GPU. Each work-group plays WORDS seats of 32 playouts at a time, and each of
// its work-items updates a few cells. Each turn needs one barrier.
//
// A work-item keeps the words of its cells in registers. Other work-items read a copy of them in local memory. The
// work-item adds a gain to this copy one turn later, when the other player moves and no work-item reads this player's
// words. Therefore, a single copy is enough for each turn to see only the state before it, on any graph.
//
// Each row is a cell that is not a start. A row is skipped for a player that cannot reach it within the next chunk of
// turns. It is skipped for both players if its cell is owned in every undecided playout.
//
// Player 0 is the player to move at the group's leaves.

#include "annexation/seats.clh"

// Numbers of work-items per group, of rows per work-item, and of words per cell (1, 2 or 4).
#ifndef GROUP
#define GROUP 64
#endif
#ifndef HELD
#define HELD 1
#endif
#ifndef WORDS
#define WORDS 4
#endif

// Number of neighbours per row in registers. A row with fewer neighbours is padded with its own cell. With FAR, some
// rows have more neighbours.
#ifndef NEAR
#define NEAR 6
#endif
#ifndef FAR
#define FAR 0
#endif

// Number of turns per chunk, which is even. Colours are drawn for a whole chunk. Rows open and close between chunks.
#ifndef CHUNK
#define CHUNK 16
#endif

// Number of chunks between two checks for decided playouts. The host chooses the turn of the first check. A group ends
// when all its playouts are decided.
#ifndef LOOK
#define LOOK 2
#endif

#define CAPACITY (GROUP * HELD)
// The slots of the two starts follow the slots of the rows.
#define SLOTS (CAPACITY + 2)
#define PLAYOUTS (32 * WORDS)
// Number of parts into which the rows are divided for counting. A different work-item counts each part.
#if GROUP >= 2 * PLAYOUTS
#define SHARES (GROUP / PLAYOUTS)
#else
#define SHARES 1
#endif

#if WORDS == 1
typedef uint word_t;
#define ANY(bits) ((bits) != 0u)
#elif WORDS == 2
typedef uint2 word_t;
#define ANY(bits) (((bits).x | (bits).y) != 0u)
#else
typedef uint4 word_t;
#define ANY(bits) (((bits).x | (bits).y | (bits).z | (bits).w) != 0u)
#endif

// Combines OF(w) for each seat w into one word of a cell.
#if WORDS == 1
#define EACH_SEAT(OF) (OF(0))
#elif WORDS == 2
#define EACH_SEAT(OF) ((word_t)(OF(0), OF(1)))
#else
#define EACH_SEAT(OF) ((word_t)(OF(0), OF(1), OF(2), OF(3)))
#endif

// With LEAVES, a work-group plays only WORDS seats and counts wins and losses per seat. Otherwise, no row has an owner
// at first. A work-group then plays seats until none are left, and counts wins and losses for all of them together.
#if LEAVES
#define SCORES WORDS
#define SCORE_OF(word) (word)
#define FOR_GROUPS
#define OWNED_AT_FIRST(OF) EACH_SEAT(OF)
#define TURNS_OF(w) LEAF_TURNS(LEAF(w)[0])
#else
#define SCORES 1
#define SCORE_OF(word) 0
#define FOR_GROUPS for (; from * 32ul < end; from += (ulong)WORDS * get_num_groups(0))
#define OWNED_AT_FIRST(OF) ((word_t)(0u))
#define TURNS_OF(w) turns
#endif

#define FOR_HELD      \
    _Pragma("unroll") \
    for (int h = 0; h < HELD; ++h)

#if FAR
#define REACH_FAR(P)                                             \
    for (uint place = far_begin[h]; place < far_end[h]; ++place) { \
        reached |= owned[P * SLOTS + far_rows[place]];           \
    }
#else
#define REACH_FAR(P)
#endif

// Plays turn number `at` of a chunk for player P. First copies the gains of the other player's turn to local memory,
// where the work-items of neighbouring cells read them.
#define TURN(P, Q, at)                                                          \
    FOR_HELD {                                                                  \
        if (ANY(gained_##Q[h])) {                                               \
            owned[Q * SLOTS + slot[h]] = own_##Q[h];                            \
        }                                                                       \
        gained_##P[h] = (word_t)(0u);                                           \
        if (active_##P[h]) {                                                    \
            word_t reached = owned[P * SLOTS + neighbour[h][0]];                \
            _Pragma("unroll")                                                   \
            for (int place = 1; place < NEAR; ++place) {                        \
                reached |= owned[P * SLOTS + neighbour[h][place]];              \
            }                                                                   \
            REACH_FAR(P)                                                        \
            const word_t named = masks[(at) * COLOURS + colour[h]];             \
            gained_##P[h] = reached & named & ~(own_##P[h] | own_##Q[h]);       \
            own_##P[h] |= gained_##P[h];                                        \
        }                                                                       \
    }

// Returns how many rows of a part a player owns in a playout. Adjacent work-items read the same word.
IN_CALLER int count_share(
    __local const uint *words, const int playout, const int share, const int rows)
{
    int count = 0;
    for (int row = share; row < rows; row += SHARES) {
        count += (int)(words[row * WORDS + playout / 32] >> (playout & 31) & 1u);
    }
    return count;
}

// Returns all ones if a player owns a cell at a leaf, otherwise 0.
IN_CALLER uint owner_bits(
    __global const uint *leaf, const int bit_words, const int player, const int number)
{
    return 0u - (leaf[1 + player * bit_words + number / 32] >> (number & 31) & 1u);
}

// Plays the seats of playouts `first` to `end`, WORDS seats at a time. The first seat has number `first` / 32. `near`:
// the slot of each row's first neighbour, then the slot of each row's second neighbour, and so on. `cells`: each row's
// colour in 8 bits, then the minimum number of moves until player 1 (from bit 8) and player 2 (from bit 20) can own its
// cell (4095: never). `far_begins`: index of each row's remaining neighbours in `far_rows`. `numbers`: each row's cell
// number in leaves. `look_at`: the first turn, counted from the root, at which a check for decided playouts pays off.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void sliced_groups(
    __global const ushort *near,
    __global const ushort *far_rows,
    __global const ushort *numbers,
    __global const uint *cells,
    __global const uint *far_begins,
    const int rows,
    const int2 start_cells,
    const int look_at,
    const uint2 key,
    const uint header,
    __global const uint *leaves,
    const int bit_words,
    __global const uint4 *seats,
    const ulong first,
    const ulong end,
    const uint stamp,
    __global uint *results)
{
    __local word_t owned[2 * SLOTS];
    __local word_t masks[CHUNK * COLOURS];
    __local uint decided[WORDS];
    __local uint score[2 * SCORES];
    __local int counts[2 * PLAYOUTS];
    __local int reach[2];

    const int lid = (int)get_local_id(0);
    const int group = (int)get_group_id(0);
    const int all_cells = rows + start_cells.x + start_cells.y;
    const size_t leaf_words = 1 + 2 * bit_words;
    __local uint *mask_words = (__local uint *)masks;
    __local const uint *owned_words = (__local const uint *)owned;

    // Number of the first seat that the group plays next. Without LEAVES, all seats share one leaf.
    ulong from = first / 32ul + (ulong)get_group_id(0) * WORDS;
#define SEAT(w) seat_at(seats, from + (ulong)(w), first, end)
#define LEAF(w) (leaves + SEAT_LEAF(SEAT(w)) * leaf_words)
    const int mover = LEAF_MOVER(HEADER_OF(LEAF(0)));
    const int of_mover = mover ? start_cells.y : start_cells.x;
    const int of_other = mover ? start_cells.x : start_cells.y;
    uint turns = 0u;
    for (int word = 0; word < WORDS; ++word) {
        turns = max(turns, LEAF_TURNS(HEADER_OF(LEAF(word))));
    }
    const int first_look = max(look_at - LEAF_PLAYED(HEADER_OF(LEAF(0))), 0) / CHUNK;

    int neighbour[HELD][NEAR], slot[HELD], colour[HELD], soonest_0[HELD], soonest_1[HELD];
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
    }
    for (int i = lid; i < 2 * SCORES; i += GROUP) {
        score[i] = 0u;
    }

    FOR_GROUPS {
        word_t own_0[HELD], own_1[HELD], gained_0[HELD], gained_1[HELD];
        int active_0[HELD], active_1[HELD];
        FOR_HELD {
            const int number = numbers[slot[h]];
#define OF_MOVER(w) owner_bits(LEAF(w), bit_words, mover, number)
#define OF_OTHER(w) owner_bits(LEAF(w), bit_words, 1 - mover, number)
            own_0[h] = slot[h] < rows ? OWNED_AT_FIRST(OF_MOVER) : (word_t)(0u);
            own_1[h] = slot[h] < rows ? OWNED_AT_FIRST(OF_OTHER) : (word_t)(0u);
            gained_0[h] = gained_1[h] = (word_t)(0u);
            owned[slot[h]] = own_0[h];
            owned[SLOTS + slot[h]] = own_1[h];
        }
        if (lid < 2) {
            // The first start belongs to player 1, the second to player 2.
            owned[CAPACITY + lid] = (word_t)(lid == mover ? ~0u : 0u);
            owned[SLOTS + CAPACITY + lid] = (word_t)(lid == mover ? 0u : ~0u);
            reach[lid] = 0;
        }
        for (int word = lid; word < WORDS; word += GROUP) {
            // A playout that was not requested counts as decided.
            decided[word] = ~SEAT_ASKED(SEAT(word));
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        // For each player, the distance in moves to the farthest cell that the player owns in any playout.
        int far_0 = 0, far_1 = 0;
        // Run one chunk even if there are no turns, because the cells must be counted.
        int chunks = max((int)((turns + CHUNK - 1u) / CHUNK), 1);
        for (int chunk = 0; chunk < chunks; ++chunk) {
            for (int i = lid; i < CHUNK * WORDS; i += GROUP) {
                const uint turn = (uint)(chunk * CHUNK + i / WORDS);
                const uint left = TURNS_OF(i % WORDS);
                const uint4 draw = draw_of(key, SEAT_BLOCK(SEAT(i % WORDS)), turn);
                __local uint *mask = mask_words + i / WORDS * (COLOURS * WORDS) + i % WORDS;
                for (int named = 0; named < COLOURS; ++named) {
                    // Playouts past their last turn name no colour.
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
            // No work-item reads these words before the next barrier.
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
                // Each playout is counted once, when it becomes decided. Other work-items set bits in the same word, so
                // use only the result of the atomic operation.
                if (over && (atomic_or(&decided[i / 32], bit) & bit) == 0u && own != other) {
                    atomic_inc(&score[(own > other ? 0 : SCORES) + SCORE_OF(i / 32)]);
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            uint undecided = 0u;
            for (int word = 0; word < WORDS; ++word) {
                undecided |= ~decided[word];
            }
            // All work-items compute the same value, because `decided` does not change between the two barriers.
            chunks = undecided == 0u ? chunk + 1 : chunks;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
#if LEAVES
        for (int word = lid; word < WORDS; word += GROUP) {
            const uint seat = (uint)from + (uint)word;
            __global uint *result = results + (size_t)seat * RESULT_WORDS;
            result[0] = BIT_COUNT_32(SEAT_ASKED(SEAT(word))) + score[word] - score[WORDS + word];
            result[1] = stamp + seat;
        }
#endif
    }
#if !LEAVES
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 0) {
        results[group * RESULT_WORDS] = score[0];
        results[group * RESULT_WORDS + 1] = score[1];
        results[group * RESULT_WORDS + 2] = stamp + (uint)group;
    }
#endif
}
