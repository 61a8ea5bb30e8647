"""JMESPath and JSONPath against the libraries of PyPI, on a typical message of a device."""

import json
import os
import subprocess

from measuring import PROGRAMS, RUNS, compare, printed

READINGS = 200

JMESPATH = [
    "Body[0].deviceId",
    "Body[*].systolic",
    "Body[?unit == 'mmHg' && systolic > `125`].deviceId",
    "Body[*].{device: deviceId, value: systolic}",
    "Body[*].readings[].value | sum(@)",
    "sort_by(Body, &time)[-1].deviceId",
    "length(Body[?contains(deviceId, '7')])",
    "max_by(Body, &systolic).deviceId",
]

JSONPATH = [
    "$.Body[0].deviceId",
    "$.Body[*].systolic",
    "$.Body[*].readings[*].value",
    "$..deviceId",
    "$.Body[?(@.systolic > 125)].deviceId",
    "$.Body[10:60:2].time",
]

# compile() returns a function from the document to the values; each language has its own.
THEIRS = """
import json, sys, time
if sys.argv[1] == "jmespath":
    import jmespath
    def compiled(text):
        expression = jmespath.compile(text)
        return lambda value: expression.search(value)
else:
    from jsonpath_ng.ext import parse
    def compiled(text):
        expression = parse(text)
        return lambda value: [found.value for found in expression.find(value)]
value = json.load(open(sys.argv[3]))
rows = []
for text in json.load(open(sys.argv[2])):
    expression = compiled(text)
    found, rounds, seconds = expression(value), 1, 0
    while seconds < float(sys.argv[4]):
        rounds *= 4
        begin = time.perf_counter()
        for _ in range(rounds): expression(value)
        seconds = time.perf_counter() - begin
    rows.append({"expression": text, "found": found, "seconds": seconds / rounds})
print(json.dumps(rows))
"""


def message():
    body = [{"deviceId": f"device-{number % 17}", "time": (number * 7919) % READINGS, "unit": ("mmHg", "kPa")[number % 3 == 0],
             "systolic": 110 + number % 31, "diastolic": 70 + number % 13,
             "readings": [{"value": number % 5 + step, "quality": "good"} for step in range(4)]}
            for number in range(READINGS)]
    return {"Body": body, "Properties": {"tz": "Europe/Zurich"}, "SystemProperties": {"iothub-connection-device-id": "d"}}


def compared(language, package, expressions, work):
    python = os.environ.get("TRIBUTARY_BENCH_PYTHON")
    if not python or subprocess.run([python, "-c", f"import {package}"], stderr=subprocess.DEVNULL).returncode:
        return None
    cases, document = work / "cases.json", work / "message.json"
    cases.write_text(json.dumps(expressions))
    document.write_text(json.dumps(message()))
    ours, theirs = [], []
    for _ in range(RUNS):
        ours.append(printed(PROGRAMS / "QuerySpeed", language, cases, document, 0.05))
        theirs.append(printed(python, "-c", THEIRS, language, cases, document, 0.05))
    return compare(expressions, ours, theirs, "found", package)


def jmespath(work):
    """(j) JMESPath against jmespath of PyPI."""
    return compared("jmespath", "jmespath", JMESPATH, work)


def jsonpath(work):
    """(k) JSONPath, as Json.NET reads it, against jsonpath-ng of PyPI, for expressions on which both agree."""
    return compared("jsonpath", "jsonpath_ng", JSONPATH, work)
