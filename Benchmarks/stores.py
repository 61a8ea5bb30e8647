"""Stores on a PostgreSQL server of the benchmarks' own: SQL on them, the statements of the product, and pgbench with the
same statements."""

import os
import re
import subprocess

from measuring import ROOT  # noqa: F401  (it adds the folder of the next one)

import postgresql

QUEUE, RECORDS = "tributary_queue", "tributary_records"


def database():
    """The URL of a new database."""
    return postgresql.server().database()


def psql(url, statements, schema="public"):
    """Runs statements, and psql's own commands, without a time limit, and returns their output."""
    done = subprocess.run(
        ["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", url], input=statements.encode(), capture_output=True,
        check=False, env={**os.environ, "PGOPTIONS": f"-c search_path={schema}"})
    if done.returncode:
        raise AssertionError(f"{statements[:300]}: {done.stderr.decode()}")
    return done.stdout.decode()


def number(url, query, schema="public"):
    return int(psql(url, query + ";", schema))


def tidied(url):
    """Starts the server's own maintenance now, so that it does not run during a measurement."""
    psql(url, "VACUUM ANALYZE; CHECKPOINT;")


# MARK: The statements of the product

LOGGED = re.compile(r"^\d{4}-\d\d-\d\d [\d:.]+ \w+ \[\d+\] (\w+): +(.*)$", re.S)
EXECUTED = re.compile(r"^execute [^:]+: (.*)$", re.S)
# The begin of a transaction is sent together with its lock, without values.
BEGUN = re.compile(r"^statement: (BEGIN .*)$", re.S)
PARAMETER = re.compile(r"\$(\d+) = (NULL|'(?:[^']|'')*')")


def sent(url, body):
    """The statements that are sent to a database while `body` runs, in their order: each its text and its values, which
    are texts, or None for NULL."""
    name = url.rsplit("/", 1)[1]
    log = postgresql.server().folder / "log"
    begin = log.stat().st_size
    psql(url, f"ALTER DATABASE {name} SET log_statement = 'all';")
    body()
    psql(url, f"ALTER DATABASE {name} RESET log_statement;")
    entries = []
    for line in log.read_bytes()[begin:].decode().split("\n"):
        if line.startswith("\t") and entries:
            entries[-1] += "\n" + line[1:]
        else:
            entries.append(line)
    statements = []
    for entry in entries:
        logged = LOGGED.match(entry)
        executed = logged and logged[1] == "LOG" and EXECUTED.match(logged[2])
        begun = logged and logged[1] == "LOG" and BEGUN.match(logged[2])
        if begun:
            statements.extend((" ".join(text.split()), []) for text in begun[1].split(";"))
        elif executed:
            statements.append((" ".join(executed[1].split()), []))
        elif logged and logged[1] == "DETAIL" and logged[2].startswith("parameters: ") and statements:
            statements[-1][1].extend(
                None if value == "NULL" else value[1:-1].replace("''", "'")
                for _, value in PARAMETER.findall(logged[2]))
    return statements


def transactions(statements):
    """The statements of each transaction, with those that begin and end it."""
    found = []
    for text, values in statements:
        if text.startswith("BEGIN"):
            found.append([])
        if found:
            found[-1].append((text, values))
    return found


# MARK: pgbench

class Script:
    """Recorded statements, as a script of pgbench: each value of a statement becomes a variable that is sent with the
    statement."""

    def __init__(self, statements, before="", variable=lambda value: None, kept=lambda text: None):
        """`before` are pgbench's own commands. `variable` returns the name of the variable for a value, and None if
        the value is always the same. `kept` returns the prefix of the names of the variables for a statement's results."""
        self.constants = {}
        lines = [before] if before else []
        for text, values in statements:
            for index in range(len(values), 0, -1):
                text = text.replace(f"${index}", self._written(values[index - 1], variable))
            prefix = kept(text)
            lines.append(text + (f" \\gset {prefix}" if prefix else ";"))
        self.text = "\n".join(lines) + "\n"

    def _written(self, value, variable):
        if value is None:
            return "NULL"
        name = variable(value)
        if name is None:
            name = self.constants.setdefault(value, f"constant{len(self.constants)}")
        return ":" + name

    def seconds(self, url, schema, work, clients, times, **numbers):
        """The time of clients that each run the script this number of times, without the time to connect. `numbers` are
        variables with their first values."""
        file = work / "script.sql"
        file.write_text(self.text)
        values = {**{name: value for value, name in self.constants.items()}, **numbers}
        done = subprocess.run(
            [postgresql.server().bin / "pgbench", "-n", "-M", "prepared", "-f", file, "-c", str(clients),
             "-j", str(min(clients, os.cpu_count() or 1)), "-t", str(times),
             *(part for name, value in values.items() for part in ("-D", f"{name}={value}")), url],
            capture_output=True, text=True, check=False,
            env={**os.environ, "PGOPTIONS": f"-c search_path={schema} -c synchronous_commit=on"})
        rate = re.search(r"^tps = ([\d.]+) \(without initial connection time\)", done.stdout, re.M)
        if done.returncode or not rate:
            raise AssertionError(f"pgbench: {done.stdout}{done.stderr[-2000:]}")
        return clients * times / float(rate[1])
