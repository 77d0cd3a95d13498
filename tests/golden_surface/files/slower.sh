#!/bin/sh
# The program with a steady clock in its workers: each reading advances it by 3 ms.
STEADY_NS=3000000 LD_PRELOAD="$LAYER" exec bench "$@"
