#!/usr/bin/env python3
"""Checks whether OpenSpiel has our rules: reads lines of play and compares each ply with OpenSpiel's moves.

A line of stdin is a line of play as JSON: `game`, `case`, `options`, `plies` and `end`. A ply has its `position`, its
`legal` moves in the game's order and the move `played`. `end` has the last `position` and the `result` of the first
player: 1, 0 or -1. Prints a summary per game, after the first difference if there is one. Exits with 1 if any line
differs. A test of Plybench writes the lines:

    ./scripts/test --long openspiel
"""

import json
import sys

from openspiel_games import GAMES


def differs(game, line):
    """Returns the first difference in a line, or None, and whether it comes from the only rule known to differ."""
    state = game.start()
    for number, ply in enumerate(line["plies"]):
        if state.is_terminal():
            return f"ply {number}: OpenSpiel's game is over at {ply['position']}", False
        theirs = game.moves(state)
        if sorted(theirs) != sorted(ply["legal"]):
            return f"ply {number}, {ply['position']}: ours are {ply['legal']}, OpenSpiel's {list(theirs)}", False
        if number == 0 and ply["legal"] != game.first_moves():
            return f"our first moves are {ply['legal']} in order, not {game.first_moves()}", False
        if hasattr(game, "text") and game.text(state) != ply["position"]:
            return f"ply {number}: ours is {ply['position']}, OpenSpiel's {game.text(state)}", False
        for action in theirs[ply["played"]]:
            state.apply_action(action)
    end, ours = line["end"]["position"], line["end"]["result"]
    if not state.is_terminal():
        return f"OpenSpiel's game goes on at {end}", False
    if (theirs := int(state.returns()[0])) != ours:
        at_the_draw = hasattr(game, "quiet") and game.quiet(state) == game.DRAW_AFTER
        return f"{end} is {ours} to the first player, OpenSpiel's {theirs}", at_the_draw and theirs == 0
    return None, False


def main():
    told, games = {}, {}
    for text in sys.stdin:
        line = json.loads(text)
        name = line["game"]
        if name not in games:
            games[name] = GAMES[name](line["options"], line["case"])
        count = told.setdefault(name, {"lines": 0, "plies": 0, "moves": 0, "stuck": 0, "differ": 0})
        count["lines"] += 1
        count["plies"] += len(line["plies"])
        count["moves"] += sum(len(ply["legal"]) for ply in line["plies"])
        difference, is_known = differs(games[name], line)
        if difference is not None:
            if not is_known and count["differ"] == 0:
                print(f"{name}, line {count['lines']}: {difference}")
            count["stuck" if is_known else "differ"] += 1
    for name, count in told.items():
        known = f", {count['stuck']} of them stuck at the draw" if count["stuck"] else ""
        print(
            f"{name}: {count['lines']} lines, {count['plies']} plies, {count['moves']} legal moves; "
            f"{count['lines'] - count['differ']} lines agree{known}, {count['differ']} differ"
        )
    sys.exit(any(count["differ"] for count in told.values()))


if __name__ == "__main__":
    main()
