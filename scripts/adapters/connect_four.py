#!/usr/bin/env python3
"""Connect Four as a technique of Plybench, with only Python's standard library.

It implements docs/PROTOCOL.md: alpha-beta to a fixed depth (`search`), counts of move sequences (`perft`), random games
(`playouts`), and choices by random games within a time (`choose`). Copy this file to start your own program: `serve`
is the whole protocol, and the rest is the game.
"""

import json
import random
import sys
import time

COLUMNS, ROWS, WIN = 7, 6, 1_000_000
CENTRE_FIRST = [3, 2, 4, 1, 5, 0, 6]
LINES = [(1, 0), (0, 1), (1, 1), (1, -1)]
# The value of a stone on each square, with the bottom row first. It is the number of lines of four through the square.
SQUARES = [
    [3, 4, 5, 7, 5, 4, 3],
    [4, 6, 8, 10, 8, 6, 4],
    [5, 8, 11, 13, 11, 8, 5],
    [5, 8, 11, 13, 11, 8, 5],
    [4, 6, 8, 10, 8, 6, 4],
    [3, 4, 5, 7, 5, 4, 3],
]


class Board:
    """A board. `at` maps column and row to a stone: +1 for the first player, -1 for the second, 0 if empty."""

    def __init__(self, moves, options):
        self.at = {(c, r): 0 for c in range(COLUMNS) for r in range(ROWS)}
        self.height = [0] * COLUMNS
        self.mover, self.stones, self.won = 1, 0, False
        # The evaluation: the first player's squares, twos and threes minus the second player's.
        self.value = 0
        self.squares = options.get("squares", SQUARES)
        self.two, self.three = options.get("two", 10), options.get("three", 50)
        self.path = []
        for name in moves:
            self.play(int(name) - 1)

    def moves(self):
        return [] if self.won else [c for c in range(COLUMNS) if self.height[c] < ROWS]

    def play(self, column):
        row, mover = self.height[column], self.mover
        self.path.append((column, self.value, self.won))
        worth, won = self.squares[row][column], False
        for dx, dy in LINES:
            before, after = self.run(column, row, -dx, -dy), self.run(column, row, dx, dy)
            won = won or before + after >= 3
            # New twos contain the stone and a neighbour. New threes contain the stone.
            worth += self.two * ((before > 0) + (after > 0))
            worth += self.three * ((before > 1) + (after > 1) + (before > 0 and after > 0))
        self.at[column, row] = mover
        self.height[column] += 1
        self.stones += 1
        self.value += mover * worth
        self.won, self.mover = won, -mover

    def run(self, column, row, dx, dy):
        length = 0
        while length < 3 and self.at.get((column + dx, row + dy)) == self.mover:
            column, row, length = column + dx, row + dy, length + 1
        return length

    def take_back(self):
        column, self.value, self.won = self.path.pop()
        self.height[column] -= 1
        self.at[column, self.height[column]] = 0
        self.stones -= 1
        self.mover = -self.mover


class Search:
    """An alpha-beta search that tries centre columns first. A win is worth WIN minus its ply."""

    def __init__(self, board):
        self.board, self.nodes, self.leaves = board, 0, 0

    def value(self, depth, ply, alpha, beta):
        board = self.board
        self.nodes += 1
        over = ply - WIN if board.won else 0 if board.stones == COLUMNS * ROWS else None
        if over is not None or depth == 0:
            self.leaves += 1
            return board.mover * board.value if over is None else over
        best = -WIN
        for column in CENTRE_FIRST:
            if board.height[column] < ROWS:
                board.play(column)
                best = max(best, -self.value(depth - 1, ply + 1, -beta, -alpha))
                board.take_back()
                alpha = max(alpha, best)
                if alpha >= beta:
                    break
        return best

    def root(self, depth):
        board, value, best = self.board, None, None
        if not board.moves():
            return self.value(depth, 0, -WIN, WIN), None
        self.nodes += 1
        for column in (c for c in CENTRE_FIRST if board.height[c] < ROWS):
            board.play(column)
            score = -self.value(depth - 1, 1, -WIN, WIN if value is None else -value)
            board.take_back()
            if value is None or score > value:
                value, best = score, str(column + 1)
        return value, best


def search(board, asked):
    found = Search(board)
    value, best = found.root(asked["depth"])
    return {"value": value, "best": best, "nodes": found.nodes, "leaves": found.leaves}


def perft(board, asked):
    nodes = 0

    def count(depth):
        nonlocal nodes
        nodes += 1
        if depth == 0:
            return 1
        leaves = 0
        for column in board.moves():
            board.play(column)
            leaves += count(depth - 1)
            board.take_back()
        return leaves

    return {"leaves": count(asked["depth"]), "nodes": nodes}


def random_game(board, draw):
    """Plays a random game and takes it back. Returns the winner (+1, -1, or 0 for a draw) and the number of plies."""
    plies = 0
    while True:
        moves = board.moves()
        if not moves:
            break
        board.play(draw.choice(moves))
        plies += 1
    winner = -board.mover if board.won else 0
    for _ in range(plies):
        board.take_back()
    return winner, plies


def playouts(board, asked):
    draw = random.Random(f"{STATE['seed']} {asked['first']}")
    tally = {"wins": 0, "draws": 0, "losses": 0, "plies": 0}
    for _ in range(asked["count"]):
        winner, plies = random_game(board, draw)
        tally[("draws", "wins", "losses")[winner * board.mover]] += 1
        tally["plies"] += plies
    return tally


def choose(board, asked):
    """Plays random games until the time ends, and chooses the move with the most wins minus losses."""
    moves = board.moves()
    if not moves:
        return {"best": None}
    end = time.monotonic() + asked["time_ms"] / 1000
    draw = random.Random(STATE["seed"])
    score, games, played, mover = [0] * len(moves), 0, 0, board.mover
    while time.monotonic() < end or games < len(moves):
        place = games % len(moves)
        board.play(moves[place])
        winner, plies = random_game(board, draw)
        board.take_back()
        score[place] += winner * mover
        games, played = games + 1, played + plies + 1
    return {"best": str(moves[score.index(max(score))] + 1), "playouts": games, "plies": played}


TASKS = {"search": search, "perft": perft, "playouts": playouts, "choose": choose}
STATE = {}


def hello(asked):
    version = ".".join(str(part) for part in sys.version_info[:3])
    return {"hello": {"protocol": 1, "name": "connect-four.py", "version": f"1, Python {version}"}}


def prepare(asked):
    if asked["game"] != "connect-four" or asked["task"] not in TASKS:
        return {"unsupported": f"it cannot do {asked['task']} of {asked['game']}"}
    STATE.update(asked)
    return {"prepared": {}}


def sample(asked):
    do = TASKS[STATE["task"]]
    boards = (Board(moves, STATE["options"]) for moves in asked["positions"])
    return {"answers": [do(board, asked) for board in boards]}


def serve(handlers):
    """Answers each request line with a line that repeats its id, until stdin ends."""
    for line in sys.stdin:
        request = json.loads(line)
        what = next(key for key in request if key != "id")
        reply = handlers[what](request[what])
        print(json.dumps({"id": request["id"], **reply}), flush=True)


if __name__ == "__main__":
    serve({"hello": hello, "prepare": prepare, "sample": sample})
