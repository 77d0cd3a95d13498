"""Plybench's evaluations for OpenSpiel's alpha-beta, as in docs/methodology.md, computed from the text of the board.

Every value is one player's advantage, so the side to move does not matter. `options` are the game's options.
"""

import re

from connect_four import LINES, SQUARES, WIN

# Szubert, Jaskowski and Krawiec's weights for reversi, times 100.
WEIGHTS = [
    (102, -27, 55, -10, 8, 47, -38, 100),
    (-13, -52, -18, -7, -18, -29, -68, -44),
    (55, -24, 2, -1, -1, 10, -13, 77),
    (-10, -10, 1, -1, 0, -1, -9, -5),
    (5, -17, 2, -4, -3, 3, -9, -5),
    (56, -25, 5, 2, -2, 17, -35, 42),
    (-25, -71, -24, -23, -8, -29, -63, -24),
    (93, -44, 55, 22, -15, 74, -57, 97),
]
MOBILITY = 10
# Gomoku: the values of a live four, dead four, live three, dead three, live two, dead two.
SHAPES = [10_000, 1_000, 1_000, 100, 100, 10]
MOST = 998_975
TWO, THREE = 10, 50


def connect_four(game, state, player, options):
    """Evaluates Connect Four: squares, twos and threes."""
    squares = options.get("squares", SQUARES)
    two, three = options.get("two", TWO), options.get("three", THREE)
    rows = str(state).split()[::-1]
    at = {(column, row): stone for row, line in enumerate(rows) for column, stone in enumerate(line) if stone != "."}
    own, total = "xo"[player], 0
    for (column, row), stone in at.items():
        worth = squares[row][column]
        for dx, dy in LINES:
            if at.get((column + dx, row + dy)) == stone:
                worth += two
                worth += three * (at.get((column + 2 * dx, row + 2 * dy)) == stone)
        total += worth if stone == own else -worth
    return total


def stones(state, own, other):
    """Returns the discs of both sides as bits, with a1 as the lowest bit."""
    return [sum(1 << at for at, cell in enumerate(state) if cell == side) for side in (own, other)]


def moves_of(own, other):
    """Returns a side's number of legal moves in reversi, computed by dumb7fill in eight directions."""
    files, found = 0x7E7E7E7E7E7E7E7E, 0
    for step, inner in ((1, other & files), (8, other), (7, other & files), (9, other & files)):
        for shift in (lambda bits: bits << step, lambda bits: bits >> step):
            row = shift(own) & inner
            for _ in range(5):
                row |= shift(row) & inner
            found |= shift(row)
    return (found & ~(own | other) & (1 << 64) - 1).bit_count()


def reversi(game, state, player, options):
    """Evaluates reversi: weighted discs and mobility."""
    weights = [weight for row in options.get("weights", WEIGHTS) for weight in row]
    mobility = options.get("mobility", MOBILITY)
    cells = game.cells(state)
    own, other = "xo"[player], "ox"[player]
    discs = sum(weight * ((cell == own) - (cell == other)) for weight, cell in zip(weights, cells))
    mine, theirs = stones(cells, own, other)
    return discs + mobility * (moves_of(mine, theirs) - moves_of(theirs, mine))


def gomoku(game, state, player, options):
    """Evaluates gomoku: maximal runs of two to four stones, by number of open ends."""
    shapes = options.get("shapes", SHAPES)
    side = game.side
    rows = [line.strip() for line in str(state).splitlines()[1:]]
    diagonals = range(1 - side, side)
    ways = [
        rows,
        ["".join(column) for column in zip(*rows)],
        ["".join(rows[y][y + d] for y in range(side) if 0 <= y + d < side) for d in diagonals],
        ["".join(rows[y][side - 1 - y - d] for y in range(side) if 0 <= side - 1 - y - d < side) for d in diagonals],
    ]
    total, own = 0, "bw"[player]
    for line in (line for way in ways for line in way):
        for run in re.finditer(r"bb+|ww+", line):
            ends = line[run.start() - 1 : run.start()] if run.start() else ""
            opened = (ends + line[run.end() : run.end() + 1]).count(".")
            length = run.end() - run.start()
            if opened and length in (2, 3, 4):
                worth = shapes[2 * (4 - length) + 2 - opened]
                total += worth if run.group()[0] == own else -worth
    return max(-MOST, min(MOST, total))


VALUES = {"connect-four": connect_four, "reversi": reversi, "gomoku": gomoku}


def end(game, state, player, ply):
    """Returns the value of a finished game. It includes the disc difference in reversi, and the ply in other games."""
    result = int(state.player_return(player))
    if hasattr(game, "cells"):
        cells = game.cells(state)
        return result * WIN + cells.count("xo"[player]) - cells.count("ox"[player])
    return result * (WIN - ply)


class Node:
    """A state for OpenSpiel's alpha-beta, with our values for finished games. `counts` is [nodes, leaves]."""

    def __init__(self, game, state, depth, ply=0, counts=None):
        self.game, self.state, self.depth, self.ply = game, state, depth, ply
        self.counts = counts if counts is not None else [0, 0]

    def is_terminal(self):
        self.counts[0] += 1
        # In reversi, leaves are not checked for the end of the game.
        ended = self.state.is_terminal() and not (self.depth == 0 and hasattr(self.game, "cells"))
        self.counts[1] += ended or self.depth == 0
        return ended

    def player_return(self, player):
        return end(self.game, self.state, player, self.ply)

    def current_player(self):
        return self.state.current_player()

    def legal_actions(self):
        return self.state.legal_actions()

    def clone(self):
        return Node(self.game, self.state.clone(), self.depth, self.ply, self.counts)

    def apply_action(self, action):
        self.state.apply_action(action)
        self.depth -= 1
        self.ply += 1
