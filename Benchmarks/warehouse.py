"""The cost of the facts of a study on PostgreSQL: `warehouse load` against psql with the finished rows."""

import os
import statistics

from measuring import RUNS, quotient, timed

import harness
import stores
from health import generated
from stores import RECORDS, psql

RECORDED = int(os.environ.get("TRIBUTARY_BENCH_WAREHOUSE", "50000"))
# i2b2's tables with our rows; a table is before those that refer to its numbers.
TABLES = ["upload_status", "patient_mapping", "patient_dimension", "encounter_mapping", "visit_dimension",
          "observation_fact", "concept_dimension", "modifier_dimension", "provider_dimension", "code_lookup", "custom_meta",
          "table_access", "schemes"]

COLUMNS = """
SELECT string_agg(column_name, ', ' ORDER BY ordinal_position) FROM information_schema.columns
WHERE table_schema = '%s' AND table_name = '%s';
"""
# The primary key, else another unique one.
KEY = """
SELECT string_agg(a.attname, ', ' ORDER BY array_position(CAST(i.indkey AS smallint[]), a.attnum))
FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
WHERE i.indrelid = CAST('%s.%s' AS regclass) AND i.indisunique AND i.indpred IS NULL
GROUP BY i.indexrelid, i.indisprimary ORDER BY i.indisprimary DESC LIMIT 1;
"""


class Tables:
    """i2b2's tables of a study, and their rows as files of COPY, in the order of their keys."""

    def __init__(self, url, folder):
        self.url, self.folder = url, folder
        self.columns, self.keys = {}, {}
        for table in TABLES:
            self.columns[table] = psql(url, COLUMNS % (RECORDS, table)).strip().split(", ")
            self.keys[table] = [name for name in psql(url, KEY % (RECORDS, table)).strip().split(", ") if name]

    def file(self, table):
        return self.folder / f"{table}.copy"

    def write(self):
        """Writes the rows into files."""
        for table in TABLES:
            order = f" ORDER BY {', '.join(self.keys[table])}" if self.keys[table] else ""
            rows = f"SELECT {', '.join(self.columns[table])} FROM {table}{order}"
            psql(self.url, f"\\copy ({rows}) TO '{self.file(table)}'", RECORDS)

    def counts(self):
        counted = " UNION ALL ".join(f"SELECT '{table}', count(*) FROM {table}" for table in TABLES)
        rows = psql(self.url, counted + ";", RECORDS).split()
        return {table: int(count) for table, count in (row.split("|") for row in rows)}

    def require(self, counts):
        found = self.counts()
        if found != counts:
            raise AssertionError(f"the tables have {found} rows, not {counts}")

    def empty(self):
        psql(self.url, f"TRUNCATE {', '.join(TABLES)};", RECORDS)

    def copied(self):
        """psql's commands that copy the rows into the tables."""
        return "BEGIN;\n" + "\n".join(
            f"\\copy {table} ({', '.join(self.columns[table])}) FROM '{self.file(table)}'" for table in TABLES) + "\nCOMMIT;"

    def upserted(self):
        """psql's commands that replace the rows with the same keys. The only table without a key has one row, which
        remains."""
        lines = ["BEGIN;"]
        for table in TABLES:
            if not self.keys[table]:
                continue
            names = ", ".join(self.columns[table])
            values = ", ".join(f"{name} = excluded.{name}" for name in self.columns[table] if name not in self.keys[table])
            lines += [
                f"CREATE TEMPORARY TABLE new_{table} (LIKE {table}) ON COMMIT DROP;",
                f"\\copy new_{table} ({names}) FROM '{self.file(table)}'",
                f"INSERT INTO {table} ({names}) SELECT {names} FROM new_{table} "
                f"ON CONFLICT ({', '.join(self.keys[table])}) DO UPDATE SET {values};"]
        return "\n".join([*lines, "COMMIT;"])


def load(work):
    """(s) `warehouse load` of a study that is loaded, against COPY into temporary tables and an upsert of the same rows."""
    return _measured(work, False)


def first_load(work):
    """(t) `warehouse load` into empty tables, against COPY of the sorted rows into the same tables with their indexes."""
    return _measured(work, True)


def _measured(work, is_first):
    study = harness.Study(forms=False, url=stores.database())
    try:
        export = generated(work, RECORDED)
        harness.tributary("health", "load", study.dir, export, "--participant", "p1", timeout=None)
        tables = Tables(study.url, work)
        # A second load finds the whole ontology.
        report = _load(study)
        tables.write()
        counts = tables.counts()
        ours, theirs = [], []
        for run in range(RUNS + 1):
            if is_first:
                _undo(study, tables)
            first = timed(lambda: _load(study))
            tables.require(counts)
            if is_first:
                _undo(study, tables)
            stores.tidied(study.url)
            second = timed(lambda: psql(study.url, tables.copied() if is_first else tables.upserted(), RECORDS))
            tables.require(counts)
            stores.tidied(study.url)
            if run:
                ours.append(first)
                theirs.append(second)
            if is_first:
                # The study does not know the copied rows.
                tables.empty()
    finally:
        study.close()
    return {**quotient(ours, theirs), "resources": report["resources"], "facts": report["facts"], "rows": sum(counts.values()),
            "resourcesPerSecond": round(report["resources"] / statistics.median(ours))}


def _load(study):
    return harness.tributary("warehouse", "load", study.dir, "--json", timeout=None).json


def _undo(study, tables):
    """Makes the tables empty, and as small as empty ones are."""
    harness.tributary("warehouse", "undo", study.dir, "--all", timeout=None)
    if any(tables.counts().values()):
        raise AssertionError(f"rows are left: {tables.counts()}")
    tables.empty()
    stores.tidied(study.url)
