"""OpenSpiel's games with Plybench's notation, for `openspiel.py` and the scripts that check the rules.

A move is a list of OpenSpiel's actions. Only a capture of several pieces in checkers has more than one action, because
OpenSpiel plays it jump by jump.
"""

import pyspiel

# Limits of the search for a board: visited states, plies, known boards. OpenSpiel cannot start from a board.
MOST_VISITED, MOST_PLIES, MOST_KNOWN = 50_000, 8, 8


class Game:
    """A game of OpenSpiel. `DIFFERS` describes how its rules differ from the experiment's if `is_same` is false."""

    DIFFERS = "OpenSpiel has this game on the standard board alone"

    def __init__(self, options, case):
        self.game = pyspiel.load_game(self.spiel(options, case))

    def is_same(self, options, case):
        """Returns whether OpenSpiel's rules equal the experiment's rules."""
        return True

    def start(self):
        return self.game.new_initial_state()

    def moves(self, state):
        """Returns the legal moves: a list of actions for each name."""
        return {self.name(action): [action] for action in state.legal_actions()}

    def play_random(self, state, draw):
        """Plays one random ply. All moves are equally likely. `draw` returns numbers in [0, 1)."""
        actions = state.legal_actions()
        state.apply_action(actions[int(draw() * len(actions))])

    def after(self, state, actions):
        child = state.clone()
        for action in actions:
            child.apply_action(action)
        return child


class MovesAreThePosition(Game):
    """A game whose position text lists the moves from the start."""

    def state_of(self, text):
        state = self.start()
        for name in self.split(text):
            state.apply_action(self.action(name))
        return state


class ConnectFour(MovesAreThePosition):
    def spiel(self, options, case):
        return "connect_four"

    def split(self, text):
        return text

    def action(self, name):
        return int(name) - 1

    def name(self, action):
        return str(action + 1)

    def first_moves(self):
        return list(self.moves(self.start()))


class Gomoku(MovesAreThePosition):
    DIFFERS = "OpenSpiel tries every empty square of boards from 5x5 to 26x26"

    def spiel(self, options, case):
        self.side = int(str(case.get("board", "15x15")).split("x")[0])
        return f"gomoku(size={self.side})"

    def is_same(self, options, case):
        return self.side <= 26 and options.get("moves", "all") == "all"

    def split(self, text):
        words = text.replace(" ", "")
        starts = [at for at, letter in enumerate(words) if letter.isalpha()]
        return [words[start:end] for start, end in zip(starts, starts[1:] + [None])]

    def action(self, name):
        return (int(name[1:]) - 1) * self.side + ord(name[0]) - ord("a")

    def name(self, action):
        row, column = divmod(action, self.side)
        return f"{chr(ord('a') + column)}{row + 1}"

    def first_moves(self):
        def from_centre(action):
            return sum((2 * at + 1 - self.side) ** 2 for at in divmod(action, self.side))

        return [self.name(action) for action in sorted(range(self.side**2), key=from_centre)]


class BoardIsThePosition(Game):
    """A game whose position text is a board. OpenSpiel accepts no boards, so `find` searches from earlier boards."""

    def __init__(self, options, case):
        super().__init__(options, case)
        start = self.start()
        self.first = {self.text(start): start}
        self.known = {}

    def state_of(self, text):
        if text in self.first:
            return self.first[text]
        if text not in self.known:
            found = self.find(text)
            if len(self.known) == MOST_KNOWN:
                self.known.pop(next(iter(self.known)))
            self.known[text] = found
        return self.known[text]

    def find(self, text):
        """Finds the state of a board, breadth-first from recent boards. Skips boards that cannot lead to it."""
        seen = {**self.first, **self.known}
        level = list(seen.values())
        for _ in range(MOST_PLIES):
            below = []
            for state in level:
                for actions in self.moves(state).values():
                    child = self.after(state, actions)
                    board = self.text(child)
                    if board == text:
                        return child
                    if board not in seen and self.may_become(board, text):
                        seen[board] = child
                        below.append(child)
            if len(seen) > MOST_VISITED:
                break
            level = below
        raise ValueError(
            f"OpenSpiel takes no board, and {text} was not found within {MOST_PLIES} plies of the start or of a "
            "position asked before"
        )


