// Runs null-window searches of a gomoku position to a fixed depth. The workers share a tree and a table.
//
// A node takes three steps. BOARD creates its board from the root's board and the moves since then. GAINS computes the
// change in balance (the gain) from a stone of either side on each empty square. If the mover can make a five, or the
// other side can make several, the node's value is known. Otherwise, the node is split (common/table_search.clh). With
// two plies left, TWO evaluates both plies at once, without records for children.
//
// A win is worth WIN minus the number of stones, regardless of the root. The host converts this to plies from its root.
//
// In the scheduler, a position's `own` contains the moves since the root, eight bits each, with the last in the lowest
// bits and all higher bits set. `other` contains its key. `moves` contains the root's number and, from bit 32, the
// number of stones.

#include "gomoku/evaluate.clh"

// With 1, only squares next to a stone are moves.
#ifndef ADJACENT
#define ADJACENT 0
#endif
#ifndef MIN_TABLE_DEPTH
#define MIN_TABLE_DEPTH 3
#endif
// With this margin, all children of a node without an expected cutoff are searched at once.
#ifndef MARGIN
#define MARGIN (-(1 << 22))
#endif
#define MOST_MOVES SQUARES
#define MOST_PLACES SQUARES

// Remaining depth, whether a cutoff is expected, the best known move, the node's index among its siblings, and their
// number. `own` holds the move that led to the node.
#define INFO(depth, cut, move, hint, number, siblings) \
    ((uint)(depth) | (uint)(cut) << 5 | (uint)(hint) << 8 | (uint)(number) << 16 | (uint)(siblings) << 24)
#define DEPTH_OF(info) ((int)((info) & 31u))
#define CUT_OF(info) ((info) >> 5 & 1u)
#define HINT_OF(info) ((info) >> 8 & 255u)
#define NUMBER_OF(info) ((info) >> 16 & 255u)
#define SIBLINGS_OF(info) ((info) >> 24)
#define MOVE_TO(node) ((node).boards.x & 255u)
#define MOVES_OF_ROOT(root, number) both((number), (root)[ROOT_MOVES + 1])

#include "common/shared_tree.clh"

// Converts a square to a move, and back. A square's move is never NO_MOVE.
#define MOVE_ON(square) ((uint)(square) + ((square) >= (int)NO_MOVE ? 1u : 0u))
#define SQUARE_OF(move) ((int)(move) - ((move) > NO_MOVE ? 1 : 0))
// Marks a missing move in lists of moves.
#define NOTHING 255u

#define STONES(moves) ((int)((moves) >> 32))
#define ONE_STONE (1ul << 32)

// Returns the hash key of a stone on a square. It must match src/techniques/gomoku/table_search.rs.
IN_CALLER ulong key_of_stone(uint square, uint colour) {
    ulong key = (ulong)(2u * square + colour + 1u) * 0x9e3779b97f4a7c15ul;
    key = (key ^ key >> 30) * 0xbf58476d1ce4e5b9ul;
    key = (key ^ key >> 27) * 0x94d049bb133111ebul;
    return key ^ key >> 31;
}

IN_CALLER ulong key_of(ulong own, ulong other) {
    return other;
}

// The host determines the values of finished games.
IN_CALLER int final_value(ulong own, ulong other, int weight) {
    return weight;
}

#define BOARD 1
#define GAINS 2
#define TWO 3
#define ROOT_STEP BOARD

IN_CALLER int first_step(int left, ulong own, ulong other) {
    return BOARD;
}

#include "common/table_search.clh"

typedef int worth_t;
#define GAME_PARAMETERS
#define GAME_ARGUMENTS

// The gain on an occupied square. It is lower than any gain, but adding two of them does not overflow.
#define TAKEN (-(1 << 29))
// Number of best replies that are kept. A stone affects at most nine of them, including the one on its own square.
#define TOPS 10
// The work-items' best scores are combined in two rounds. This is the number of parts in the first round.
#define PARTS 16

typedef struct {
    lines_t lines[LINES];
    // The gains of the mover, then the gains of the other side.
    int gains[SQUARES], replies[SQUARES];
    // The squares with the largest replies, in descending order.
    int tops[TOPS];
    // Numbers of fives that the mover and the other side can make, and a square on which the mover makes a five.
    uint wins, threats, win;
    // The best score of each work-item, and its square.
    int best[GROUP], at[GROUP];
} subtree_t;

