#!/bin/sh
# The program with a clock of fixed steps in its workers.
STEADY_NS=1000000 LD_PRELOAD="$LAYER" exec bench "$@"
