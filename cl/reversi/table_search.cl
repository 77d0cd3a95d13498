// Null-window searches of one position to a fixed depth, by workers that share a tree and a table.
//
// A work-group is a worker. It takes a node and makes all its children at once, a work-item a move. Nodes with
// more than three plies left are split: their children are records in global memory, which any worker may take
// from a queue (common/shared_tree.clh), and it goes on with the best. A node with three plies left is searched
// by its worker alone, many positions a step: the children of all its children together, and then leaves of
// many of those. All know what one has put into the table (common/known_positions.clh).

#include "common/shared_tree.clh"
#include "reversi/bits8.clh"

// Work-items of a work-group.
#ifndef GROUP
#define GROUP 1
#endif
// Fewest plies left of a position that is kept in the table.
#ifndef KEPT
#define KEPT 3
#endif
// Moves that a position may have.
#ifndef MOST_MOVES
#define MOST_MOVES 64
#endif
// Children of an expected cut node that are tried one after another, before all others are at once.
#ifndef ONE_BY_ONE
#define ONE_BY_ONE 3
#endif
// Sixteenths of the workers: where more are idle, the second child is tried together with the first.
#ifndef SECOND_AT_ONCE
#define SECOND_AT_ONCE 12
#endif
// Where more than one worker in this many is idle, all are tried once the first has not been enough.
#ifndef ALL_WHERE_IDLE
#define ALL_WHERE_IDLE 4
#endif
// How far below the threshold all children's static scores lie where no cut is expected.
#ifndef MARGIN
#define MARGIN 80
#endif
// Plies left of a node that a worker searches alone.
#define ALONE 3
// Grandchildren of such a node at a time, and leaves. At least MOST_MOVES.
#ifndef MOST_BELOW
#define MOST_BELOW (GROUP > 32 ? 256 : 128)
#endif
#ifndef MOST_LEAVES
#define MOST_LEAVES (GROUP > 32 ? 512 : 256)
#endif
// Replies that may refute a move, tried before all are.
#ifndef TRIES
#define TRIES 3
#endif
#if GROUP > 1
#define WAIT() barrier(CLK_LOCAL_MEM_FENCE)
#else
#define WAIT()
#endif

IN_CALLER ulong key_of(ulong own, ulong other) {
    ulong key = own * 0x9e3779b97f4a7c15ul ^ rotate(other * 0xbb67ae8584caa73bul, 32ul);
    key = (key ^ key >> 30) * 0xbf58476d1ce4e5b9ul;
    key = (key ^ key >> 27) * 0x94d049bb133111ebul;
    return key ^ key >> 31;
}

// Forgets the table and what became of the nodes and the queue before.
__kernel void forget(
    __global uint4 *restrict table,
    const uint entries,
    __global uint *restrict words,
    __global uint *restrict next,
    const uint nodes,
    __global uint *restrict queue,
    const uint places) {
    const uint step = (uint)get_global_size(0);
    const uint from = (uint)get_global_id(0);
    for (uint at = from; at < entries; at += step) {
        table[at] = (uint4)(0u);
    }
    for (uint at = from; at < nodes; at += step) {
        words[at] = 0u;
        next[at] = 0u;
    }
    for (uint at = from; at < places; at += step) {
        queue[at] = 0u;
    }
}

// What a step makes: the children of a node that is split, those of a node that a worker searches alone, of
// several of these, and leaves.
#define SPLIT 0
#define CHILDREN 1
#define GRANDCHILDREN 2
#define REPLIES 3

// Which leaves: those of each child's best grandchild, a few of each grandchild, or all.
#define BEST 0
#define TRY 1
#define ALL 2

// States of a child or grandchild. One without a move has a pass to make.
#define WAITING 0
#define OPEN 1
#define BLOCKED 2
#define ENDED_STATE 3

// Lists the moves of the position at a place, or its pass.
#define LIST_MOVES(place, moves, room) \
    do { \
        int to = (room); \
        ulong bits = (moves); \
        do { \
            list[to++] = (ushort)((place) << 7 | (bits == 0 ? (int)PASS : LOWEST_BIT_64(bits))); \
            bits &= bits - 1; \
        } while (bits != 0); \
    } while (0)

