"""Results that are written one by one, so that a run can be interrupted and continued."""

import argparse
import json
from pathlib import Path


class Records:
    """Rows of results in a JSON file; the values of its key columns identify a row."""

    def __init__(self, path, keys):
        self.path, self.keys = path, keys
        self.rows = json.loads(path.read_text()) if path.exists() else []

    def __contains__(self, key):
        return any(tuple(row[name] for name in self.keys) == tuple(key) for row in self.rows)

    def add(self, row):
        """Store a row, on disk too, and print it."""
        self.rows.append(row)
        temporary = self.path.with_suffix(".tmp")
        temporary.write_text(json.dumps(self.rows, indent=1, ensure_ascii=False))
        temporary.replace(self.path)
        print({k: round(v, 4) if isinstance(v, float) else v for k, v in row.items()}, flush=True)


def command_line(description, run, table, *, draws, **options):
    """``run --out FILE`` with the given options, and ``table FILE``; options are {name: default}, lists or False."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    actions = parser.add_subparsers(dest="action", required=True)
    running = actions.add_parser("run")
    running.add_argument("--out", type=Path, required=True)
    running.add_argument("--draws", type=int, default=draws)
    for name, default in options.items():
        kind = {"action": "store_true"} if default is False else {"nargs": "+", "default": default}
        running.add_argument(f"--{name}", **kind)
    actions.add_parser("table").add_argument("results", type=Path)
    given = vars(parser.parse_args())
    if given.pop("action") == "run":
        run(**given)
    else:
        print(table(json.loads(given["results"].read_text())))
