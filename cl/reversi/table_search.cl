// Null-window searches of one position to a fixed depth, by workers that share a tree and a table.
//
// A work-group is a worker. It takes a node, makes and values all its children at once, a work-item a move,
// and goes on with the best. Nodes with more than SERIAL plies left are split: their children are records
// in global memory, which any worker may take from a queue (common/shared_tree.clh). All know what one has put
// into the table (common/known_positions.clh).

#include "common/shared_tree.clh"
#include "reversi/bits8.clh"

// Work-items of a work-group.
#ifndef GROUP
#define GROUP 1
#endif
// Plies left up to which a worker searches alone. At least 2.
#ifndef SERIAL
#define SERIAL 3
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
// How far below the threshold all children's static scores lie where no cut is expected.
#ifndef MARGIN
#define MARGIN 80
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

// Searches for whether the value of a position reaches each of a few thresholds, the roots'. `first` is the
// first record that is free, and `hint` the move to try first.
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
    const ulong root_own,
    const ulong root_other,
    const ulong root_moves,
    const int root_weight,
    const uint hint,
    const int depth,
    const uint epoch,
    const uint first,
    const uint roots) {
    // The children of the nodes in hand: of those with 2 to SERIAL plies left, and of one that is split.
    __local ulong child_own[SERIAL][MOST_MOVES], child_other[SERIAL][MOST_MOVES];
    __local ulong child_moves[SERIAL][MOST_MOVES];
    __local int child_weight[SERIAL][MOST_MOVES];
    __local uchar child_move[SERIAL][MOST_MOVES], order[SERIAL][MOST_MOVES];
    // What the one in hand is ordered by, the score of each child where it is known, its best move.
    __local int rank_by[MOST_MOVES], known[MOST_MOVES], child_value[MOST_MOVES];
    __local uchar child_hint[MOST_MOVES], child_cut[MOST_MOVES];
    // A child's static value but for the moves of the side that is not to move, and those.
    __local int value_less[MOST_MOVES], replies[MOST_MOVES];
    // The lowest value of a node's children: of the one in hand by work-item, of several by node.
    __local int least[MOST_MOVES];
    // The nodes above the one in hand that this worker searches alone.
    __local int frame_threshold[SERIAL], frame_best[SERIAL], frame_count[SERIAL], frame_next[SERIAL];
    // The node to expand next.
    __local ulong now_own, now_other, now_moves;
    __local int now_weight, now_threshold, now_depth;
    __local uint now_index, now_info, now_parent, now_base;
    __local int now_split, now_all, now_stop;
    // How many nodes with one ply left at once, the first of them, and their children.
    __local int now_many, now_from, now_total;

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

    if (lane == 0 && get_group_id(0) == 0) {
        for (uint root = roots; root-- > 0;) {
            job.index = first + root;
            job.boards = (uint4)((uint)root_own, (uint)(root_own >> 32), (uint)root_other,
                (uint)(root_other >> 32));
            job.moves = root_moves;
            const uint cut = control[ROOTS + root * ROOT_WORDS + 1];
            job.rest = (uint4)((uint)root_weight << 1, NONE, control[ROOTS + root * ROOT_WORDS],
                INFO(depth, cut, NO_MOVE, hint, root, 0u));
            write_node(records, job.index, job.boards, job.rest, job.moves, epoch);
            if (root > 0) {
                push(queue, places, control, job.index);
            }
        }
        busy = true;
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
                    if (DEPTH_OF(about) >= KEPT) {
                        keep(table, buckets, key_of(OWN(job), OTHER(job)), DEPTH_OF(about), result,
                            result >= asked, best_move);
                    }
                    have = false;
                    busy = false;
                    if (parent == NONE) {
                        answer(control, words, first, roots, NUMBER_OF(about), asked, result, best_move);
                        break;
                    }
                    const int score = -result;
                    const int wanted = 1 - asked;
                    uint word = seen(words + parent);
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
                        job = read_node(records, parent, epoch, control);
                        have = seen(control + DONE) == 0u;
                        continue;
                    }
                    if (IS_AWAITED(job)) {
                        // A node that was expected to be cut, and is not yet: its next child.
                        const uint mine = 1u + atomic_inc(next + parent);
                        if (mine < siblings) {
                            const uint start = job.index - NUMBER_OF(about);
                            if (mine + 1u >= ONE_BY_ONE || seen(control + IDLE) * 4u > workers) {
                                uint more = 1u + atomic_add(next + parent, (uint)MOST_MOVES);
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
            now_many = 1;
            now_weight = WEIGHT(job);
            now_threshold = THRESHOLD(job);
            now_depth = DEPTH_OF(DESCRIPTION(job));
            now_index = job.index;
            now_info = DESCRIPTION(job);
            now_parent = PARENT(job);
            now_split = now_depth > SERIAL || now_parent == NONE;
            now_stop = !busy;
        }
        WAIT();
        if (now_stop) {
            break;
        }
        ulong own = now_own, other = now_other, moves = now_moves;
        int weight = now_weight;
        const int left = now_depth, threshold = now_threshold, many = now_many;
        const bool split = now_split;
        const uint info = now_info, index = now_index;
        // Where its children are kept; those at a leaf's depth are not.
        int level = split ? SERIAL - 1 : left - 2;
        const bool kept = level >= 0;
        level = kept ? level : 0;
        const bool blocked = moves == 0;
        int count = (int)popcount(moves);
        if (blocked) {
            count = legal_moves8(other, own) != 0 ? 1 : 0;
        }
        // Read now, looked at when there is something to decide.
        uint done = 0;
        if (lane == 0) {
            done = seen(control + DONE);
            if (split && count > 0) {
                now_base = atomic_add(control + ALLOCATED, (uint)count);
            }
        }

        // Each work-item makes and values a child; two share one where they are enough, and count the
        // moves of a side each.
        const int halves = many == 1 && 2 * count <= GROUP ? 2 : 1;
        const bool second = halves == 2 && (lane & 1) != 0;
        const int begin = halves == 2 ? lane / 2 : lane, stride = GROUP / halves;
        // The number of the first child's move among those of its node.
        int number = begin;
        int end = count;
        if (many > 1) {
            end = now_total;
            int rest = lane;
            for (int n = 0; n < many; ++n) {
                const int child = order[0][now_from + n];
                const ulong its = child_moves[0][child];
                const int its_count = (int)popcount(its);
                if (rest >= 0 && rest < its_count) {
                    own = child_own[0][child];
                    other = child_other[0][child];
                    weight = child_weight[0][child];
                    moves = its;
                    number = rest;
                }
                rest -= its_count;
            }
        }
        for (int m = begin; m < end; m += stride) {
            ulong mine = other, theirs = own;
            int after = -weight;
            uint move = PASS;
            if (!blocked) {
                move = bit_of(moves, number);
                number += stride;
                const ulong square = 1ul << move;
                const ulong turned = turned_by(square, own, other);
                mine = other & ~turned;
                theirs = own | turned | square;
                after = -(weight + 2 * weight_of_set(turned, sums) + weight_of_square(move, sums));
            }
            const ulong reach = legal_moves8(second ? theirs : mine, second ? mine : theirs);
            if (second) {
                replies[m] = (int)popcount(reach);
                continue;
            }
            if (halves == 1) {
                replies[m] = (int)popcount(legal_moves8(theirs, mine));
            }
            value_less[m] = after + MOBILITY * (int)popcount(reach);
            if (!kept) {
                continue;
            }
            child_own[level][m] = mine;
            child_other[level][m] = theirs;
            child_moves[level][m] = reach;
            child_weight[level][m] = after;
            child_move[level][m] = (uchar)move;
            if (split) {
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
                known[m] = score;
                child_hint[m] = (uchar)best;
                child_cut[m] = (uchar)cut;
            }
        }
        WAIT();

        // What the children are worth.
        if (kept) {
            for (int m = lane; m < count; m += GROUP) {
                const int value = value_less[m] - MOBILITY * replies[m];
                rank_by[m] = ((value - LOWEST) << 6) | m;
                if (split) {
                    child_value[m] = value;
                    if (left == 1) {
                        known[m] = -value;
                    } else if (child_moves[level][m] == 0 && replies[m] == 0) {
                        known[m] = final_value8(child_other[level][m], child_own[level][m]);
                    }
                    if (child_move[level][m] == HINT_OF(info)) {
                        rank_by[m] = m;
                    }
                }
            }
        } else if (many == 1) {
            int lowest = HIGHEST;
            for (int m = lane; m < count; m += GROUP) {
                const int value = value_less[m] - MOBILITY * replies[m];
                if (value < lowest) {
                    lowest = value;
                }
            }
            least[lane] = lowest;
        } else if (lane < many) {
            int from = 0;
            for (int n = 0; n < lane; ++n) {
                from += (int)popcount(child_moves[0][order[0][now_from + n]]);
            }
            const int its_end = from + (int)popcount(child_moves[0][order[0][now_from + lane]]);
            int lowest = HIGHEST;
            for (int m = from; m < its_end; ++m) {
                const int value = value_less[m] - MOBILITY * replies[m];
                if (value < lowest) {
                    lowest = value;
                }
            }
            least[lane] = lowest;
        }
        WAIT();

        // The children in order.
        if (split) {
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
                    const ulong mine = child_own[level][m], theirs = child_other[level][m];
                    const uint4 boards =
                        (uint4)((uint)mine, (uint)(mine >> 32), (uint)theirs, (uint)(theirs >> 32));
                    const uint about = INFO(left - 1, child_cut[m], child_move[level][m], child_hint[m],
                        place, open);
                    const uint4 rest = (uint4)((uint)child_weight[level][m] << 1 | (all ? 0u : 1u), index,
                        (uint)(1 - threshold), about);
                    write_node(records, base + (uint)place, boards, rest, child_moves[level][m], epoch);
                    if (place == 0) {
                        now_own = mine;
                        now_other = theirs;
                        now_moves = child_moves[level][m];
                        now_weight = child_weight[level][m];
                        now_info = about;
                    } else if (all) {
                        push(queue, places, control, base + (uint)place);
                    }
                }
            }
        } else if (kept) {
            for (int m = lane; m < count; m += GROUP) {
                int place = 0;
                for (int m2 = 0; m2 < count; ++m2) {
                    place += rank_by[m2] < rank_by[m];
                }
                order[level][place] = (uchar)m;
            }
        }
        WAIT();

        // What comes of it, and where to go on.
        if (lane == 0) {
            nodes += (uint)end;
            have = true;
            best_move = NO_MOVE;
            // The frame and the place of the child to go on with.
            int go_on = -1, place = 0;
            int at = left;
            if (count == 0) {
                result = final_value8(own, other);
            } else if (split) {
                int best = LOWEST;
                bool open = false;
                for (int m = 0; m < count; ++m) {
                    if (known[m] == UNKNOWN) {
                        open = true;
                    } else if (known[m] > best) {
                        best = known[m];
                        best_move = child_move[level][m];
                    }
                }
                result = best;
                if (best < threshold) {
                    best_move = NO_MOVE;
                    if (open) {
                        have = false;
                    }
                }
                if (!have && now_base + (uint)count > capacity) {
                    atomic_xchg(control + ERROR, NO_ROOM);
                    atomic_xchg(control + DONE, 1u);
                } else if (!have) {
                    // What the table knows counts among the scores. Children may have ended by now.
                    uint word = seen(words + index);
                    while (best > SCORE_OF(word)) {
                        const uint seen = atomic_cmpxchg(words + index, word, WORD_OF(best, ENDED(word)));
                        if (seen == word) {
                            break;
                        }
                        word = seen;
                    }
                    job.index = now_base;
                    job.boards = (uint4)((uint)now_own, (uint)(now_own >> 32), (uint)now_other,
                        (uint)(now_other >> 32));
                    job.rest = (uint4)((uint)now_weight << 1 | (now_all ? 0u : 1u), index,
                        (uint)(1 - threshold), now_info);
                    job.moves = now_moves;
                    now_depth = left - 1;
                    now_threshold = 1 - threshold;
                    now_index = job.index;
                    now_parent = index;
                    now_split = left - 1 > SERIAL;
                }
            } else if (many > 1) {
                // All but the last that counts are settled here.
                int n = 0;
                for (; n < many - 1 && least[n] < frame_threshold[0]; ++n) {
                    if (least[n] > frame_best[0]) {
                        frame_best[0] = least[n];
                    }
                }
                frame_next[0] = now_from + n + 1;
                result = -least[n];
            } else if (left == 1) {
                int lowest = least[0];
                for (int m = 1; m < GROUP && m < count; ++m) {
                    if (least[m] < lowest) {
                        lowest = least[m];
                    }
                }
                result = -lowest;
            } else {
                have = false;
                frame_threshold[level] = threshold;
                frame_best[level] = LOWEST;
                frame_count[level] = count;
                go_on = level;
                place = 0;
            }

            // Up through the nodes that are this worker's alone.
            const int top = DEPTH_OF(DESCRIPTION(job));
            while (have && at < top) {
                const int frame = at - 1;
                at += 1;
                const int score = -result;
                if (score > frame_best[frame]) {
                    frame_best[frame] = score;
                }
                const int next_child = frame_next[frame];
                best_move = NO_MOVE;
                result = frame_best[frame];
                if (score >= frame_threshold[frame]) {
                    best_move = child_move[frame][order[frame][next_child - 1]];
                } else if (next_child < frame_count[frame]) {
                    go_on = frame;
                    place = next_child;
                    have = false;
                }
            }

            if (go_on >= 0) {
                const int child = order[go_on][place];
                frame_next[go_on] = place + 1;
                now_own = child_own[go_on][child];
                now_other = child_other[go_on][child];
                now_moves = child_moves[go_on][child];
                now_weight = child_weight[go_on][child];
                now_threshold = 1 - frame_threshold[go_on];
                now_depth = go_on + 1;
                // With one ply left, where the first reply was not enough: the next ones together.
                int together = 1, total = (int)popcount(now_moves);
                while (go_on == 0 && place > 0 && total > 0
                    && place + together < frame_count[0]) {
                    const int more = (int)popcount(child_moves[0][order[0][place + together]]);
                    if (more == 0 || total + more > GROUP) {
                        break;
                    }
                    total += more;
                    together += 1;
                }
                now_many = together;
                now_from = place;
                now_total = total;
            }

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
