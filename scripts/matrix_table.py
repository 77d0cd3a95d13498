#!/usr/bin/env python3
#
# Prints the table of scripts/matrix: every technique on every OpenCL implementation.
#
#     scripts/matrix_table.py FOLDER
#
# FOLDER contains one folder per implementation. Each of these contains verify.json from `bench verify`, and run folders
# with measurements.csv. x.log beside a run folder x is the simulator's log. `missing` says why nothing ran, and
# `failures` has a line per failed run. Also writes FOLDER/matrix.csv. The exit code is 0 if everything is correct or
# reported as unsupported, 2 for a wrong answer, 3 for another failure or a simulator finding, and 5 if nothing ran.

import csv
import json
import sys
from collections import Counter
from pathlib import Path

ORDER = ["pocl", "intel", "rusticl", "oclgrind"]
GRAVITY = {"ok": 0, "unsupported": 1, "memory": 1, "skipped": 2, "timeout": 3, "build-failed": 4, "mismatch": 6}
# Findings that do not count: technique, kernels, a part of the message, and the reason.
SUPPRESSED = [
    (
        "frames",
        {"turn", "count"},
        "ninitialized",
        "Oclgrind 21.10 does not follow writes into images: its Uninitialized.cpp reads the shadow of an image's pointer, "
        "8 bytes, as that of its whole description. The same pixels in buffers (frames-buffer) have no findings",
    )
]


def lines(path):
    return path.read_text(encoding="utf-8", errors="replace").splitlines() if path.exists() else []


def findings(log):
    """Returns kernel, message and place of each finding in a log: a paragraph whose first line is not indented."""
    found = []
    for line in lines(log):
        text = line.strip()
        if text and not line[0].isspace():
            found.append({"message": text.split(" 0x")[0], "kernel": "", "place": ""})
        elif found and text.startswith("Kernel: "):
            found[-1]["kernel"] = text.removeprefix("Kernel: ")
        elif found and text.startswith("At ") and not found[-1]["place"]:
            found[-1]["place"] = text.removeprefix("At ").rstrip(":")
    return found


def suppression(technique, finding):
    for name, kernels, message, reason in SUPPRESSED:
        if technique == name and finding["kernel"] in kernels and message in finding["message"]:
            return reason
    return None


def read(folder):
    """Returns rows (name, status, reason, whether on a device) and findings (name, finding) below a folder."""
    rows, found = [], []
    # Read only this verify.json. Any in the run folders would repeat its results.
    file = folder / "verify.json"
    if file.exists():
        for it in json.loads(file.read_text(encoding="utf-8"))["techniques"]:
            rows.append(((it["game"], "verify", it["technique"]), it["status"], it["reason"], True))
    for file in sorted(folder.rglob("measurements.csv")):
        devices = set()
        with open(file, encoding="utf-8", newline="") as text:
            for row in csv.DictReader(text):
                name = (row["game"], row["task"], row["technique"])
                is_device = row["kind"] == "device"
                rows.append((name, row["status"], row["reason"], is_device))
                if is_device:
                    devices.add(name)
        log = file.parent.with_name(file.parent.name + ".log")
        found += [(name, finding) for name in sorted(devices) for finding in findings(log)]
    return rows, found


def outcome(rows, found, name):
    """Returns a word, a reason, and whether the technique is right or honestly unsupported."""
    own = [(GRAVITY.get(status, 5), status, reason) for other, status, reason, _ in rows if other == name]
    if not own:
        return "not run", "", False
    gravity, status, reason = max(own, key=lambda it: it[0])
    if gravity == 0:
        count = sum(other == name and not suppression(name[2], it) for other, it in found)
        return (f"{count} findings", "", False) if count else ("ok", "", True)
    if gravity == 1:
        return ("unsupported" if all(it[0] == 1 for it in own) else "ok in part"), reason, True
    return status, reason, False


def main():
    folder = Path(sys.argv[1])
    names = sorted(it.name for it in folder.iterdir() if it.is_dir())
    names.sort(key=lambda it: ORDER.index(it) if it in ORDER else len(ORDER))
    columns = {name: read(folder / name) for name in names}
    missing = {name: text[0] for name in names if (text := lines(folder / name / "missing"))}
    failures = [(name, line) for name in names for line in lines(folder / name / "failures")]
    techniques = list(dict.fromkeys(row[0] for rows, _ in columns.values() for row in rows if row[3]))
    host = [row for rows, _ in columns.values() for row in rows if not row[3]]
    verified = {name for name, (rows, _) in columns.items() if any(row[0][1] == "verify" for row in rows)}

    cells = []
    for technique in techniques:
        for name in names:
            if name in missing:
                cells.append((technique, name, "missing", missing[name], True))
            elif technique[1] != "verify" or name in verified:
                cells.append((technique, name, *outcome(*columns[name], technique)))
    for technique in dict.fromkeys(row[0] for row in host):
        cells.append((technique, "host", *outcome(host, [], technique)))

    with open(folder / "matrix.csv", "w", encoding="utf-8", newline="") as text:
        writer = csv.writer(text)
        writer.writerow(["game", "task", "technique", "implementation", "outcome", "reason"])
        writer.writerows([*technique, name, word, reason] for technique, name, word, reason, _ in cells)

    words = {(technique, name): word for technique, name, word, _, _ in cells}
    table = [["game", "task", "technique", *names]]
    table += [[*technique, *(words.get((technique, name), "-") for name in names)] for technique in techniques]
    widths = [max(map(len, column)) for column in zip(*table)]
    for row in table:
        print("  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip())
    for technique, name, word, reason, good in cells:
        if not good or (reason and word not in ("missing",)):
            print(f"{name}: {' '.join(technique)}: {word}{': ' + reason if reason else ''}")
    for name, why in missing.items():
        print(f"{name}: not here: {why}")
    for name, failure in failures:
        print(f"{name}: {failure}")
    for name, (_, found) in columns.items():
        counts = Counter((of[2], it["kernel"], it["message"], it["place"], suppression(of[2], it)) for of, it in found)
        for (technique, kernel, message, place, reason), count in counts.items():
            end = f"not counted: {reason}" if reason else place
            print(f"{name}: {count} x kernel `{kernel}` of {technique}: {message}, {end}")

    if not any(rows for rows, _ in columns.values()) and not failures:
        print(f"{folder}: nothing was run", file=sys.stderr)
        return 5
    if any(word == "mismatch" for _, _, word, _, _ in cells):
        return 2
    return 0 if not failures and all(good for *_, good in cells) else 3


if __name__ == "__main__":
    sys.exit(main())
