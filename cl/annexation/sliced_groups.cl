// Bit-sliced random playouts on a GPU: a work-group plays 32 x WORDS of them at a time, with a few cells per
// work-item and a barrier a turn.

#include "annexation/groups.clh"

// Words that a group writes: wins, losses, and a stamp at its end.
#define TALLY_WORDS 3

// Playouts `first` to `end`, from number 32 x `block` on in groups of 32 x WORDS: work-group n plays every
// n-th group. `near`: the places of the rows' first neighbours, one neighbour of all rows after another.
// `cells`: a row's colour, and above 8 and 20 bits the fewest moves in which player 1 and player 2 can own
// its cell (4095 if never). `far_begins`: the index in `far_rows` of its further neighbours.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void sliced(
    __global const ushort *near,
    __global const uint *cells,
    __global const uint *far_begins,
    __global const ushort *far_rows,
    const int rows,
    const int2 start_cells,
    const uint turns,
    const uint2 key,
    const ulong block,
    const ulong first,
    const ulong end,
    const uint stamp,
    __global uint *tallies,
    const int first_look)
{
    __local word_t owned[2 * SLOTS];
    __local word_t masks[CHUNK * COLOURS];
    __local uint decided[WORDS];
    __local int counts[2 * PLAYOUTS];
    __local int reach[2];
    __local uint score[2];

    const int lid = (int)get_local_id(0);
    const int group = (int)get_group_id(0);
    const int all_cells = rows + start_cells.x + start_cells.y;
    __local uint *mask_words = (__local uint *)masks;
    __local const uint *owned_words = (__local const uint *)owned;

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
        colour[h] = (int)(cell & 7u);
        soonest_0[h] = (int)(cell >> 8 & 4095u);
        soonest_1[h] = (int)(cell >> 20);
#if FAR
        far_begin[h] = far_begins[slot[h]];
        far_end[h] = far_begins[slot[h] + 1];
#endif
    }
    if (lid < 2) {
        score[lid] = 0u;
    }

    const ulong begin = block * 32ul;
    const uint groups = (uint)((end - begin + (PLAYOUTS - 1)) / PLAYOUTS);
    for (uint index = (uint)group; index < groups; index += (uint)get_num_groups(0)) {
        const ulong from = begin + (ulong)index * PLAYOUTS;
        word_t own_0[HELD], own_1[HELD], gained_0[HELD], gained_1[HELD];
        int active_0[HELD], active_1[HELD];
        FOR_HELD {
            own_0[h] = own_1[h] = gained_0[h] = gained_1[h] = (word_t)(0u);
            owned[slot[h]] = (word_t)(0u);
            owned[SLOTS + slot[h]] = (word_t)(0u);
        }
        if (lid < 2) {
            // Player 1 has the first start, player 2 the second.
            owned[CAPACITY + lid] = (word_t)(lid == 0 ? ~0u : 0u);
            owned[SLOTS + CAPACITY + lid] = (word_t)(lid == 0 ? 0u : ~0u);
            reach[lid] = 0;
        }
        for (int word = lid; word < WORDS; word += GROUP) {
            // Playouts that are not requested count as decided.
            const ulong low = from + 32ul * (ulong)word;
            const ulong before = first > low ? min(first - low, 32ul) : 0ul;
            const ulong until = end > low ? min(end - low, 32ul) : 0ul;
            decided[word] = ~((uint)((1ul << until) - 1ul) & ~(uint)((1ul << before) - 1ul));
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        // For each player, the number of moves to the farthest cell that it owns in some playout.
        int far_0 = 0, far_1 = 0;
        int chunks = (int)((turns + CHUNK - 1u) / CHUNK);
        for (int chunk = 0; chunk < chunks; ++chunk) {
            for (int i = lid; i < CHUNK * WORDS; i += GROUP) {
                const uint turn = (uint)(chunk * CHUNK + i / WORDS);
                const uint4 draw = draw_of(key, from / 32ul + (ulong)(i % WORDS), turn);
                __local uint *mask = mask_words + i / WORDS * (COLOURS * WORDS) + i % WORDS;
                for (int named = 0; named < COLOURS; ++named) {
                    // After the last turn no colour is named.
                    mask[named * WORDS] = turn < turns ? naming(draw, named) : 0u;
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
#if WORDS == 1
            const word_t done = decided[0];
#elif WORDS == 2
            const word_t done = (word_t)(decided[0], decided[1]);
#else
            const word_t done = (word_t)(decided[0], decided[1], decided[2], decided[3]);
#endif
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
            // Player 2's words are not read before the next barrier but one.
            FOR_HELD {
                if (ANY(gained_1[h])) {
                    owned[SLOTS + slot[h]] = own_1[h];
                }
                gained_1[h] = (word_t)(0u);
            }
            for (int i = lid; looks && i < 2 * PLAYOUTS; i += GROUP) {
                counts[i] = start_cells.x * (i < PLAYOUTS) + start_cells.y * (i >= PLAYOUTS);
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
                // Each playout is counted once, when it is decided. Other work-items set bits of the same
                // word, so only the result of the atomic operation is used.
                if (over && (atomic_or(&decided[i / 32], bit) & bit) == 0u && own != other) {
                    atomic_inc(&score[own > other ? 0 : 1]);
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
        // Without any turns the player with more cells has won already.
        const int none = turns == 0u;
        for (int i = lid; none && i < PLAYOUTS; i += GROUP) {
            if ((decided[i / 32] >> (i & 31) & 1u) == 0u && start_cells.x != start_cells.y) {
                atomic_inc(&score[start_cells.x > start_cells.y ? 0 : 1]);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < 2) {
        tallies[group * TALLY_WORDS + lid] = score[lid];
    }
    if (lid == 0) {
        tallies[group * TALLY_WORDS + 2] = stamp + (uint)group;
    }
}
