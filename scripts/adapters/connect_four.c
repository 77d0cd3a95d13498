/* Connect Four as a technique of Plybench, in one file of C: alpha-beta to a fixed depth (`search`), and counts
 * of move sequences (`perft`). It implements only the parts of docs/PROTOCOL.md that it needs.
 *
 *     cc -O3 -march=native -o connect_four scripts/adapters/connect_four.c
 *     [[technique]]
 *     command = ["./connect_four"]
 */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS 7
#define ROWS 6
#define WIN 1000000
#define LINE (1 << 22)

/* Bit 7 * column + row stands for a square. The seventh bit of each column stays empty. */
typedef uint64_t bits_t;

typedef struct {
    bits_t own, stones;
    /* The value of the mover's stones minus the opponent's. */
    int value, lost;
} board_t;

static const int ORDER[COLUMNS] = {3, 2, 4, 1, 5, 0, 6};
static const int STEPS[4] = {1, 7, 6, 8};
static const int SQUARES[ROWS][COLUMNS] = {
    {3, 4, 5, 7, 5, 4, 3},     {4, 6, 8, 10, 8, 6, 4},    {5, 8, 11, 13, 11, 8, 5},
    {5, 8, 11, 13, 11, 8, 5},  {4, 6, 8, 10, 8, 6, 4},    {3, 4, 5, 7, 5, 4, 3},
};
enum { TWO = 10, THREE = 50 };

static bits_t FULL;
static uint64_t nodes, leaves;

static bits_t bit(int column, int row) { return (bits_t)1 << (7 * column + row); }

static int has_room(const board_t *board, int column) { return !(board->stones & bit(column, ROWS - 1)); }

static board_t play(const board_t *board, int column) {
    const bits_t above = board->stones + bit(column, 0);
    const bits_t drop = above & ~board->stones & ((bits_t)63 << (7 * column));
    int row = 0, worth, won = 0;
    while (bit(column, row) != drop) {
        row++;
    }
    worth = SQUARES[row][column];
    for (int way = 0; way < 4; way++) {
        const int step = STEPS[way];
        int before = 0, after = 0;
        for (bits_t at = drop >> step; before < 3 && (board->own & at); at >>= step) {
            before++;
        }
        for (bits_t at = drop << step; after < 3 && (board->own & at); at <<= step) {
            after++;
        }
        won |= before + after >= 3;
        worth += TWO * ((before > 0) + (after > 0));
        worth += THREE * ((before > 1) + (after > 1) + (before > 0 && after > 0));
    }
    const board_t next = {board->own ^ board->stones, board->stones | drop, -(board->value + worth), won};
    return next;
}

static int search(const board_t *board, int depth, int ply, int alpha, int beta, int *best) {
    nodes++;
    const int over = board->lost || board->stones == FULL;
    if (over || depth == 0) {
        leaves++;
        return board->lost ? ply - WIN : over ? 0 : board->value;
    }
    int value = -WIN;
    for (int place = 0; place < COLUMNS && alpha < beta; place++) {
        if (!has_room(board, ORDER[place])) {
            continue;
        }
        const board_t next = play(board, ORDER[place]);
        const int score = -search(&next, depth - 1, ply + 1, -beta, -alpha, NULL);
        if (score > value) {
            value = score;
            if (best) {
                *best = ORDER[place];
            }
        }
        if (value > alpha) {
            alpha = value;
        }
    }
    return value;
}

static uint64_t perft(const board_t *board, int depth) {
    uint64_t sequences = 0;
    nodes++;
    if (depth == 0) {
        return 1;
    }
    for (int column = 0; !board->lost && column < COLUMNS; column++) {
        if (has_room(board, column)) {
            const board_t next = play(board, column);
            sequences += perft(&next, depth - 1);
        }
    }
    return sequences;
}

/* Returns the text after `"key":` in a line, or NULL. */
static const char *after(const char *line, const char *key) {
    char quoted[32];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *at = strstr(line, quoted);
    return at ? at + strlen(quoted) : NULL;
}

static void answer(const char *position, int depth, int counts) {
    board_t board = {0, 0, 0, 0};
    for (; *position >= '1' && *position <= '7'; position++) {
        board = play(&board, *position - '1');
    }
    nodes = leaves = 0;
    if (counts) {
        const uint64_t found = perft(&board, depth);
        printf("{\"leaves\":%llu,\"nodes\":%llu}", (unsigned long long)found, (unsigned long long)nodes);
        return;
    }
    int best = -1;
    const int value = search(&board, depth, 0, -WIN, WIN, &best);
    printf("{\"value\":%d,\"best\":", value);
    printf(best < 0 ? "null" : "\"%d\"", best + 1);
    printf(",\"nodes\":%llu,\"leaves\":%llu}", (unsigned long long)nodes, (unsigned long long)leaves);
}

int main(void) {
    static char line[LINE];
    int counts = 0;
    for (int column = 0; column < COLUMNS; column++) {
        FULL |= (bits_t)63 << (7 * column);
    }
    while (fgets(line, sizeof line, stdin)) {
        const char *id = after(line, "id");
        printf("{\"id\":%ld,", id ? strtol(id, NULL, 10) : 0);
        if (after(line, "hello")) {
            printf("\"hello\":{\"protocol\":1,\"name\":\"connect_four.c\",\"version\":\"1\"}");
        } else if (after(line, "prepare")) {
            const char *task = after(line, "task"), *game = after(line, "game"), *options = after(line, "options");
            counts = task && !strncmp(task, "\"perft\"", 7);
            const int searches = task && !strncmp(task, "\"search\"", 8);
            if (!game || strncmp(game, "\"connect-four\"", 14) || !(counts || searches)) {
                printf("\"unsupported\":\"it searches and counts positions of Connect Four\"");
            } else if (!counts && options && strncmp(options, "{}", 2)) {
                printf("\"unsupported\":\"it has one evaluation\"");
            } else {
                printf("\"prepared\":{}");
            }
        } else {
            const char *at = after(line, "positions"), *depth = after(line, "depth"), *comma = "";
            printf("\"answers\":[");
            /* The strings in the list contain only digits. */
            for (at = at ? at + 1 : NULL; at && *at == '"'; at = strchr(at + 1, '"') + 1, at += *at == ',') {
                printf("%s", comma);
                answer(at + 1, depth ? atoi(depth) : 0, counts);
                comma = ",";
            }
            printf("]");
        }
        printf("}\n");
        fflush(stdout);
    }
    return 0;
}
