#!/usr/bin/env python3
"""Checks whether OpenSpiel's random games have our means: length, wins, draws, and results by first move.

    ./scripts/adapters/openspiel_means.py target/release/bench --count 100000

Plays --count random games of each game from the start with OpenSpiel and with `bench playouts`. Prints both means,
their difference and its standard error. The exit code is 1 if a difference exceeds --errors standard errors. On both
sides, playout i starts with first move i mod M, so wins are compared by first move. The test is Pearson's statistic of
homogeneity, whose distance from its mean is printed in standard deviations. The variance of lengths is taken from
OpenSpiel's games. Checkers has OpenSpiel's rules: any capture, and a draw after 40 plies.
"""

import argparse
import json
import math
import random
import subprocess
import sys

from openspiel_games import GAMES, random_game

# Options of `bench playouts` for each game: a technique and the rules.
OURS = {
    "connect-four": [],
    "reversi": [],
    # Without a position, gomoku begins after the first stone.
    "gomoku": ["--position="],
    "checkers": ["--set", "capture=any", "--set", "draw-after=40"],
}


def played(name, count, seed):
    """Plays OpenSpiel's games. Returns the tally by first move, and the sums of the lengths and of their squares."""
    game = GAMES[name]({}, {})
    start = game.start()
    firsts = [game.after(start, game.moves(start)[first]) for first in game.first_moves()]
    draw = random.Random(seed).random
    by_first, total, squares = [[0, 0, 0] for _ in firsts], 0, 0
    for number in range(count):
        first = number % len(firsts)
        state = firsts[first].clone()
        plies = 1 + random_game(game, state, draw)
        by_first[first][1 - int(state.returns()[0])] += 1
        total += plies
        squares += plies * plies
    return by_first, total, squares


def ours(bench, name, count, seed):
    """Plays our games. Returns the tally by first move and the sum of the lengths."""
    command = [bench, "playouts", name, "--technique", "rayon", "--count", str(count), "--seed", str(seed), "--json"]
    answer = subprocess.run(command + OURS[name], check=True, capture_output=True, text=True)
    (tally,) = json.loads(answer.stdout)["tallies"]
    return tally["by_first_move"], tally["plies"]


def homogeneity(one, other):
    """Returns Pearson's statistic of two tallies by first move, and its degrees of freedom."""
    statistic, degrees = 0.0, 0
    for mine, theirs in zip(one, other, strict=True):
        sizes = sum(mine), sum(theirs)
        both = [a + b for a, b in zip(mine, theirs)]
        degrees += sum(column > 0 for column in both) - 1
        for column in range(3):
            for found, size in ((mine[column], sizes[0]), (theirs[column], sizes[1])):
                expected = both[column] * size / sum(sizes)
                statistic += (found - expected) ** 2 / expected if expected else 0
    return statistic, degrees


def compared(bench, name, count, seed):
    """Yields each comparison: its name, OpenSpiel's value, our value, and the standard error."""
    theirs, total, squares = played(name, count, seed)
    mine, plies = ours(bench, name, count, seed)
    variance = squares / count - (total / count) ** 2
    error = math.sqrt(2 * variance / count)
    yield "length", total / count, plies / count, error
    for column, what in enumerate(("first player's wins", "draws", "second player's wins")):
        shares = [sum(tally[column] for tally in all) / count for all in (theirs, mine)]
        pooled = sum(shares) / 2
        yield what, *shares, math.sqrt(2 * pooled * (1 - pooled) / count)
    statistic, degrees = homogeneity(theirs, mine)
    yield f"{len(mine)} first moves", statistic, degrees, math.sqrt(2 * degrees)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bench", help="the program, as target/release/bench")
    parser.add_argument("--count", type=int, default=100_000, help="games of each side")
    parser.add_argument("--seed", type=int, default=1, help="of both; not the same numbers")
    parser.add_argument("--errors", type=float, default=3.0, help="standard errors that a difference may have")
    parser.add_argument("--game", action="append", choices=list(GAMES), help="these alone")
    said = parser.parse_args()
    print(f"{'game':13} {'mean':22} {'OpenSpiel':>11} {'ours':>11} {'std. error':>11} {'apart':>6}")
    far = 0
    for name in said.game or GAMES:
        for what, theirs, mine, error in compared(said.bench, name, said.count, said.seed):
            apart = (theirs - mine) / error if error else 0.0
            # Only large values of Pearson's statistic show a difference.
            far += (apart if "first moves" in what else abs(apart)) > said.errors
            print(f"{name:13} {what:22} {theirs:11.5f} {mine:11.5f} {error:11.5f} {apart:6.2f}", flush=True)
    sys.exit(far > 0)


if __name__ == "__main__":
    main()
