#!/bin/sh
# A program that speaks the protocol. It logs its requests and replies to files.
tee -a requests | python3 "$ROOT/scripts/adapters/connect_four.py" | tee -a replies