class Reversi(BoardIsThePosition):
    PASS = 64

    def spiel(self, options, case):
        return "othello"

    def is_same(self, options, case):
        return str(case.get("board", "8x8")) == "8x8"

    def name(self, action):
        return "pass" if action == self.PASS else f"{'abcdefgh'[action % 8]}{action // 8 + 1}"

    def cells(self, state):
        """Returns the board as 64 characters: x, o and -."""
        return "".join(line[2:18:2] for line in str(state).splitlines() if line[0].isdigit())

    def text(self, state):
        mover = state.current_player()
        if state.is_terminal():
            mover = 1 - state.full_history()[-1].player
        return self.cells(state).upper() + "XO"[mover]

    def may_become(self, board, other):
        return all(now == "-" or then != "-" for then, now in zip(other[:64], board))

    def first_moves(self):
        return list(self.moves(self.start()))


class Checkers(BoardIsThePosition):
    """American checkers. OpenSpiel's first player, `o`, is black here, and the board is rotated by 180 degrees."""

    DRAW_AFTER = 40
    DIFFERS = (
        f"OpenSpiel's checkers takes any complete capture and is drawn after {DRAW_AFTER} plies without one: "
        f'rules = "options", capture = "any" and draw-after = {DRAW_AFTER} are its rules'
    )
    STEPS = [(-1, -1), (-1, 1), (1, 1), (1, -1)]

    def spiel(self, options, case):
        return "checkers"

    def is_same(self, options, case):
        by_options = case.get("rules", "options") == "options"
        # Perft ignores the draw rule.
        drawn = "depth" in case or str(options.get("draw-after", 50)) == str(self.DRAW_AFTER)
        return by_options and options.get("capture", "longest") == "any" and drawn

    def is_capture(self, action):
        return action % 2 == 1

    def squares(self, action):
        """Returns the squares of origin and destination, in PDN numbers."""
        row, column, step = action // 64, action // 8 % 8, self.STEPS[action // 2 % 4]
        length = 1 + self.is_capture(action)
        there = row + length * step[0], column + length * step[1]
        return [33 - (4 * at[0] + at[1] // 2 + 1) for at in ((row, column), there)]

    def moves(self, state):
        actions = state.legal_actions()
        if not actions or not self.is_capture(actions[0]):
            return {"{}-{}".format(*self.squares(action)): [action] for action in actions}
        whole = {}
        mover = state.current_player()

        def jump(state, path, squares):
            for action in state.legal_actions():
                child = state.clone()
                child.apply_action(action)
                start, end = self.squares(action)
                way = (squares or [start]) + [end]
                # If the capture is incomplete, the same side is still to move.
                if child.current_player() == mover:
                    jump(child, path + [action], way)
                else:
                    whole["x".join(map(str, way))] = path + [action]

        jump(state, [], [])
        return whole

    def play_random(self, state, draw):
        actions = state.legal_actions()
        if self.is_capture(actions[0]):
            whole = list(self.moves(state).values())
            for action in whole[int(draw() * len(whole))]:
                state.apply_action(action)
        else:
            state.apply_action(actions[int(draw() * len(actions))])

    def quiet(self, state):
        """Returns the number of plies since the last capture."""
        plies = 0
        for action in reversed(state.history()):
            if self.is_capture(action):
                break
            plies += 1
        return plies

    def text(self, state):
        mover = state.current_player()
        if state.is_terminal():
            mover = 1 - state.full_history()[-1].player
        sides = {"W": [], "B": []}
        for row, line in enumerate(str(state).splitlines()[:8]):
            for column, piece in enumerate(line[1:]):
                if piece in "o8+*":
                    number = 33 - (4 * row + column // 2 + 1)
                    sides["W" if piece in "+*" else "B"].append((number, "K" if piece in "8*" else ""))
        parts = [side + ",".join(f"{king}{at}" for at, king in sorted(all)) for side, all in sides.items()]
        quiet = self.quiet(state)
        return ":".join(["BW"[mover], *parts] + ([f"H{quiet}"] if quiet else []))

    def may_become(self, board, other):
        def pieces(text):
            return [part.count(",") + (len(part) > 1) for part in text.split(":")[1:3]]

        return all(now >= then for then, now in zip(pieces(other), pieces(board)))

    def first_moves(self):
        # The order is that in `games::checkers::Moves`. openspiel_lines.py checks it.
        return ["9-14", "11-16", "10-15", "9-13", "12-16", "11-15", "10-14"]


GAMES = {"connect-four": ConnectFour, "reversi": Reversi, "gomoku": Gomoku, "checkers": Checkers}


def random_game(game, state, draw):
    """Plays a random game from a state to its end. Returns the number of plies."""
    plies = 0
    while not state.is_terminal():
        game.play_random(state, draw)
        plies += 1
    return plies
