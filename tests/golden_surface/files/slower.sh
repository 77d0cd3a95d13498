#!/bin/sh
# The program with a clock of larger steps in its workers.
STEADY_NS=3000000 LD_PRELOAD="$LAYER" exec bench "$@"
