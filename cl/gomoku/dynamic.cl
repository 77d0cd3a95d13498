// A kernel a node, which enqueues its children's (Kawakami and Wang, section 5.4). It needs OpenCL
// C 2.0, or 3.0 with device-side enqueue.
//
// A node down to ply LEVELS is a work-group of its own, launched by its parent's. The nodes at ply
// LEVELS look at their moves themselves: leaves, or more where PLIES are left below. Nobody waits:
// the last of a node's children to end goes on as the node, and so up to the root.
//
// A node's kernel is not told which child it is: it takes the first of its parent's that nobody has
// taken. So moves are begun in their order, whatever the device's queue does; Intel's begins with
// what came last, which also keeps short what waits there.
//
// What is known at a node's ancestors when it begins bounds it, unless BOUNDS is 0. Those values
// only grow while the search goes on, so that a bound read late is wider, never wrong.

#include "gomoku/item.clh"

// The ply of the nodes that enqueue nothing: PREFIX - 1, at most 3.
#define LEVELS (PREFIX - 1)
// Whether nodes are bounded by their ancestors.
#ifndef BOUNDS
#define BOUNDS 1
#endif
// Work-items in a work-group.
#ifndef GROUP
#define GROUP 1
#endif

// A node above the leaves.
typedef struct {
    // Its value so far, from its mover's side; at the root a KEY.
    int best;
    // Children and work-items of its own that have not ended.
    atomic_uint missing;
    // Which of its squares' slots is looked at next for a child to begin, and the first of them.
    uint next;
    uint first;
    uint parent;
    // The moves that lead here, 10 bits each, the first one lowest, and above them how many. In a
    // slot whose square has no node: NO_NODE.
    uint path;
    int balance;
    // The place of the square that leads here among its parent's.
    int place;
} slot_t;

#define PLY_BITS 30
#define NO_NODE 0xffffffffu

// Counted in so many places, lest all wait for one.
#define STRIPES 16

typedef struct {
    uint nodes, nodes_high, leaves, leaves_high;
    // Nodes' kernels that ran, those among them that a bound left nothing to do.
    uint kernels;
    uint none[3];
} counts_t;

// A search, as the host sends it: the root's slot filled in, `used` 1, counts and the rest 0.
typedef struct {
    // Slots given away.
    uint used;
    // Enqueues that the device refused.
    uint refused;
    // The moves of the root that are searched, and what is written when all of them have been.
    int from, to;
    uint stamp;
    uint finished;
    uint none[2];
    counts_t counts[STRIPES];
    // As many as are needed; the root's first.
    slot_t slots[1];
} search_t;

#define ROOT 0
#define NO_PARENT 0xffffffffu

// A value of the root and the place of its move as one number, so that of equal values the first
// move's is the largest. 0 is below all of them.
#define PLACES 1024
#define KEY(value, place) (((value) + WIN) * PLACES + (PLACES - 1 - (place)))

// What a root move at some place must be worth more than, to be the best.
IN_CALLER int root_bound(int key, int place) {
    const int value = key / PLACES - WIN;
    const int best_place = PLACES - 1 - key % PLACES;
    return key == 0 ? LOWEST : value - (place < best_place ? 1 : 0);
}

IN_CALLER void add_wide(volatile __global uint *low, ulong many) {
    const uint part = (uint)many;
    const uint before = atomic_add(low, part);
    const uint high = (uint)(many >> 32) + (before + part < before ? 1 : 0);
    if (high != 0) {
        atomic_add(low + 1, high);
    }
}

// The window of a node: what its ancestors have, every other one its own side's.
IN_CALLER int2 window_of(volatile __global search_t *search, uint me) {
    int own = LOWEST, other = LOWEST;
#if BOUNDS
    bool others = true;
    while (me != ROOT) {
        const uint parent = search->slots[me].parent;
        int best = search->slots[parent].best;
        if (parent == ROOT) {
            best = root_bound(best, search->slots[me].place);
        }
        if (others) {
            other = max(other, best);
        } else {
            own = max(own, best);
        }
        others = !others;
        me = parent;
    }
#endif
    return (int2)(own, -other);
}

// The next child that nobody has begun. There is one for every kernel that is enqueued.
IN_CALLER uint take_child(volatile __global search_t *search, uint parent) {
    uint child;
    do {
        child = search->slots[parent].first + atomic_inc(&search->slots[parent].next);
    } while (search->slots[child].path == NO_NODE);
    return child;
}

// A work-item of a node, or a child, has ended; whoever is the last goes on as the node.
IN_CALLER void end_node(volatile __global search_t *search, uint me) {
    while (atomic_fetch_sub_explicit(
               &search->slots[me].missing, 1, memory_order_acq_rel, memory_scope_device)
           == 1) {
        if (me == ROOT) {
            search->finished = search->stamp;
            return;
        }
        const uint parent = search->slots[me].parent;
        const int value = search->slots[me].best;
        // Where a bound left nothing to do there is no value, and the parent needs none.
        if (value != LOWEST) {
            const int score = parent == ROOT ? KEY(-value, search->slots[me].place) : -value;
            atomic_max(&search->slots[parent].best, score);
        }
        me = parent;
    }
}

// Local memory of a group: its node, its window, the first of its children's slots.
#define ROOM 4

