// All turns of the frames in one launch: a work-group plays 32 rows of pixels, with its state in local
// memory.
//
// A pixel is a byte: no owner, player 1's or player 2's. A work-item has some cells in all 32 playouts, and a
// word for each with the playouts in which it has no owner. A turn has two halves with a barrier after each:
// gains are found first and written then, so that a turn sees only the state before it.

#include "annexation/draws.clh"

// Work-items per group, and cells per work-item.
#ifndef GROUP
#define GROUP 64
#endif
#ifndef HELD
#define HELD 1
#endif

// Neighbours that are kept in registers, and whether there are rows with more.
#ifndef NEAR
#define NEAR 6
#endif
#ifndef FAR
#define FAR 0
#endif

// Turns whose colours are drawn at once.
#ifndef CHUNK
#define CHUNK 16
#endif

#define PLAYOUTS 32
#define CAPACITY (GROUP * HELD)
#define SLOTS (CAPACITY + 2)
#if GROUP >= 2 * PLAYOUTS
#define SHARES (GROUP / PLAYOUTS)
#else
#define SHARES 1
#endif

// Words that a group writes: wins, losses, and a stamp at its end.
#define TALLY_WORDS 3

#define FOR_HELD      \
    _Pragma("unroll") \
    for (int h = 0; h < HELD; ++h)

// Playouts `first` to `end`, from number 32 x `block` on, 32 per group. The tables are those of
// cl/annexation/sliced_groups.cl.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void fused(
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
    __global uint *tallies)
{
    // One playout after another.
    __local uchar owner[PLAYOUTS * SLOTS];
    __local uint masks[CHUNK * COLOURS];
    __local int counts[2 * PLAYOUTS];
    __local uint score[2];

    const int lid = (int)get_local_id(0);
    const int group = (int)get_group_id(0);

    int neighbour[HELD][NEAR], colour[HELD];
    FOR_HELD {
        for (int place = 0; place < NEAR; ++place) {
            neighbour[h][place] = near[place * CAPACITY + h * GROUP + lid];
        }
        colour[h] = (int)(cells[h * GROUP + lid] & 7u);
    }
    if (lid < 2) {
        score[lid] = 0u;
    }

    const ulong begin = block * 32ul;
    const uint groups = (uint)((end - begin + (PLAYOUTS - 1)) / PLAYOUTS);
    for (uint index = (uint)group; index < groups; index += (uint)get_num_groups(0)) {
        const ulong from = begin + (ulong)index * PLAYOUTS;
        uint unowned[HELD];
        FOR_HELD {
            unowned[h] = h * GROUP + lid < rows ? ~0u : 0u;
        }
        for (int i = lid; i < PLAYOUTS * SLOTS; i += GROUP) {
            const int slot = i % SLOTS;
            owner[i] = (uchar)(slot == CAPACITY ? 1 : slot == CAPACITY + 1 ? 2 : 0);
        }
        for (int i = lid; i < 2 * PLAYOUTS; i += GROUP) {
            counts[i] = i < PLAYOUTS ? start_cells.x : start_cells.y;
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        const int chunks = (int)((turns + CHUNK - 1u) / CHUNK);
        for (int chunk = 0; chunk < chunks; ++chunk) {
            for (int i = lid; i < CHUNK; i += GROUP) {
                const uint turn = (uint)(chunk * CHUNK + i);
                const uint4 draw = draw_of(key, from / 32ul, turn);
                for (int named = 0; named < COLOURS; ++named) {
                    // After the last turn no colour is named.
                    masks[i * COLOURS + named] = turn < turns ? naming(draw, named) : 0u;
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            for (int at = 0; at < CHUNK; ++at) {
                const int mover = 1 + ((chunk * CHUNK + at) & 1);
                uint gained[HELD];
                FOR_HELD {
                    gained[h] = 0u;
                    uint left = masks[at * COLOURS + colour[h]] & unowned[h];
                    for (; left != 0u; left &= left - 1u) {
                        const int playout = LOWEST_BIT_32(left);
                        __local const uchar *row = owner + playout * SLOTS;
                        int is_next_to = 0;
#pragma unroll
                        for (int place = 0; place < NEAR; ++place) {
                            is_next_to |= row[neighbour[h][place]] == mover;
                        }
#if FAR
                        const int slot = h * GROUP + lid;
                        for (uint place = far_begins[slot]; place < far_begins[slot + 1]; ++place) {
                            is_next_to |= row[far_rows[place]] == mover;
                        }
#endif
                        gained[h] |= is_next_to ? 1u << playout : 0u;
                    }
                    unowned[h] &= ~gained[h];
                }
                barrier(CLK_LOCAL_MEM_FENCE);
                FOR_HELD {
                    for (uint left = gained[h]; left != 0u; left &= left - 1u) {
                        const int playout = LOWEST_BIT_32(left);
                        owner[playout * SLOTS + h * GROUP + lid] = (uchar)mover;
                    }
                }
                barrier(CLK_LOCAL_MEM_FENCE);
            }
        }

        for (int i = lid; i < PLAYOUTS * SHARES; i += GROUP) {
            const int playout = i % PLAYOUTS;
            int own = 0, other = 0;
            for (int row = i / PLAYOUTS; row < rows; row += SHARES) {
                const int owned_by = owner[playout * SLOTS + row];
                own += owned_by == 1 ? 1 : 0;
                other += owned_by == 2 ? 1 : 0;
            }
            atomic_add(&counts[playout], own);
            atomic_add(&counts[PLAYOUTS + playout], other);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = lid; i < PLAYOUTS; i += GROUP) {
            const ulong playout = from + (ulong)i;
            const int own = counts[i], other = counts[PLAYOUTS + i];
            if (playout >= first && playout < end && own != other) {
                atomic_inc(&score[own > other ? 0 : 1]);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid < 2) {
        tallies[group * TALLY_WORDS + lid] = score[lid];
    }
    if (lid == 0) {
        tallies[group * TALLY_WORDS + 2] = stamp + (uint)group;
    }
}
