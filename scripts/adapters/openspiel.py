#!/usr/bin/env python3
"""OpenSpiel as a technique of Plybench: `pip install open_spiel`, then `command = ["python3", "openspiel.py"]`.

Connect Four: sequences of moves (`perft`), random games (`playouts`, with `own-random = true`), and choices by its
MCTS with random games (`choose`). Reversi and checkers: sequences from the start. They are second opinions on the
rules too: `perft` is compared with our counts. Of checkers the rules differ: a capture of several pieces is one ply
here and one a jump there, and no capture has to be the longest; say `rules-differ`.
"""

import random
import sys

import pyspiel

from connect_four import serve

GAMES = {"connect-four": "connect_four", "reversi": "othello", "checkers": "checkers"}
TASKS = {"connect-four": ["perft", "playouts", "choose"], "reversi": ["perft"], "checkers": ["perft", "playouts"]}
STARTS = {
    "reversi": "---------------------------OX------XO---------------------------X",
    "checkers": "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12",
}
ASKED, GAME = {}, {}


def state_of(position):
    state = GAME["game"].new_initial_state()
    name = ASKED["game"]
    if name in STARTS:
        if position != STARTS[name]:
            raise ValueError(f"of {name} it knows the start alone")
        return state
    for column in position:
        state.apply_action(int(column) - 1)
    return state


def perft(state, asked):
    nodes = 0

    def count(state, depth):
        nonlocal nodes
        nodes += 1
        if depth == 0:
            return 1
        if state.is_terminal():
            return 0
        return sum(count(state.child(action), depth - 1) for action in state.legal_actions())

    return {"leaves": count(state, asked["depth"]), "nodes": nodes}


def playouts(state, asked):
    draw = random.Random(f"{ASKED['seed']} {asked['first']}")
    tally = {"wins": 0, "draws": 0, "losses": 0, "plies": 0}
    mover = state.current_player()
    for _ in range(asked["count"]):
        game, plies = state.clone(), 0
        while not game.is_terminal():
            game.apply_action(draw.choice(game.legal_actions()))
            plies += 1
        score = game.returns()[mover]
        tally["wins" if score > 0 else "losses" if score < 0 else "draws"] += 1
        tally["plies"] += plies
    return tally


def choose(state, asked):
    """Its MCTS, with one random game a simulation, until the time is over."""
    if state.is_terminal():
        return {"best": None}
    seed, most, mib = ASKED["seed"], 1_000_000_000, 1 << 10
    evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
    bot = pyspiel.MCTSBot(
        GAME["game"],
        evaluator,
        2.0,
        most,
        mib,
        True,
        seed,
        False,
        pyspiel.ChildSelectionPolicy.UCT,
        asked["time_ms"] / 1000,
    )
    root = bot.mcts_search(state)
    return {"best": str(root.best_child().action + 1), "playouts": root.explore_count}


def hello(asked):
    return {"hello": {"protocol": 1, "name": "OpenSpiel", "version": version()}}


def version():
    from importlib.metadata import version as of

    return f"{of('open_spiel')}, Python {sys.version.split()[0]}"


def prepare(asked):
    if asked["task"] not in TASKS.get(asked["game"], []):
        return {"unsupported": f"it does not do {asked['task']} of {asked['game']}"}
    ASKED.update(asked)
    GAME["game"] = pyspiel.load_game(GAMES[asked["game"]])
    return {"prepared": {}}


def sample(asked):
    do = {"perft": perft, "playouts": playouts, "choose": choose}[ASKED["task"]]
    try:
        return {"answers": [do(state_of(position), asked) for position in asked["positions"]]}
    except ValueError as error:
        return {"unsupported": str(error)}


if __name__ == "__main__":
    serve({"hello": hello, "prepare": prepare, "sample": sample})
