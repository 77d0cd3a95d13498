// The siblings of a principal-variation node, from a queue of their replies.
//
// Ours: the portable answer to kernels that launch kernels (Kawakami and Wang, section 5.4). The
// nodes two plies below the parent stand in one queue, a pair of sibling and reply each: every
// sibling's first reply, then every sibling's second, and so on. As many work-groups as the device
// runs at once take pairs in this order, by an atomic counter, and search them. None waits for
// another: a group that finds the queue empty is done.
//
// Which values are exact, and why the order of the groups does not matter:
//
// - A sibling's bound, from the parent's view, begins at beta, and each searched pair lowers it to
//   its value. A sibling whose bound is at or below alpha is refuted: it cannot be better, and its
//   pairs are skipped from then on. Bounds only fall, so a refuted sibling stays so.
// - A pair is searched in the window from alpha to its sibling's bound as it stands. Fail-hard, the
//   answer is at or below alpha exactly where the pair's value is, else it is the smaller of the value
//   and that bound, exactly.
// - So a sibling is refuted only where a reply holds it to alpha: where its own value is at or below
//   alpha. And it is refuted in each such case, for pairs are skipped only of siblings that are
//   refuted already, so that the reply in question is searched.
// - A sibling that is not refuted has had all its pairs searched, each above alpha. Its bound is the
//   least of beta and their values: where beta is above, its exact value.
//
// With the null window, of beta = alpha + 1, the first launch tells which siblings are better than
// alpha; with the whole window the second gives their values. Both are the same whichever group
// ran when, and so is the first of the best, which the host picks. What does differ from run to
// run is how many pairs were begun before their sibling was refuted.

#include "gomoku/group_search.clh"

// What all groups share: nodes (low word, high word), leaves (low, high), groups that are done, the
// next pair; then a bound a sibling, and a bit a sibling that is set until it is refuted.
#define NODES 0
#define LEAVES 2
#define DONE 4
#define HEAD 5
#define BOUNDS 6

// A sibling: the square of the stone that leads there, and the balance of the side to move there.
typedef int2 sibling_t;

// Adds to a number of two words.
IN_CALLER void add_wide(__global int *number, ulong more) {
    __global uint *words = (__global uint *)number;
    const uint low = (uint)more;
    const uint before = atomic_add(&words[0], low);
    atomic_add(&words[1], (uint)(more >> 32) + (before + low < before ? 1u : 0u));
}

// A word of the siblings that are not refuted.
IN_CALLER uint living(__global uint *alive, int word) { return atomic_or(&alive[word], 0u); }

// How far it is from one sibling, which is refuted, to the next that is not, in the order in which
// they stand in the queue; 0 where there is none.
IN_CALLER int next_living(__global uint *alive, int count, int sibling) {
    const int words = (count + 31) / 32;
    int word = sibling / 32;
    uint bits = living(alive, word) & (0xfffffffeu << (sibling % 32));
    for (int step = 0; step < words && bits == 0u; ++step) {
        word = word + 1 == words ? 0 : word + 1;
        bits = living(alive, word);
    }
    if (bits == 0u) {
        return 0;
    }
    const int found = word * 32 + LOWEST_BIT_32(bits);
    return found > sibling ? found - sibling : found - sibling + count;
}

// Takes the next pair whose sibling is not refuted: the sibling, and the reply's place in the list.
// Negative where none is left.
//
// Pairs of refuted siblings are leapt over for all groups at once: most of the queue is such.
IN_CALLER int2 take(__global int *shared, int count, int end) {
    __global uint *alive = (__global uint *)(shared + BOUNDS + count);
    for (;;) {
        const int at = atomic_inc(&shared[HEAD]);
        if (at >= end) {
            return (int2)(-1, 0);
        }
        const int sibling = at % count;
        if ((living(alive, sibling / 32) >> (sibling % 32) & 1u) != 0u) {
            return (int2)(sibling, at / count);
        }
        const int leap = next_living(alive, count, sibling);
        if (leap == 0) {
            return (int2)(-1, 0);
        }
        atomic_max(&shared[HEAD], at + leap);
    }
}

// `parent` is the board of the siblings' parent, followed by `count` siblings and the squares of
// `replies` moves that one or the other of them may have; where there are none, each sibling is
// searched whole. `rooms` has the sum of all groups. The other arguments are those of `pvs`.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void work_queue(
    __global const int *restrict tables,
    __global const uint *restrict order,
    __global const lines_t *parent,
    const int alpha,
    const int beta,
    const int colour,
    const int empty,
    const int depth,
    const int ply,
    const int alone,
    const int tries,
    const int chunk,
    const int count,
    const int replies,
    __global int *shared
#if LANES > 0
    ,
    __global int *rooms
