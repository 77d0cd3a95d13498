#!/usr/bin/env python3
"""pgx's random games (JAX) as a technique of Plybench, on a GPU if JAX has one: Connect Four, and reversi on 8x8.

    pip install pgx jax            # jax[cuda12] for NVIDIA's GPUs

    [[technique]]
    command = ["python3", "scripts/adapters/pgx_playouts.py", "--batch", "65536"]
    own-random = true

Batches of 2^10 to 2^20 games advance in lockstep. A lane whose game has ended starts its next game, so each lane plays
its share of the playouts. Observations are unused, so XLA removes them. Compilation is part of a cell's preparation,
not of a sample. All moves are equally likely, with one random word per ply.

pgx's Othello ends when both sides have passed. Ours ends when neither can move, so these two passes are not plies.
"""

import argparse
import sys
import time
from importlib.metadata import version

import jax
import jax.numpy as jnp
import pgx

from connect_four import serve

GAMES = {"connect-four": "connect_four", "reversi": "othello"}
PASS = 64
# Number of lanes whose tallies are summed on the device. Their plies must fit into 32 bits.
SUMMED = 64
LONGEST = {"connect-four": 42, "reversi": 128}
CELL = {}


def legal_action(state, word):
    """Returns the legal action that a random word selects."""
    legal = state.legal_action_mask.astype(jnp.int32)
    count = legal.sum()
    # 24 random bits are enough to select a move in these games, and the product fits into 32 bits.
    index = ((word >> 8) * count.astype(jnp.uint32)) >> 24
    return jnp.argmax(jnp.cumsum(legal) > index.astype(jnp.int32))


def playing(env, game):
    """Returns a function that plays each lane's games from a state and tallies them for the state's player to move."""
    is_reversi = game == "reversi"

    def ply(state, word):
        before = state._x
        action = legal_action(state, word)
        after = env.step(state, action)
        passes = jnp.int32(2) * (before.passed & (action == PASS)) if is_reversi else jnp.int32(0)
        return after.replace(observation=state.observation), after.terminated, passes

    def run(root, games, key):
        lanes = games.shape[0]
        roots = jax.tree_util.tree_map(lambda leaf: jnp.broadcast_to(leaf, (lanes, *leaf.shape)), root)
        zero = jnp.zeros(lanes, jnp.int32)

        def goes_on(carried):
            return jnp.any(carried[1] > 0)

        def step(carried):
            states, left, tally, number = carried
            words = jax.random.bits(jax.random.fold_in(key, number), (lanes,), jnp.uint32)
            states, ended, passes = jax.vmap(ply)(states, words)
            playing = left > 0
            over = ended & playing
            reward = states.rewards[:, root.current_player]
            tally = (
                tally[0] + (over & (reward > 0)),
                tally[1] + (over & (reward == 0)),
                tally[2] + (over & (reward < 0)),
                tally[3] + playing - jnp.where(over, passes, 0),
            )

            def begun(new, old):
                return jnp.where(ended.reshape(-1, *([1] * (old.ndim - 1))), new, old)

            return jax.tree_util.tree_map(begun, roots, states), left - over, tally, number + 1

        tally = jax.lax.while_loop(goes_on, step, (roots, games, (zero,) * 4, jnp.uint32(0)))[2]
        return jnp.stack([column.reshape(-1, SUMMED).sum(axis=1) for column in tally])

    return run


def state_of(text):
    """Returns the state of a position. The first reward belongs to the player to move."""
    state = CELL["start"]
    if CELL["game"] == "connect-four":
        for column in text:
            state = CELL["step"](state, jnp.int32(int(column) - 1))
    else:
        # The other side passes, so that pgx computes the legal moves. The mask marks this pass as legal.
        own = text[64]
        board = [0 if cell == "-" else -1 if cell == own else 1 for cell in text[:64]]
        now = state._x._replace(board=jnp.int32(board), passed=jnp.bool_(False))
        may = jnp.ones_like(state.legal_action_mask)
        state = CELL["step"](state.replace(_x=now, legal_action_mask=may), jnp.int32(PASS))
        state = state.replace(_x=state._x._replace(passed=jnp.bool_(False)))
    observation = jnp.zeros_like(state.observation)
    return state.replace(observation=observation, current_player=jnp.int32(0), rewards=jnp.zeros(2, jnp.float32))


