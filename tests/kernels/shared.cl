// Tests how the shared-tree search handles entries and records that another group has only partly written.

#include "common/shared_tree.clh"

// Number of ways to combine the four words of two entries.
#define WAYS 16u

// Words per pair of entries: number of accepted mixtures that match neither entry, number of complete entries that were
// not found, and number of one search's entries that another search found.
#define MIXED 0
#define LOST 1
#define FOREIGN 2

IN_CALLER bool is_same(uint4 a, uint4 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w;
}

// Reads pairs of bounds (lower, upper, depth, move). Stores the two bounds of each pair as entries with the same key.
// Then looks up the key in every mixture of their words.
__kernel void mixtures(
    __global const int *pairs, const uint count, SHARED uint4 *table, __global uint *found) {
    const uint item = (uint)get_global_id(0);
    if (item >= count) {
        return;
    }
    SHARED uint4 *bucket = table + 2u * item;
    const ulong key = (ulong)(item + 1u) * 0x9e3779b97f4a7c15ul;
    uint4 entries[2];
    for (int one = 0; one < 2; ++one) {
        __global const int *bounds = pairs + 8u * item + 4 * one;
        show_vector(bucket, (uint4)(0u));
        show_vector(bucket + 1, (uint4)(0u));
        keep(bucket, 1u, key, 1u, bounds[2], bounds[0], bounds[1], (uint)bounds[3]);
        entries[one] = seen_vector(bucket);
        if (look_up(bucket, 1u, key ^ 0xd1342543de82ef95ul).depth != 0) {
            found[3u * item + FOREIGN] += 1u;
        }
    }
    for (uint way = 0; way < WAYS; ++way) {
        const uint4 words = (uint4)(
            entries[way & 1u].x, entries[way >> 1 & 1u].y, entries[way >> 2 & 1u].z, entries[way >> 3 & 1u].w);
        const bool whole = is_same(words, entries[0]) || is_same(words, entries[1]);
        show_vector(bucket, words);
        const bool accepted = look_up(bucket, 1u, key).depth != 0;
        if (accepted && !whole) {
            found[3u * item + MIXED] += 1u;
        } else if (!accepted && whole) {
            found[3u * item + LOST] += 1u;
        }
    }
}

// Finds which of a bucket's two entries (0 or 1) a third entry replaces. `ages` has the ages of the three entries.
__kernel void replaced(const int depth0, const int depth1, const uint4 ages, SHARED uint4 *bucket, __global uint *found) {
    show_vector(bucket, (uint4)(0u));
    show_vector(bucket + 1, (uint4)(0u));
    keep(bucket, 1u, 1ul, ages.x, depth0, 0, 0, NO_MOVE);
    const uint4 first = seen_vector(bucket);
    show_vector(bucket, (uint4)(0u));
    keep(bucket, 1u, 2ul, ages.y, depth1, 0, 0, NO_MOVE);
    const uint4 second = seen_vector(bucket);
    show_vector(bucket, first);
    show_vector(bucket + 1, second);
    keep(bucket, 1u, 3ul, ages.z, 3, 0, 0, NO_MOVE);
    *found = is_same(seen_vector(bucket), first) ? 1u : 0u;
}

// Tests a record that no group ever writes, and a queue that refers to it. Nothing may be read through the record, and
// the launch must end with an error. `found` receives whether a node was read, whether the node below it is idle work,
// whether a node was taken, and the index of the current node.
__kernel void unseen(SHARED uint4 *records, SHARED uint *words, SHARED uint *queue, SHARED uint *control,
    __global uint *found) {
    tree_t tree;
    tree.table = records;
    tree.buckets = 1u;
    tree.salt = 0;
    tree.age = 0;
    tree.records = records;
    tree.capacity = 4u;
    tree.words = words;
    tree.next = words;
    tree.queue = queue;
    tree.places = 4u;
    tree.control = control;
    tree.epoch = 7u;
    tree.first = 0u;
    tree.roots = 0u;
    tree.budget = 0u;
    node_t node;
    node.index = 99u;
    node.boards = (uint4)(0u);
    node.rest = (uint4)(0u, NONE, 0u, 0u);
    node.moves = 0;
    node.above = NONE;
    node.higher = (uint4)(NONE);
    found[0] = read_node(&tree, 2u, &node);
    // The node's ancestor is record 2.
    node.higher.w = 2u;
    found[1] = is_idle_work(&tree, node);
    // The first place in the queue refers to record 3, which is also unwritten.
    control[DONE] = RUNNING;
    queue[0] = 4u;
    __local uint ticks;
    __local int may_have_roots;
    ticks = 0;
    may_have_roots = 1;
    found[2] = take(&tree, &ticks, &may_have_roots, &node);
    found[3] = node.index;
    found[4] = control[ERROR];
    found[5] = control[DONE];
    // The sum exceeds 32 bits.
    add_nodes(&tree, 0xfffffff0ul);
    add_nodes(&tree, 0x300000020ul);
    found[6] = control[NODES];
    found[7] = control[NODES + 1];
}