IN_CALLER int child_count(const __local current_t *now) {
    return STONES(now->moves) < SQUARES ? SQUARES : 0;
}

IN_CALLER int made_by(const __local current_t *now, const __local subtree_t *alone, int step, int count) {
    return (step == SPLIT || step == TWO) && count > 0 ? SQUARES - STONES(now->moves) : 0;
}

IN_CALLER int moves_in(ulong path) {
    return (63 - (int)clz(~path) + 8) / 8;
}

// Returns a line of the position that a path reaches from a root's rows. BLACK is the side to move at the root.
IN_CALLER lines_t line_of(__global const uint *rows, ulong path, int line) {
    // The direction of the line, the coordinate that all its squares share, and its first and last places.
    int direction = 0, fixed = line, from = 0, to = SIDE - 1;
    if (line >= 4 * SIDE - 1) {
        direction = 3;
        fixed = line - (4 * SIDE - 1);
        from = max(0, fixed - (SIDE - 1));
        to = min(SIDE - 1, fixed);
    } else if (line >= 2 * SIDE) {
        direction = 2;
        fixed = line - (3 * SIDE - 1);
        from = max(0, fixed);
        to = min(SIDE - 1, SIDE - 1 + fixed);
    } else if (line >= SIDE) {
        direction = 1;
        fixed = line - SIDE;
    }
    lines_t lines = (lines_t)(~(line_t)0);
    for (int place = from; place <= to; ++place) {
        const int x = direction == 1 ? fixed : place;
        const int across = direction == 2 ? place - fixed : fixed - place;
        const int y = direction == 0 ? fixed : direction == 1 ? place : across;
        const uint row = rows[y];
        const line_t bit = (line_t)1 << (place + REACH);
        lines.x &= (row >> x & 1u) != 0u ? ~(line_t)0 : ~bit;
        lines.y &= (row >> (16 + x) & 1u) != 0u ? ~(line_t)0 : ~bit;
    }
    const int moves = moves_in(path);
    for (int back = 0; back < moves; ++back) {
        const int square = SQUARE_OF((uint)(path >> 8 * back & 255u));
        const int x = square % SIDE, y = square / SIDE;
        if (line_through(x, y, direction) == line) {
            lines = with_stone(lines, place_on(x, y, direction), (moves - 1 - back) & 1);
        }
    }
    return lines;
}

// Returns the colour of the side to move, which is BLACK at the root.
IN_CALLER int colour_of(ulong path) {
    return moves_in(path) & 1;
}

IN_CALLER void make_board(const tree_t *tree, const __local current_t *now, __local subtree_t *alone) {
    // Only the host writes these words.
    __global const uint *rows = (__global const uint *)tree->control
        + ROOTS + (uint)now->moves * ROOT_WORDS + ROOT_BOARD;
    for (int line = (int)get_local_id(0); line < LINES; line += GROUP) {
        alone->lines[line] = line_of(rows, now->own, line);
    }
    if (get_local_id(0) == 0) {
        alone->wins = 0u;
        alone->threats = 0u;
        alone->win = 0u;
    }
}

IN_CALLER void make_gains(
    const __local current_t *now, __local subtree_t *alone, __global const int *tables) {
    const int own = colour_of(now->own);
    for (int square = (int)get_local_id(0); square < SQUARES; square += GROUP) {
        const int x = square % SIDE, y = square / SIDE;
        int gain = TAKEN, reply = TAKEN;
        if (is_empty(alone->lines, x, y)) {
            gain = change_by(tables, alone->lines, x, y, own);
            reply = change_by(tables, alone->lines, x, y, 1 - own);
            if (IS_FIVE(gain)) {
                atomic_inc(&alone->wins);
                atomic_xchg(&alone->win, (uint)square);
            }
            if (IS_FIVE(reply)) {
                atomic_inc(&alone->threats);
            }
        }
        alone->gains[square] = gain;
        alone->replies[square] = reply;
    }
}

// True if the last two plies are evaluated together: all empty squares are moves, and the board does not fill up.
IN_CALLER bool is_last_two(const __local current_t *now) {
#if ADJACENT
    return false;
#else
    return now->depth == 2 && STONES(now->moves) + 2 < SQUARES;
#endif
}

