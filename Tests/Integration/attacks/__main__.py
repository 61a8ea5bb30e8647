"""python3 -m attacks ATTACK --port N [--seconds N] [--count N] [--path P] [--header 'Name: value'] [--length N] [--source A]"""

import argparse
import inspect
import json

from . import ATTACKS


def main():
    parser = argparse.ArgumentParser(prog="attacks", description="Attack a server of this machine.")
    parser.add_argument("attack", choices=[*ATTACKS, "all"])
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--count", type=int)
    parser.add_argument("--path")
    parser.add_argument("--method")
    parser.add_argument("--length", type=int)
    parser.add_argument("--source", metavar="ADDRESS", help="an address of loopback to come from")
    parser.add_argument("--header", action="append", default=[], metavar="NAME: VALUE")
    given = parser.parse_args()
    measures = {name: getattr(given, name) for name in ("count", "path", "method", "length", "source")}
    measures["headers"] = dict(line.split(": ", 1) for line in given.header) or None
    for name in ATTACKS if given.attack == "all" else [given.attack]:
        attack = ATTACKS[name]
        known = inspect.signature(attack).parameters
        fitting = {key: value for key, value in measures.items() if value is not None and key in known}
        print(json.dumps({name: attack(given.host, given.port, given.seconds, **fitting)}), flush=True)


if __name__ == "__main__":
    main()
