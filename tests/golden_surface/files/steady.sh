#!/bin/sh
# The program with a steady clock in its workers: each reading advances it by 1 ms.
STEADY_NS=1000000 LD_PRELOAD="$LAYER" exec bench "$@"