#endif
) {
    __local lines_t board[LINES];
    __local node_t waiting[LEVELS];
    __local int stones[LEVELS];
    // Of the node that was probed last.
    __local uint pending[PLACE_WORDS];
    __local count_t counts[GROUP];
    __local turn_t turn;
    // The bound that the turn's moves reach.
    __local int reached;
#if LANES > 0
    // Nodes of the turn, the most of any lane that shares instructions.
    __local uint longest[BUNDLES];
    ulong room = 0;
#endif

    const manner_t manner = {alone, tries, chunk};
    LOCAL_ID_KIND item = (int)get_local_id(0);
    __global const sibling_t *siblings = (__global const sibling_t *)(parent + LINES);
    __global const uint *squares = (__global const uint *)(siblings + count);
    for (int line = item; line < LINES; line += GROUP) {
        board[line] = parent[line];
    }
    count_t entered = {0u, 0u};
    // The administrator's own: the pair that it searches, and where.
    int2 job = (int2)(-1, 0);
    walk_t walk;
    if (item == 0) {
        first_turn(&turn, alpha, beta);
        reached = alpha;
#if LANES > 0
        for (int bundle = 0; bundle < BUNDLES; ++bundle) {
            longest[bundle] = 0u;
        }
#endif
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    for (;;) {
        if (turn.remaining == 0) {
            break;
        }
#if LANES > 0
        const uint before = entered.nodes;
#endif
        const int found = share_of_turn(tables, order, board, &turn, pending, item, &entered);
        if (found > turn.alpha) {
            atomic_max(&reached, found);
        }
        counts[item] = entered;
#if LANES > 0
        atomic_max(&longest[item / LANES], entered.nodes - before);
#endif
        barrier(CLK_LOCAL_MEM_FENCE);

        if (item == 0) {
#if LANES > 0
            room += room_of_turn(longest);
            const uint own = entered.nodes;
#endif
            if (job.x >= 0) {
                take_turn(&walk, &turn, reached);
            }
            for (;;) {
                if (job.x >= 0) {
                    if (walk_on(
                            tables, order, board, waiting, stones, pending, manner, &walk, &turn,
                            &entered)) {
                        break;
                    }
                    // The parent's side is to move after a reply, its opponent at a sibling.
                    const int value = replies > 0 ? walk.node.alpha : -walk.node.alpha;
                    atomic_min(&shared[BOUNDS + job.x], value);
                    if (value <= alpha) {
                        __global uint *alive = (__global uint *)(shared + BOUNDS + count);
                        atomic_and(&alive[job.x / 32], ~(1u << (job.x % 32)));
                    }
                    // Replies are empty at the parent: taking away what was not put does nothing.
                    const int stone = siblings[job.x].x;
                    take_stone(board, COLUMN_OF(stone), ROW_OF(stone));
                    if (replies > 0) {
                        const int reply = (int)squares[job.y];
                        take_stone(board, COLUMN_OF(reply), ROW_OF(reply));
                    }
                }
                job = take(shared, count, count * max(replies, 1));
                if (job.x < 0) {
                    turn.remaining = 0;
                    counts[0] = entered;
                    const ulong2 all = entered_by_all(counts);
                    add_wide(&shared[NODES], all.x);
                    add_wide(&shared[LEAVES], all.y);
#if LANES > 0
                    add_wide(rooms, room + (ulong)LANES * (entered.nodes - own));
#endif
                    atomic_inc(&shared[DONE]);
                    break;
                }
                const sibling_t sibling = siblings[job.x];
                // An atomic that changes nothing, to read what others change.
                const int bound = atomic_min(&shared[BOUNDS + job.x], beta);
                put_stone(board, COLUMN_OF(sibling.x), ROW_OF(sibling.x), colour);
                if (replies == 0) {
                    const node_t root = {-bound, -alpha, sibling.y, 0};
                    begin(&walk, root, depth, ply, 1 - colour, empty - 1, alone);
                    continue;
                }
                // What is no move of this sibling gets an answer that changes no bound.
                node_t root = {beta, beta, 0, 0};
                const int reply = (int)squares[job.y];
                const int x = COLUMN_OF(reply), y = ROW_OF(reply);
                if (is_tried(board, x, y)) {
                    const int change = change_by(tables, board, x, y, 1 - colour);
                    entered.nodes += 1u;
                    if (IS_FIVE(change) || empty == 2) {
                        entered.leaves += 1u;
                        root.alpha = -value_by(sibling.y, change, ply + 1, empty == 2);
                        root.beta = root.alpha;
                    } else {
                        put_stone(board, x, y, 1 - colour);
                        root.alpha = alpha;
                        root.beta = bound;
                        root.balance = -(sibling.y + change);
                    }
                }
                begin(&walk, root, depth - 1, ply + 1, colour, empty - 2, alone);
            }
#if LANES > 0
            room += (ulong)LANES * (entered.nodes - own);
#endif
            reached = turn.alpha;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