def ended(state):
    """Returns the result of a finished game for the player to move: 1, 0 or -1."""
    if CELL["game"] == "connect-four":
        return -1 if int(state._x.winner) >= 0 else 0
    return int(jnp.sign(state._x.board.sum()))


def hello(asked):
    packages = ", ".join(f"{name} {version(name)}" for name in ("pgx", "jax", "jaxlib"))
    device = jax.devices()[0]
    return {"hello": {"protocol": 1, "name": "pgx", "version": f"{packages}, {device.device_kind}"}}


def prepare(asked):
    game = asked["game"]
    if game not in GAMES or asked["task"] != "playouts":
        return {"unsupported": f"it plays random games of {' and '.join(GAMES)}, not {asked['task']} of {game}"}
    if str(asked["case"].get("board", "8x8")) != "8x8":
        return {"unsupported": f"its Othello is on 8x8, not {asked['case']['board']}"}
    env = pgx.make(GAMES[game])
    start = jax.jit(env.init)(jax.random.key(0))
    step = jax.jit(env.step).lower(start, jnp.int32(0)).compile()
    start = start.replace(current_player=jnp.int32(0))
    games = jnp.zeros(BATCH, jnp.int32)
    key = jax.random.key(asked["seed"] & 0xFFFF_FFFF)
    CELL.update(game=game, env=env, start=start, step=step, key=key, roots={})
    begun = time.monotonic()
    root = state_of("" if game == "connect-four" else "-" * 27 + "OX" + "-" * 6 + "XO" + "-" * 27 + "X")
    CELL["run"] = jax.jit(playing(env, game)).lower(root, games, key).compile()
    device = jax.devices()[0]
    took = time.monotonic() - begun
    return {"prepared": {"notes": f"batches of {BATCH} on {device.platform}, compiled in {took:.1f} s"}}


def playouts(text, asked):
    if text not in CELL["roots"]:
        CELL["roots"][text] = state_of(text)
    root, count = CELL["roots"][text], asked["count"]
    # pgx does not continue finished games. It ends a blocked game of reversi with two passes.
    if bool(root.terminated):
        result = ended(root)
        return {"wins": count * (result > 0), "draws": count * (result == 0), "losses": count * (result < 0), "plies": 0}
    lane = jnp.arange(BATCH, dtype=jnp.int32)
    games = count // BATCH + (lane < count % BATCH)
    key = jax.random.fold_in(CELL["key"], asked["first"] & 0xFFFF_FFFF)
    tally = jax.device_get(CELL["run"](root, games.astype(jnp.int32), key))
    return dict(zip(("wins", "draws", "losses", "plies"), (int(column.sum(dtype="int64")) for column in tally)))


def sample(asked):
    begun = time.perf_counter_ns()
    most = BATCH * (2**31 // (SUMMED * LONGEST[CELL["game"]]))
    if asked.get("count", 0) > most:
        return {"unsupported": f"{asked['count']} playouts at once; in batches of {BATCH} it counts up to {most}"}
    answers = [playouts(text, asked) for text in asked["positions"]]
    return {"answers": answers, "own_ns": time.perf_counter_ns() - begun}


def batch(text):
    size = int(text)
    if size not in (1 << power for power in range(10, 21)):
        raise argparse.ArgumentTypeError(f"{text}; allowed is a power of two from {1 << 10} to {1 << 20}")
    return size


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--batch", type=batch, default=1 << 16, help="games that are stepped together")
    BATCH = parser.parse_args().batch
    serve({"hello": hello, "prepare": prepare, "sample": sample})