IN_CALLER void find_tops(__local subtree_t *alone) {
    for (int square = (int)get_local_id(0); square < SQUARES; square += GROUP) {
        const int reply = alone->replies[square];
        int above = 0;
        for (int other = 0; other < SQUARES; ++other) {
            const int its = alone->replies[other];
            above += its > reply || (its == reply && other < square);
        }
        if (above < TOPS) {
            alone->tops[above] = square;
        }
    }
}

// Creates the children of a split node. Its mover cannot make a five.
IN_CALLER void make_children(
    const tree_t *tree, const __local current_t *now, __local children_t *children, const __local subtree_t *alone,
    __global const int *tables) {
    const ulong key = now->other, moves = now->moves + ONE_STONE;
    const int left = now->depth, stones = STONES(moves), balance = now->weight;
    const uint info = now->info, colour = (uint)(stones - 1) & 1u;
    for (int m = (int)get_local_id(0); m < SQUARES; m += GROUP) {
        const int gain = alone->gains[m], reply = alone->replies[m];
        const uint move = MOVE_ON(m);
        const ulong after = key ^ key_of_stone((uint)m, colour);
        const int value = clamp(-(balance + gain), -MOST, MOST);
        int score = LOWEST;
#if ADJACENT
        const bool legal = gain != TAKEN
            && (stones == 1 || has_neighbour(alone->lines, m % SIDE, m / SIDE));
#else
        const bool legal = gain != TAKEN;
#endif
        if (legal) {
            if (stones == SQUARES) {
                score = 0;
            } else if (left == 1) {
                score = -value;
            } else if (alone->threats > (IS_FIVE(reply) ? 1u : 0u)) {
                // The move does not stop a five.
                score = stones + 1 - WIN;
            } else {
                score = known_score(tree, 0ul, after, left, now->threshold, info, children, m);
            }
        }
        children->own[m] = now->own << 8 | move;
        children->other[m] = after;
        children->moves[m] = moves;
        children->weight[m] = -(balance + gain);
        children->value[m] = legal ? value : MOST;
        children->move[m] = (uchar)move;
        // A move's rank is its gain plus the gain that it denies the other side.
        const int promise = clamp(gain + reply, -(1 << 22), 1 << 22);
        children->rank_by[m] =
            move == HINT_OF(info) ? m - (1 << 30) - (1 << 29) : tables[TABLE_WORDS + m] - promise * 256;
        children->known[m] = score;
    }
}

// True if a stone on one square cannot change the gain on the other.
IN_CALLER bool is_far(int square, int other) {
    const int x = square % SIDE - other % SIDE, y = square / SIDE - other / SIDE;
    return max(abs(x), abs(y)) > REACH || !(x == 0 || y == 0 || x == y || x == -y);
}

// Returns the gain of the best reply to a stone of colour `own` on a square: the best changed or unchanged gain.
IN_CALLER int best_reply(
    const __local subtree_t *alone, __global const int *tables, int square, int own, int empty) {
    const int x = square % SIDE, y = square / SIDE, other = 1 - own;
    int best = TAKEN;
    // The set of tops whose gains change, one bit each.
    uint changed = 0u;
    for (int top = 0; top < TOPS; ++top) {
        changed |= alone->tops[top] == square ? 1u << top : 0u;
    }
    for (int direction = 0; direction < 4; ++direction) {
        const int place = place_on(x, y, direction);
        const lines_t before = alone->lines[line_through(x, y, direction)];
        const lines_t after = with_stone(before, place, own);
        const int along = direction == 1 ? SIDE : direction == 2 ? 1 + SIDE : direction == 3 ? 1 - SIDE : 1;
        const uint free = ~(uint)(before.x | before.y);
        for (int side = 0; side < 2; ++side) {
            // Find the nearest empty square on this side.
            int distance = REACH + 1;
            for (int step = REACH; step > 0; --step) {
                const int at = place + REACH + (side == 0 ? step : -step);
                distance = (at < 32 && at >= 0 && (free >> at & 1u) != 0u) ? step : distance;
            }
            if (distance <= REACH) {
                const int passed = side == 0 ? distance : -distance;
                const int there = square + passed * along;
                const int its = alone->replies[there]
                    + change_along(tables, after, place + passed, other)
                    - change_along(tables, before, place + passed, other);
                best = its > best ? its : best;
                for (int top = 0; top < TOPS; ++top) {
                    changed |= alone->tops[top] == there ? 1u << top : 0u;
                }
            }
        }
    }
    for (int top = 0; top < TOPS && top < empty; ++top) {
        if ((changed >> top & 1u) == 0u) {
            const int stays = alone->replies[alone->tops[top]];
            best = stays > best ? stays : best;
            break;
        }
    }
    return best;
}