// A few moves, those first that lead to good squares, then to fair ones.
IN_CALLER ulong some_of(ulong moves, ulong good, ulong fair) {
    ulong some = 0;
    for (int n = 0; n < TRIES; ++n) {
        const ulong left = moves & ~some;
        ulong from = left;
        if ((left & good) != 0) {
            from = left & good;
        } else if ((left & fair) != 0) {
            from = left & fair;
        }
        some |= from & -from;
    }
    return some;
}

// Searches for whether the values of positions reach thresholds, a few each: the roots. `first` is the first
// record that is free.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void table_search(
    __global const short *restrict sums,
    SHARED uint4 *table,
    const uint buckets,
    SHARED uint4 *records,
    const uint capacity,
    SHARED uint *words,
    SHARED uint *next,
    SHARED uint *queue,
    const uint places,
    SHARED uint *control,
    const uint epoch,
    const uint first,
    const uint roots,
    const ulong good,
    const ulong fair) {
    // Children of the node in hand, then grandchildren.
    __local ulong at_own[MOST_MOVES + MOST_BELOW], at_other[MOST_MOVES + MOST_BELOW], at_moves[MOST_MOVES + MOST_BELOW];
    __local int at_weight[MOST_MOVES + MOST_BELOW];
    // The best score of a child of it, and the lowest leaf of a grandchild, so far.
    __local int at_best[MOST_MOVES + MOST_BELOW];
    __local uchar at_state[MOST_MOVES + MOST_BELOW];
    __local uchar parent_of[MOST_BELOW];
    // What children are ordered by, the order, how many they have themselves and have ended of them, which of
    // those has the lowest static value.
    __local int rank_by[MOST_MOVES], kids[MOST_MOVES], ended[MOST_MOVES];
    __local uchar child_move[MOST_MOVES], order[MOST_MOVES];
    __local uint favourite[MOST_MOVES];
    // Of a node that is split: the score of each child where it is known, its static value.
    __local int known[MOST_MOVES], child_value[MOST_MOVES];
    __local uchar child_hint[MOST_MOVES], child_cut[MOST_MOVES];
    // Moves to make next: the place above and the square.
    __local ushort list[MOST_LEAVES];
    // Their number, and the room asked for.
    __local int now_total, now_reserved;
    // The node to search next.
    __local ulong now_own, now_other, now_moves;
    __local int now_weight, now_threshold, now_depth;
    __local uint now_index, now_info, now_parent, now_base, now_first_info, now_idle;
    // Records to put into the queue.
    __local uint now_push, now_push_end;
    __local int now_first, now_step, now_kind, now_all, now_stop;
    // Of its children: the best that ended, how many are open, how many wait; its grandchildren.
    __local uint now_key;
    __local int now_open, now_waiting, now_below;

    const int lane = (int)get_local_id(0);
    const uint workers = (uint)get_num_groups(0);

    // The record in hand, and what is left of it; the first work-item's alone.
    node_t job;
    uint nodes = 0;
    // Whether it has one to search; whether it knows the value of the one it has, that value and move.
    bool busy = false, have = false;
    int result = 0;
    uint best_move = NO_MOVE;
    job.index = NONE;
    job.boards = (uint4)(0u);
    job.rest = (uint4)(0u);
    job.moves = 0;
    job.above = NONE;

    if (lane == 0) {
        now_push = 0;
        now_push_end = 0;
    }
    if (lane == 0) {
        // Each worker begins with a root of its own, where there are as many; the first ones with their last.
        for (uint root = (uint)get_group_id(0); root < roots; root += workers) {
            job = root_node(control, root, first);
            write_node(records, job, epoch);
            if (root + workers < roots) {
                push(queue, places, control, job.index);
            }
            busy = true;
        }
    }

    bool fresh = true;
    for (;;) {
        // The first work-item says what comes next.
        if (lane == 0 && fresh) {
            for (;;) {
                // Up through the nodes that are everybody's.
                while (have) {
                    const uint about = DESCRIPTION(job);
                    const int asked = THRESHOLD(job);
                    const uint parent = PARENT(job);
                    // Read together, as each takes a round trip to memory.
                    uint word = 0, check = 0;
                    node_t up = job;
                    if (parent != NONE) {
                        word = seen(words + parent);
                        up = glance(records, parent, &check);
                    }
                    if (DEPTH_OF(about) >= KEPT) {
                        keep(table, buckets, key_of(OWN(job), OTHER(job)), DEPTH_OF(about), result,
                            result >= asked, best_move);
                    }
                    have = false;
                    busy = false;
                    if (parent == NONE) {
                        answer(control, words, first, job.index - first, asked, result, best_move);
                        break;
                    }
                    const int score = -result;
                    const int wanted = 1 - asked;
                    uint after = 0;
                    bool closed = false;
                    for (;;) {
                        const int best = SCORE_OF(word);
                        closed = best >= wanted;
                        if (closed) {
                            break;
                        }
                        after = WORD_OF(score > best ? score : best, ENDED(word) + 1u);
                        const uint seen = atomic_cmpxchg(words + parent, word, after);
                        if (seen == word) {
                            break;
                        }
                        word = seen;
                    }
                    if (closed) {
                        break;
                    }
                    result = SCORE_OF(after);
                    const uint siblings = SIBLINGS_OF(about);
                    if (result >= wanted || ENDED(after) == siblings) {
                        best_move = result >= wanted ? MOVE_OF(about) : NO_MOVE;
                        job = is_intact(up, check, epoch) ? up : read_node(records, parent, epoch, control);
                        have = seen(control + DONE) == 0u;
                        continue;
                    }
                    if (IS_AWAITED(job)) {
                        // A node that was expected to be cut, and is not yet: its next child.
                        const uint idle = seen(control + IDLE);
                        const uint mine = 1u + atomic_inc(next + parent);
                        if (mine < siblings) {
                            const uint start = job.index - NUMBER_OF(about);
                            if (mine + 1u >= ONE_BY_ONE || idle * ALL_WHERE_IDLE > workers) {
                                uint more = 1u + atomic_add(next + parent, (uint)MOST_MOVES);
                                if (now_push == now_push_end && more < siblings) {
                                    now_push = start + more;
                                    now_push_end = start + siblings;
                                    more = siblings;
                                }
                                for (; more < siblings; ++more) {
                                    push(queue, places, control, start + more);
                                }
                            }
                            job = read_node(records, start + mine, epoch, control);
                            busy = true;
                        }
                    }
                }
                if (!busy) {
                    // What others wait for first.
                    for (; now_push < now_push_end; ++now_push) {
                        push(queue, places, control, now_push);
                    }
                    busy = take(queue, places, control, records, words, epoch, &job);
                }
                if (!busy || PARENT(job) == NONE || DEPTH_OF(DESCRIPTION(job)) < KEPT) {
                    break;
                }
                // Another group may have searched the same position meanwhile.
                const entry_t entry = look_up(table, buckets, key_of(OWN(job), OTHER(job)));
                if (entry.depth != DEPTH_OF(DESCRIPTION(job))) {
                    break;
                }
                if (entry.lower >= THRESHOLD(job)) {
                    result = entry.lower;
                } else if (entry.upper < THRESHOLD(job)) {
                    result = entry.upper;
                } else {
                    break;
                }
                best_move = entry.move;
                have = true;
            }
            now_own = OWN(job);
            now_other = OTHER(job);
            now_moves = job.moves;
            now_weight = WEIGHT(job);
            now_threshold = THRESHOLD(job);
            now_depth = DEPTH_OF(DESCRIPTION(job));
            now_index = job.index;
            now_info = DESCRIPTION(job);
            now_parent = PARENT(job);
            now_step = now_depth == ALONE && PARENT(job) != NONE ? CHILDREN : SPLIT;
            now_stop = !busy;
        }
        WAIT();
        for (uint node = now_push + (uint)lane; node < now_push_end; node += GROUP) {
            push(queue, places, control, node);
        }
        if (now_stop) {
            break;
        }
        const int left = now_depth, threshold = now_threshold, step = now_step, last_kind = now_kind;
        const uint info = now_info, index = now_index;
        const bool listed = step == GRANDCHILDREN || step == REPLIES;
        const bool blocked = now_moves == 0;
        int count = (int)popcount(now_moves);
        if (blocked) {
            count = legal_moves8(now_other, now_own) != 0 ? 1 : 0;
        }
        const int total = listed ? now_total : count;
        // Read now, looked at when there is something to decide.
        uint done = 0;
        if (lane == 0) {
            done = seen(control + DONE);
            if (step == SPLIT && count > 0) {
                now_base = atomic_add(control + ALLOCATED, (uint)count);
                now_idle = seen(control + IDLE);
            }
            if (step == CHILDREN) {
                now_key = NONE;
            }
            if (step == GRANDCHILDREN) {
                now_below = total;
            }
            now_open = 0;
            now_waiting = 0;
        }

        // Each work-item makes and values a child.
        for (int m = lane; m < total; m += GROUP) {
            ulong own = now_own, other = now_other;
            int weight = now_weight, from = 0;
            uint move = PASS;
            if (listed) {
                move = list[m] & 127u;
                from = list[m] >> 7;
                own = at_own[from];
                other = at_other[from];
                weight = at_weight[from];
            } else if (!blocked) {
                move = bit_of(now_moves, m);
            }
            ulong mine = other, theirs = own;
            int after = -weight;
            if (move != PASS) {
                const ulong square = 1ul << move;
                const ulong turned = turned_by(square, own, other);
                mine = other & ~turned;
                theirs = own | turned | square;
                after = -(weight + 2 * weight_of_set(turned, sums) + weight_of_square(move, sums));
            }
            const ulong reach = legal_moves8(mine, theirs), against = legal_moves8(theirs, mine);
            const int value = after + MOBILITY * ((int)popcount(reach) - (int)popcount(against));
            if (step == REPLIES) {
                atomic_min(&at_best[from], value);
                continue;
            }
            const int place = step == GRANDCHILDREN ? MOST_MOVES + m : m;
            at_own[place] = mine;
            at_other[place] = theirs;
            at_moves[place] = reach;
            at_weight[place] = after;
            const bool over = reach == 0 && against == 0;
            if (step == GRANDCHILDREN) {
                parent_of[m] = (uchar)from;
                at_state[place] = over ? ENDED_STATE : reach == 0 ? BLOCKED : OPEN;
                at_best[place] = HIGHEST;
                if (over) {
                    atomic_max(&at_best[from], final_value8(theirs, mine));
                    atomic_inc(&ended[from]);
                } else {
                    atomic_min(&favourite[from], (uint)(value - LOWEST) << 8 | (uint)m);
                }
                continue;
            }
            child_move[m] = (uchar)move;
            rank_by[m] = move == HINT_OF(info) ? m : ((value - LOWEST) << 6) | m;
            if (step == CHILDREN) {
                at_state[m] = WAITING;
                at_best[m] = over ? final_value8(mine, theirs) : LOWEST;
                kids[m] = over ? 0 : reach == 0 ? 1 : (int)popcount(reach);
                ended[m] = 0;
                favourite[m] = NONE;
                continue;
            }
            child_value[m] = value;
            int score = UNKNOWN;
            uint best = NO_MOVE;
            uint cut = 1u - CUT_OF(info);
            if (left > KEPT) {
                const entry_t entry = look_up(table, buckets, key_of(mine, theirs));
                if (entry.depth != 0) {
                    best = entry.move;
                    // What a shallower search found is the best guess of what this one will.
                    if (entry.lower > -threshold) {
                        cut = 1u;
                    } else if (entry.upper <= -threshold) {
                        cut = 0u;
                    }
                    if (entry.depth == left - 1) {
                        if (entry.upper <= -threshold) {
                            score = -entry.upper;
                        } else if (entry.lower > -threshold) {
                            score = -entry.lower;
                        }
                    }
                }
            }
            if (left == 1) {
                score = -value;
            } else if (over) {
                score = final_value8(theirs, mine);
            }
            known[m] = score;
            child_hint[m] = (uchar)best;
            child_cut[m] = (uchar)cut;
        }
        WAIT();

        if (lane == 0) {
            now_total = 0;
            now_reserved = 0;
            now_push = now_push_end;
        }
        // The children in order.
        if (step == SPLIT) {
            int open = 0;
            bool refuted = false;
            // A node that should be cut needs one child, the others only where that one does not refute it.
            bool all = !CUT_OF(info);
            for (int m = 0; m < count; ++m) {
                open += known[m] == UNKNOWN;
                refuted = refuted || (known[m] != UNKNOWN && known[m] >= threshold);
                all = all && child_value[m] > MARGIN - threshold;
            }
            const uint base = now_base;
            if (lane == 0) {
                now_all = all;
            }
            if (!refuted && base + (uint)count <= capacity) {
                for (int m = lane; m < count; m += GROUP) {
                    if (known[m] != UNKNOWN) {
                        continue;
                    }
                    int place = 0;
                    for (int m2 = 0; m2 < count; ++m2) {
                        place += known[m2] == UNKNOWN && rank_by[m2] < rank_by[m];
                    }
                    const ulong mine = at_own[m], theirs = at_other[m];
                    node_t node;
                    node.boards =
                        (uint4)((uint)mine, (uint)(mine >> 32), (uint)theirs, (uint)(theirs >> 32));
                    const uint about = INFO(left - 1, child_cut[m], child_move[m], child_hint[m],
                        place, open);
                    node.rest = (uint4)((uint)at_weight[m] << 1 | (all ? 0u : 1u), index,
                        (uint)(1 - threshold), about);
                    node.moves = at_moves[m];
                    node.index = base + (uint)place;
                    node.above = now_parent;
                    write_node(records, node, epoch);
                    if (place == 0) {
                        now_first = m;
                        now_first_info = about;
                    } else if (all || (place == 1 && now_idle * 16u > workers * SECOND_AT_ONCE)) {
                        if (!all) {
                            atomic_inc(next + index);
                        }
                        push(queue, places, control, node.index);
                    }
                }
            }
        } else if (step == CHILDREN) {
            for (int m = lane; m < count; m += GROUP) {
                int place = 0;
                for (int m2 = 0; m2 < count; ++m2) {
                    place += rank_by[m2] < rank_by[m];
                }
                order[place] = (uchar)m;
            }
        } else if (step == REPLIES) {
            // Grandchildren that end: refuted by a leaf, or all of theirs are valued.
            for (int m = lane; m < now_below; m += GROUP) {
                const int place = MOST_MOVES + m, lowest = at_best[place], from = parent_of[m];
                if (at_state[place] == OPEN && (lowest <= -threshold || at_moves[place] == 0)) {
                    at_state[place] = ENDED_STATE;
                    atomic_max(&at_best[from], lowest);
                    atomic_inc(&ended[from]);
                }
            }
        }
        WAIT();

        // Children that end: cut, or all of theirs have ended.
        if (step != SPLIT) {
            for (int m = lane; m < count; m += GROUP) {
                const uchar state = at_state[m];
                const int best = at_best[m];
                if (state == OPEN ? best > -threshold || ended[m] == kids[m]
                                  : state == WAITING && kids[m] == 0) {
                    at_state[m] = ENDED_STATE;
                    atomic_min(&now_key, (uint)(best - LOWEST) << 6 | (uint)m);
                } else if (state == OPEN) {
                    atomic_inc(&now_open);
                } else if (state == WAITING) {
                    atomic_inc(&now_waiting);
                }
            }
        }
        WAIT();

        // What comes of it, and where to go on.
        if (step == SPLIT) {
            if (lane == 0) {
                have = true;
                best_move = NO_MOVE;
                if (count == 0) {
                    result = final_value8(now_own, now_other);
                } else {
                    int best = LOWEST;
                    bool open = false;
                    for (int m = 0; m < count; ++m) {
                        if (known[m] == UNKNOWN) {
                            open = true;
                        } else if (known[m] > best) {
                            best = known[m];
                            best_move = child_move[m];
                        }
                    }
                    result = best;
                    if (best < threshold) {
                        best_move = NO_MOVE;
                        have = !open;
                    }
                    if (!have && now_base + (uint)count > capacity) {
                        atomic_xchg(control + ERROR, NO_ROOM);
                        atomic_xchg(control + DONE, 1u);
                    } else if (!have) {
                        // What the table knows counts among the scores. Children may have ended by now.
                        uint word = best > LOWEST ? seen(words + index) : WORD_OF(LOWEST, 0u);
                        while (best > SCORE_OF(word)) {
                            const uint seen = atomic_cmpxchg(words + index, word, WORD_OF(best, ENDED(word)));
                            if (seen == word) {
                                break;
                            }
                            word = seen;
                        }
                        const int m = now_first;
                        const ulong mine = at_own[m], theirs = at_other[m];
                        job.index = now_base;
                        job.boards =
                            (uint4)((uint)mine, (uint)(mine >> 32), (uint)theirs, (uint)(theirs >> 32));
                        job.rest = (uint4)((uint)at_weight[m] << 1 | (now_all ? 0u : 1u), index,
                            (uint)(1 - threshold), now_first_info);
                        job.moves = at_moves[m];
                        job.above = now_parent;
                        now_parent = index;
                        now_own = mine;
                        now_other = theirs;
                        now_moves = job.moves;
                        now_weight = at_weight[m];
                        now_info = now_first_info;
                        now_depth = left - 1;
                        now_threshold = 1 - threshold;
                        now_index = job.index;
                        now_step = left - 1 == ALONE ? CHILDREN : SPLIT;
                    }
                }
            }
        } else {
            const int lowest = (int)(now_key >> 6) + LOWEST;
            const bool reached = now_key != NONE && lowest <= -threshold;
            if (count == 0 || reached || (now_open == 0 && now_waiting == 0)) {
                if (lane == 0) {
                    have = true;
                    result = count == 0 ? final_value8(now_own, now_other) : -lowest;
                    best_move = reached ? child_move[now_key & 63u] : NO_MOVE;
                }
            } else if (now_open == 0) {
                // The children of the next ones: of the first alone where a cut is expected.
                const bool alone = step == CHILDREN && CUT_OF(info);
                const int end = alone ? 1 : count;
                for (int at = lane; at < count && at < end; at += GROUP) {
                    const int m = order[at];
                    if (at_state[m] == WAITING) {
                        const int room = atomic_add(&now_reserved, kids[m]);
                        if (room + kids[m] <= MOST_BELOW) {
                            at_state[m] = OPEN;
                            LIST_MOVES(m, at_moves[m], room);
                            atomic_max(&now_total, room + kids[m]);
                        }
                    }
                }
                if (lane == 0) {
                    now_step = GRANDCHILDREN;
                    now_kind = alone ? TRY : BEST;
                }
            } else {
                // Leaves: all of each child's best grandchild, then some of all, then all.
                const int kind = step == GRANDCHILDREN ? last_kind : last_kind == BEST ? TRY : ALL;
                if (kind == BEST) {
                    for (int m = lane; m < count; m += GROUP) {
                        if (at_state[m] == OPEN) {
                            const int place = MOST_MOVES + (int)(favourite[m] & 255u);
                            const int more = max(1, (int)popcount(at_moves[place]));
                            const int room = atomic_add(&now_reserved, more);
                            if (room + more <= MOST_LEAVES) {
                                LIST_MOVES(place, at_moves[place], room);
                                at_moves[place] = 0;
                                at_state[place] = OPEN;
                                atomic_max(&now_total, room + more);
                            }
                        }
                    }
                } else {
                    for (int m = lane; m < now_below; m += GROUP) {
                        const int place = MOST_MOVES + m;
                        if (at_state[place] == ENDED_STATE || at_state[parent_of[m]] != OPEN) {
                            continue;
                        }
                        ulong some = at_moves[place];
                        if (kind == TRY) {
                            some = some_of(some, good, fair);
                        }
                        const int more = max(1, (int)popcount(some));
                        const int room = atomic_add(&now_reserved, more);
                        if (room + more <= MOST_LEAVES) {
                            LIST_MOVES(place, some, room);
                            at_moves[place] &= ~some;
                            at_state[place] = OPEN;
                            atomic_max(&now_total, room + more);
                        }
                    }
                }
                if (lane == 0) {
                    now_step = REPLIES;
                    now_kind = kind;
                }
            }
        }
        if (lane == 0) {
            nodes += (uint)total;
            fresh = have;
            if (!fresh && done != 0u) {
                busy = false;
                fresh = true;
            }
        }
    }
    if (lane == 0) {
        atomic_add(control + NODES + get_group_id(0) % LINE, nodes);
    }
}
