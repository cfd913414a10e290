"""Writes what the clients' calls gave into the tables of a page, and fails when one did not do what it should.

    python table.py PAGE [CHECKOUT] < ROWS

The tables are between two comments of the page. Those of a checkout are before all others.
"""

import importlib.metadata
import itertools
import json
import sys

BEGINNING = f"<!-- Written by {' '.join(['scripts/interop', *sys.argv[2:]])} -->\n"
END = "\n<!-- End -->\n"

rows = [json.loads(line) for line in sys.stdin]
# A call that is known to fail, and does not any more, is as wrong.
failed = [row for row in rows if row["done"] == row["known"]]
parts = []
for (client, way), calls in itertools.groupby(rows, lambda row: (row["client"], row["way"])):
    calls = list(calls)
    done = sum(row["done"] for row in calls)
    version = calls[0].get("version") or importlib.metadata.version(client)
    parts.append(f"\n## {client} {version}{way and ', ' + way}: {done} of {len(calls)}\n\n| call | |\n|---|---|\n")
    for row in calls:
        outcome = ", ".join(filter(None, ["yes", row["note"]])) if row["done"] else "no: " + row["reason"]
        parts.append(f"| {row['call']} | {outcome} |\n")

page = sys.argv[1]
with open(page) as file:
    before, after = file.read().split(BEGINNING)
    after = after.split(END, 1)[1]
with open(page, "w") as file:
    file.write(before + BEGINNING + "".join(parts) + END + after)
done = sum(row["done"] for row in rows)
print(f"{done} of {len(rows)} calls did what their clients expect; {len(failed)} are not as the tables say.")
for row in failed:
    print(f"{row['client']}: {row['call']}: {row['reason']}", file=sys.stderr)
sys.exit(1 if failed or not rows else 0)