// Evaluates the last two plies. The value of a move is the balance plus its gain minus the gain of the best reply. If
// the move does not change the best reply's gain, and this reply refutes the move, no other reply is tried.
IN_CALLER void make_two(
    const __local current_t *now, __local subtree_t *alone, __global const int *tables) {
    const int lane = (int)get_local_id(0), own = colour_of(now->own), balance = now->weight;
    const int stones = STONES(now->moves), top = alone->tops[0];
    int best = LOWEST, at = 0;
    for (int square = lane; square < SQUARES; square += GROUP) {
        const int gain = alone->gains[square];
        if (gain == TAKEN) {
            continue;
        }
        int score;
        if (alone->threats > 0u && square != top) {
            // The move does not stop the five.
            score = stones + 2 - WIN;
        } else {
            score = clamp(balance + gain - alone->replies[top], -MOST, MOST);
            if (score >= now->threshold || !is_far(square, top)) {
                const int reply = best_reply(alone, tables, square, own, SQUARES - stones);
                score = clamp(balance + gain - reply, -MOST, MOST);
            }
        }
        if (score > best) {
            best = score;
            at = square;
        }
    }
    alone->best[lane] = best;
    alone->at[lane] = at;
}

IN_CALLER void make(
    const tree_t *tree, __local current_t *now, __local children_t *children, __local subtree_t *alone,
    __global const int *tables, int step, int count, int total) {
    if (step == BOARD) {
        make_board(tree, now, alone);
    } else if (step == GAINS) {
        make_gains(now, alone, tables);
    } else if (step == TWO) {
        make_two(now, alone, tables);
    } else if (count > 0) {
        make_children(tree, now, children, alone, tables);
    }
}

IN_CALLER void order(
    const __local current_t *now, const __local children_t *children, __local subtree_t *alone, __global const worth_t *worths,
    int step, int count) {
    if (step == GAINS && is_last_two(now)) {
        find_tops(alone);
    } else if (step == TWO) {
        for (int part = (int)get_local_id(0); part < PARTS && part < GROUP; part += GROUP) {
            for (int item = part + PARTS; item < GROUP; item += PARTS) {
                if (alone->best[item] > alone->best[part]) {
                    alone->best[part] = alone->best[item];
                    alone->at[part] = alone->at[item];
                }
            }
        }
    }
}

IN_CALLER void close(
    const __local current_t *now, const __local children_t *children, __local subtree_t *alone, int step, int count) {
}

// Determines the node's value or the next step.
IN_CALLER void decide(
    worker_t *worker, __local current_t *now, __local children_t *children, __local subtree_t *alone, int step, int count) {
    if (get_local_id(0) != 0) {
        return;
    }
    const int stones = STONES(now->moves);
    if (step == BOARD) {
        now->step = count > 0 ? GAINS : SPLIT;
    } else if (step == TWO) {
        int best = alone->best[0], at = alone->at[0];
        for (int part = 1; part < PARTS && part < GROUP; ++part) {
            if (alone->best[part] > best) {
                best = alone->best[part];
                at = alone->at[part];
            }
        }
        worker->have = true;
        worker->result = best;
        worker->best_move = MOVE_ON(at);
    } else if (alone->wins > 0u) {
        worker->have = true;
        worker->exact = true;
        worker->result = WIN - stones - 1;
        worker->best_move = MOVE_ON((int)alone->win);
    } else if (alone->threats > 1u && now->depth > 1) {
        // A single stone stops only one of the fives.
        worker->have = true;
        worker->exact = true;
        worker->result = stones + 2 - WIN;
        worker->best_move = NO_MOVE;
    } else {
        now->step = is_last_two(now) ? TWO : SPLIT;
    }
}

#include "common/table_search_kernel.clh"
