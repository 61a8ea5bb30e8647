"""The cost of compressed contents: resources read by their ids, against the same resources stored uncompressed."""

import random
import re
import sqlite3
import statistics

from measuring import PROGRAMS, RUNS, printed, quotient

import harness
import stores
from health import LOADED, generated
from stored_contents import MAGIC, plain
from stores import RECORDS, psql

READ = 1000
COLUMNS = "number, version, content, original"


def reading(work):
    """(u) A thousand Observations read by their ids, compressed with their dictionary, against the same stored uncompressed,
    in SQLite and in PostgreSQL: all in one transaction, and also each in one of its own, as requests read them."""
    figures = {"sqlite": _measured(work, "sqlite", None, _of_file),
               "postgresql": _measured(work, "postgresql", stores.database(), _of_database)}
    return {"ratio": min(figure["ratio"] for figure in figures.values()), **figures}


def _measured(work, name, url, prepare):
    folder = work / name
    folder.mkdir()
    study = harness.Study(forms=False, url=url)
    try:
        harness.tributary("health", "load", study.dir, generated(work, LOADED), "--participant", "p1", timeout=None)
        ids = [row[0] for row in study.sql("SELECT id FROM record WHERE type = 'Observation' ORDER BY id")]
        chosen = folder / "ids.txt"
        chosen.write_text("".join(f"Observation/{id}\n" for id in random.Random(1).sample(ids, min(READ, len(ids)))))
        compressed, uncompressed = prepare(study, folder)
        done = printed(PROGRAMS / "ReadingSpeed", compressed, uncompressed, chosen, RUNS)
    finally:
        study.close()
    if done["resources"] != min(READ, len(ids)):
        raise AssertionError(f"{done['resources']} resources were read")
    return {**quotient(*done["together"]), "eachInItsTransaction": quotient(*done["apart"]), "resources": done["resources"],
            "contentBytes": done["bytes"], "stored": len(ids),
            "readsPerSecond": round(done["resources"] * done["passes"] / statistics.median(done["together"][0]))}


def _of_file(study, folder):
    """Two files of the same records, each written in one pass."""
    files = [folder / "compressed.sqlite", folder / "uncompressed.sqlite"]
    for file in files:
        with sqlite3.connect(study.database) as connection:
            connection.execute("VACUUM INTO ?", [str(file)])
        connection.close()
    connection = sqlite3.connect(files[1], isolation_level=None)
    connection.create_function("plain", 1, plain, deterministic=True)
    connection.execute("UPDATE record_version SET content = plain(content), original = plain(original)")
    left = connection.execute("SELECT count(*) FROM record_version WHERE substr(content, 1, 4) = ?", [MAGIC]).fetchone()[0]
    connection.execute("VACUUM")
    connection.close()
    if left:
        raise AssertionError(f"{left} contents are still compressed")
    return files


def _of_database(study, folder):
    """Two databases of the same records."""
    name = study.url.rsplit("/", 1)[1]
    copy = f"{name}_uncompressed"
    psql(stores.database(), f"CREATE DATABASE {copy} TEMPLATE {name};")
    url = f"{study.url}_uncompressed"
    stored, made = folder / "stored.copy", folder / "uncompressed.copy"
    psql(url, f"\\copy (SELECT {COLUMNS} FROM record_version) TO '{stored}'", RECORDS)
    with open(stored) as source, open(made, "w") as target:
        for line in source:
            target.write(re.sub(r"\\\\x([0-9a-f]+)", lambda found: "\\\\x" + plain(bytes.fromhex(found[1])).hex(), line))
    psql(url, f"""
CREATE TEMPORARY TABLE uncompressed AS SELECT {COLUMNS} FROM record_version LIMIT 0;
\\copy uncompressed FROM '{made}'
UPDATE record_version v SET content = u.content, original = u.original FROM uncompressed u
WHERE v.number = u.number AND v.version = u.version;
""", RECORDS)
    begins = f"'\\x{MAGIC.hex()}'"
    if stores.number(url, f"SELECT count(*) FROM record_version WHERE substr(content, 1, 4) = {begins}", RECORDS):
        raise AssertionError("contents are still compressed")
    for each in (study.url, url):
        psql(each, "VACUUM FULL record_version;", RECORDS)
        stores.tidied(each)
    return study.url, url