#if GROUP > 1
#define MEET(fences) barrier(fences)
#else
#define MEET(fences)
#endif

__kernel void node(
    __global const int *restrict tables,
    __global const uint *restrict position,
    const int empty,
    const int balance,
    volatile __global search_t *search,
    const uint parent,
    __local int *room) {
    const int item = (int)get_local_id(0);
    if (item == 0) {
        const uint taken = parent == NO_PARENT ? ROOT : take_child(search, parent);
        const int2 bounds = window_of(search, taken);
        room[0] = (int)taken;
        room[1] = bounds.x;
        room[2] = bounds.y;
        if (search->slots[taken].path >> PLY_BITS < LEVELS && bounds.x < bounds.y) {
            const int squares = taken == ROOT ? search->to - search->from : empty;
            const uint first = atomic_add(&search->used, (uint)squares);
            search->slots[taken].first = first;
            room[3] = (int)first;
        }
    }
    MEET(CLK_LOCAL_MEM_FENCE);
    const uint me = (uint)room[0];
    const int alpha = room[1], beta = room[2];
    const root_t root = root_at(tables, position, empty, balance);
    volatile __global slot_t *mine = &search->slots[me];
    // The root's moves are listed after its empty squares.
    const bool at_root = me == ROOT;
    __global const uint *squares = root.squares + (at_root ? empty : 0);
    const int from = at_root ? search->from : 0, to = at_root ? search->to : empty;
    const uint path = mine->path, ply = path >> PLY_BITS;
    const int before = mine->balance;

    overlay_t over;
    lay_none(&over);
#pragma unroll
    for (int i = 0; i < LEVELS; ++i) {
        if (i < (int)ply) {
            const uint square = path >> (10 * i) & 1023;
            lay_stone(&over, i, COLUMN_OF(square), ROW_OF(square));
        }
    }

    uint children = 0;
    int best = LOWEST;
    ulong nodes = item == 0 && alpha < beta, leaves = 0;
    if (alpha < beta && ply == LEVELS) {
        for (int i = from + item; i < to; i += GROUP) {
            // A key is no value, and nothing bounds the root.
            if (BOUNDS && !at_root && max(alpha, best) >= beta) {
                break;
            }
            const uint entry = squares[i];
            if (at_root || is_move(&over, entry)) {
                const int x = COLUMN_OF(entry & 1023), y = ROW_OF(entry & 1023);
                // Below the root's own moves nothing is searched here.
                const int floor = BOUNDS ? max(alpha, best) : LOWEST;
                const found_t found = search_after(&root, &over, before, x, y, -beta, -floor);
                nodes += found.nodes;
                leaves += found.leaves;
                best = max(best, at_root ? KEY(-found.value, i) : -found.value);
#if PLIES > 0
                lay_stone(&over, PREFIX - 1, NOWHERE_X, NOWHERE_Y);
#endif
            }
        }
    }
#if LEVELS > 0
    if (alpha < beta && ply < LEVELS) {
        for (int i = from + item; i < to; i += GROUP) {
            const uint entry = squares[i];
            const uint square = entry & 1023;
            volatile __global slot_t *child = &search->slots[room[3] + i - from];
            child->path = NO_NODE;
            if (at_root || is_move(&over, entry)) {
                const int x = COLUMN_OF(square), y = ROW_OF(square);
                const int change = change_over(tables, root.board, &over, x, y, ply & 1);
                const bool last = empty == (int)ply + 1;
                if (last || IS_FIVE(change)) {
                    const int score = value_by(before, change, (int)ply + 1, last);
                    best = max(best, at_root ? KEY(score, i) : score);
                    nodes += 1;
                    leaves += 1;
                } else {
                    const uint moves = path & ((1u << PLY_BITS) - 1);
                    child->best = LOWEST;
                    atomic_store_explicit(
                        &child->missing, GROUP, memory_order_relaxed, memory_scope_device);
                    child->next = 0;
                    child->parent = me;
                    child->path = (moves | square << (10 * ply)) + ((ply + 1) << PLY_BITS);
                    child->balance = -(before + change);
                    child->place = i;
                    children += 1;
                }
            }
        }
    }
#endif
    if (best != LOWEST) {
        atomic_max(&mine->best, best);
    }
    volatile __global counts_t *counts = &search->counts[me % STRIPES];
    add_wide(&counts->nodes, nodes);
    add_wide(&counts->leaves, leaves);
    if (item == 0) {
        atomic_inc(&counts->kernels);
    }
#if LEVELS > 0
    if (children > 0) {
        atomic_fetch_add_explicit(
            &mine->missing, children, memory_order_relaxed, memory_scope_device);
    }
    // Before a kernel takes a child, all slots are filled in.
    MEET(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    const queue_t queue = get_default_queue();
    for (uint child = 0; child < children; ++child) {
        const int status = enqueue_kernel(
            queue,
            CLK_ENQUEUE_FLAGS_NO_WAIT,
            ndrange_1D(GROUP, GROUP),
            ^(__local void *space) {
                node(tables, position, empty, balance, search, me, (__local int *)space);
            },
            (uint)(ROOM * sizeof(int)));
        if (status != CLK_SUCCESS) {
            atomic_inc(&search->refused);
        }
    }
#endif
    end_node(search, me);
}
