#!/usr/bin/env python3
"""OpenSpiel as a technique of Plybench: `pip install open_spiel`, then `command = ["python3", "openspiel.py"]`.

The games are Connect Four, reversi on 8x8, gomoku and checkers. The tasks are sequences of moves (`perft`), random
games (`playouts`, with `own-random = true`), and choices by OpenSpiel's MCTS with one random game per simulation
(`choose`). Except in checkers, its alpha-beta also searches with our evaluations (`search`).

In gomoku, OpenSpiel's rules correspond to `moves = "all"`, on boards up to 26x26. Rows longer than five also win.

In checkers, they correspond to `rules = "options"`, `capture = "any"` and `draw-after = 40`. With other rules, a cell
is unsupported. OpenSpiel plays a multiple capture as one ply per jump, and the adapter joins the jumps. If a side
cannot move at the 40th ply, it loses in Plybench, but OpenSpiel scores a draw. With `--other-rules`, the adapter plays
by OpenSpiel's rules. Set `rules-differ` in this case.

Positions of reversi and checkers must be within eight plies of the start or of an earlier position.
"""

import random
import sys
import time
from importlib.metadata import version

import pyspiel
from open_spiel.python.algorithms.minimax import alpha_beta_search

from connect_four import serve
from openspiel_games import GAMES, random_game
from openspiel_values import VALUES, Node

# The exploration constant, the memory of the tree in MiB, and the maximum number of simulations.
UCT_C, TREE_MIB, MOST_SIMULATIONS = 2.0, 1 << 10, 1_000_000_000
ASKED = {}


def perft(game, state, asked):
    nodes = 0

    def count(state, depth):
        nonlocal nodes
        nodes += 1
        if depth == 0:
            return 1
        if state.is_terminal():
            return 0
        return sum(count(game.after(state, actions), depth - 1) for actions in game.moves(state).values())

    return {"leaves": count(state, asked["depth"]), "nodes": nodes}


def playouts(game, state, asked):
    draw = random.Random(f"{ASKED['seed']} {asked['first']}").random
    tally = {"wins": 0, "draws": 0, "losses": 0, "plies": 0}
    mover = state.current_player()
    for _ in range(asked["count"]):
        played = state.clone()
        tally["plies"] += random_game(game, played, draw)
        score = played.returns()[mover] if mover >= 0 else 0
        tally["wins" if score > 0 else "losses" if score < 0 else "draws"] += 1
    return tally


def search(game, state, asked):
    """Runs OpenSpiel's alpha-beta in Python, with OpenSpiel's move order."""
    root = Node(game, state.clone(), asked["depth"])
    player = state.current_player()
    if state.is_terminal():
        player = 1 - state.full_history()[-1].player
    evaluate = VALUES[ASKED["game"]]
    value, best = alpha_beta_search(
        game.game, root, lambda node: evaluate(game, node.state, player, ASKED["options"]), asked["depth"], player
    )
    name = None if best is None else game.name(best)
    return {"value": value, "best": None if name == "pass" else name, "nodes": root.counts[0], "leaves": root.counts[1]}


def choose(game, state, asked, begun):
    """Runs OpenSpiel's MCTS for a time or a number of simulations."""
    if state.is_terminal():
        return {"best": None}
    seconds, most = -1.0, asked.get("iterations", MOST_SIMULATIONS)
    if "time_ms" in asked:
        # Finding the state of the board may have used some of the time.
        seconds = max(0.001, asked["time_ms"] / 1000 - (time.monotonic() - begun))
    evaluator = pyspiel.RandomRolloutEvaluator(1, ASKED["seed"])
    policy = pyspiel.ChildSelectionPolicy.UCT
    bot = pyspiel.MCTSBot(
        game.game, evaluator, UCT_C, most, TREE_MIB, True, ASKED["seed"], False, policy, seconds
    )
    root = node = bot.mcts_search(state)
    path = []
    names = {tuple(actions): name for name, actions in game.moves(state).items()}
    # A multiple capture is several plies in OpenSpiel: follow the best children until the capture is complete.
    while tuple(path) not in names:
        begins = [actions for actions in names if actions[: len(path)] == tuple(path)]
        node = node.best_child() if node is not None and node.children else None
        path.append(node.action if node is not None else begins[0][len(path)])
    return {"best": names[tuple(path)], "playouts": root.explore_count}


def hello(asked):
    return {
        "hello": {
            "protocol": 1,
            "name": "OpenSpiel",
            "version": f"{version('open_spiel')}, Python {sys.version.split()[0]}",
        }
    }


def prepare(asked):
    name, task = asked["game"], asked["task"]
    if name not in GAMES or task not in ("perft", "playouts", "choose", "search"):
        return {"unsupported": f"it does not do {task} of {name}"}
    if task == "search" and name not in VALUES:
        return {"unsupported": f"{name} has no evaluation here"}
    options, case = asked["options"], asked["case"]
    game = GAMES[name](options, case)
    is_same = game.is_same(options, case)
    if not is_same and "--other-rules" not in sys.argv[1:]:
        return {"unsupported": f"{game.DIFFERS}; --other-rules plays its own, for rules-differ"}
    ASKED.update(asked, rules=game)
    return {"prepared": {} if is_same else {"notes": game.DIFFERS}}


def sample(asked):
    begun = time.monotonic()
    game = ASKED.get("rules")
    do = {"perft": perft, "playouts": playouts, "search": search, "choose": choose}[ASKED["task"]]
    more = (begun,) if do is choose else ()
    try:
        return {"answers": [do(game, game.state_of(text), asked, *more) for text in asked["positions"]]}
    except ValueError as error:
        return {"unsupported": str(error)}


if __name__ == "__main__":
    serve({"hello": hello, "prepare": prepare, "sample": sample})
