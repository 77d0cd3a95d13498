#!/bin/sh
# A faulty program for the exit codes. The first argument names the fault.
case $1 in
crash) exit 7 ;;
refuse) while read -r line; do echo '{"id":'"${line#*:}" | sed 's/,.*/,"unsupported":"no"}/'; done ;;
fail) while read -r line; do echo '{"id":'"${line#*:}" | sed 's/,.*/,"error":"no"}/'; done ;;
lie) python3 "$ROOT/scripts/adapters/connect_four.py" | sed -u 's/"value": -*[0-9]*/"value": 99/' ;;
esac
