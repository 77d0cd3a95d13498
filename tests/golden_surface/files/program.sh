#!/bin/sh
# A program that speaks the protocol. It writes what it reads and what it answers to files.
tee -a requests | python3 "$ROOT/scripts/adapters/connect_four.py" | tee -a replies
