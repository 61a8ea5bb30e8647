"""`health report`: one page that loads nothing, can be read without eyes, and whose numbers are those of the export.

The numbers are computed again here from the XML, by counting seconds, and compared cell by cell.
"""

import base64
import hashlib
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile
from collections import Counter, defaultdict
from datetime import datetime, timedelta
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree
from zoneinfo import ZoneInfo

from harness import EXAMPLES, ROOT, tributary

EXPORT = EXAMPLES / "apple-health" / "export.zip"
Q = "HKQuantityTypeIdentifier"
STAGES = ["Awake", "AsleepDeep", "AsleepREM", "AsleepCore", "AsleepUnspecified"]
VOID = {"meta", "br", "link", "img", "input", "hr"}


class Node:
    def __init__(self, tag, attributes, parent):
        self.tag, self.attributes, self.parent = tag, dict(attributes), parent
        self.children = []

    def all(self, tag=None, **wanted):
        for child in self.children:
            if isinstance(child, Node):
                if (tag is None or child.tag == tag) and all(
                        child.attributes.get(key.rstrip("_")) == value for key, value in wanted.items()):
                    yield child
                yield from child.all(tag, **wanted)

    def first(self, tag, **wanted):
        return next(self.all(tag, **wanted), None)

    @property
    def text(self):
        return "".join(child if isinstance(child, str) else child.text for child in self.children)


class Page(HTMLParser):
    """A tree of the page; an element that is not closed, or closed twice, is an error."""

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.root = self.open = Node("root", [], None)
        self.declarations = []
        self.feed(html)
        self.close()
        if self.open is not self.root:
            raise AssertionError(f"<{self.open.tag}> is never closed")

    def handle_decl(self, text):
        self.declarations.append(text)

    def handle_starttag(self, tag, attributes):
        names = [name for name, _ in attributes]
        if len(names) != len(set(names)):
            raise AssertionError(f"an attribute stands twice in <{tag}>: {names}")
        node = Node(tag, attributes, self.open)
        self.open.children.append(node)
        if tag not in VOID:
            self.open = node

    def handle_endtag(self, tag):
        if self.open.tag != tag:
            raise AssertionError(f"</{tag}> where <{self.open.tag}> is open")
        self.open = self.open.parent

    def handle_data(self, text):
        self.open.children.append(text)

    def table(self, name):
        """The header and the rows of the table with the caption, the exact numbers where there are some."""
        for table in self.root.all("table"):
            if table.first("caption").text == name:
                rows = [
                    [self.value(cell) for cell in row.all() if cell.tag in ("th", "td")]
                    for row in table.first("tbody").all("tr")]
                return [cell.text for cell in table.first("thead").all("th")], rows
        raise AssertionError(f"there is no table {name!r}")

    @staticmethod
    def value(cell):
        data = cell.first("data")
        if data is None:
            return cell.text
        number = float(data.attributes["value"])
        return int(number) if number.is_integer() else number


def instant(text):
    return datetime.strptime(text, "%Y-%m-%d %H:%M:%S %z")


class Sample:
    """An element of the export as the sums need it."""

    # The order in which sources are believed.
    RANKS = ["hand", "watch", "phone", "app"]

    def __init__(self, element):
        get = element.get
        self.type = get("type") or "HKWorkout"
        self.value, self.unit = get("value"), get("unit")
        self.start, self.end = instant(get("startDate")), instant(get("endDate"))
        metadata = {entry.get("key"): entry.get("value") for entry in element.findall("MetadataEntry")}
        if metadata.get("HKTimeZone"):
            zone = ZoneInfo(metadata["HKTimeZone"])
            self.start, self.end = self.start.astimezone(zone), self.end.astimezone(zone)
        device, name = get("device") or "", get("sourceName")
        if metadata.get("HKWasUserEntered") == "1":
            kind = "hand"
        elif "hardware:Watch" in device or "Apple\u00a0Watch" in name:
            kind = "watch"
        elif "hardware:iPhone" in device or "iPhone" in name:
            kind = "phone"
        else:
            kind = "app"
        version = tuple(-int(part) for part in get("sourceVersion").split("."))
        self.kind = kind
        self.rank = (self.RANKS.index(kind), () if kind == "hand" else version)
        self.content = (
            self.type, self.start.timestamp(), self.end.timestamp(), self.value, self.unit, kind, get("sourceVersion"))

    @property
    def seconds(self):
        start, end = int(self.start.timestamp()), int(self.end.timestamp())
        return range(start, max(end, start + 1))

    @property
    def day(self):
        return self.start.strftime("%Y-%m-%d")


def samples(xml):
    """The records and workouts of the export, without exact duplicates. The document type is not well-formed."""
    body = xml[xml.index("<HealthData "):]
    # Statistics of workouts that iOS 16 wrote with an attribute twice.
    body = re.sub(r'(<WorkoutStatistics type="[^"]*") startDate="[^"]*"(?= startDate=)', r"\1", body)
    root = ElementTree.fromstring(body)
    seen, found = set(), []
    for element in root:
        if element.tag in ("Record", "Workout"):
            sample = Sample(element)
            sample.element = element
            if element.tag == "Workout" or sample.content not in seen:
                seen.add(sample.content)
                found.append(sample)
    return found


def counted_once(found):
    """By second, the samples of the source that is believed there."""
    there = defaultdict(list)
    for sample in found:
        for second in sample.seconds:
            there[second].append(sample)
    for second, those in there.items():
        best = min(sample.rank for sample in those)
        yield second, [sample for sample in those if sample.rank == best]


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="tributary-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        with zipfile.ZipFile(EXPORT) as archive:
            name = next(name for name in archive.namelist() if name.lower().endswith("/export.xml"))
            cls.xml = archive.read(name).decode()
        cls.samples = samples(cls.xml)
        cls.html, cls.account = cls.report(EXPORT)
        cls.page = Page(cls.html)

    @classmethod
    def report(cls, export, *options, status=0):
        output = cls.folder / "report.html"
        finished = tributary("health", "report", export, "-o", output, "--force", *options, "--json", status=status)
        return output.read_text(), finished.json

    def of(self, name):
        return [sample for sample in self.samples if sample.type == name]

    # -- numbers --------------------------------------------------------------------------------------------------

    def test_steps_are_those_of_a_count_second_by_second(self):
        steps = self.of(Q + "StepCount")
        self.assertGreater(len(steps), 1000)
        totals, plain = Counter(), Counter()
        for second, those in counted_once(steps):
            for sample in those:
                day = datetime.fromtimestamp(second, sample.start.tzinfo).strftime("%Y-%m-%d")
                totals[day] += float(sample.value) / len(sample.seconds)
        for sample in steps:
            plain[sample.day] += float(sample.value)
        header, rows = self.page.table("Steps by day of the person's clock")
        self.assertEqual(header, ["Day", "Steps", "All sources added up"])
        self.assertEqual([row[0] for row in rows], sorted(totals))
        for day, total, added in rows:
            self.assertAlmostEqual(total, totals[day], delta=0.501)
            self.assertAlmostEqual(added, plain[day], delta=0.501)
        self.assertLess(sum(totals.values()), sum(plain.values()) * 0.95, "phone and watch count the same steps")
        self.assertIn(f"{round(sum(totals.values())):,} steps on {len(totals)} days", self.page.root.text)

    def test_heart_rates_are_those_of_the_export(self):
        days = defaultdict(list)
        for sample in self.of(Q + "HeartRate"):
            days[sample.day].append(float(sample.value))
        self.assertGreater(len(days), 100)
        _, rows = self.page.table("Heart rate in beats a minute, by day of the person's clock")
        expected = []
        for day, rates in sorted(days.items()):
            rates.sort()
            expected.append([day, len(rates), min(rates), rates[(len(rates) - 1) // 2], max(rates)])
        self.assertEqual(rows, expected)

    def test_nights_are_those_of_a_count_second_by_second(self):
        sleep = sorted(self.of("HKCategoryTypeIdentifierSleepAnalysis"), key=lambda sample: sample.start)
        for sample in sleep:
            stage = sample.value.removeprefix("HKCategoryValueSleepAnalysis")
            sample.stage = "AsleepUnspecified" if stage == "Asleep" else stage
        sessions = []
        for sample in sleep:
            if sessions and sample.start - sessions[-1]["end"] <= timedelta(hours=1):
                sessions[-1]["samples"].append(sample)
                sessions[-1]["end"] = max(sessions[-1]["end"], sample.end)
            else:
                sessions.append({"start": sample.start, "end": sample.end, "samples": [sample]})
        nights = defaultdict(Counter)
        for session in sessions:
            middle = session["start"] + (session["end"] - session["start"]) / 2
            night = nights[(middle + timedelta(hours=6)).strftime("%Y-%m-%d")]
            in_bed = set()
            for sample in session["samples"]:
                if sample.stage == "InBed":
                    in_bed.update(sample.seconds)
            night["InBed"] += len(in_bed)
            for _, those in counted_once([sample for sample in session["samples"] if sample.stage != "InBed"]):
                night[min((sample.stage for sample in those), key=STAGES.index)] += 1
        header, rows = self.page.table("Minutes by night")
        self.assertEqual(header, ["Night", "In bed", "Asleep", "Core", "Deep", "REM", "Unspecified", "Awake"])
        expected = []
        for day, night in sorted(nights.items()):
            asleep = sum(seconds for stage, seconds in night.items() if stage.startswith("Asleep"))
            columns = ["InBed", None, "AsleepCore", "AsleepDeep", "AsleepREM", "AsleepUnspecified", "Awake"]
            expected.append([day] + [
                ((asleep if column is None else night[column]) + 30) // 60 for column in columns])
        self.assertGreater(len(expected), 100)
        self.assertEqual(rows, expected)

    def test_workouts_are_those_of_the_export(self):
        count, minutes = Counter(), Counter()
        for sample in self.of("HKWorkout"):
            name = sample.element.get("workoutActivityType").removeprefix("HKWorkoutActivityType")
            name = re.sub(r"(?<=.)(?=[A-Z])", " ", name)
            count[name] += 1
            minutes[name] += float(sample.element.get("duration"))
        _, rows = self.page.table("Workouts by activity")
        self.assertEqual({row[0]: row[1] for row in rows}, dict(count))
        for row in rows:
            self.assertAlmostEqual(row[2], minutes[row[0]], places=3)
        self.assertEqual([row[2] for row in rows], sorted((row[2] for row in rows), reverse=True))

    def test_every_observation_is_in_the_table_of_sources(self):
        header, rows = self.page.table("Observations by day and source")
        self.assertEqual(header, ["Day", "Entered by hand", "Apple Watch", "iPhone", "Other apps and devices"])
        # The summaries of a day are the system's own, of no source; an electrocardiogram comes from a file of its own.
        besides = sum(counts.get("converted", 0) for counts in self.account.get("besides", {}).values())
        without_source = self.account["convertedByType"].get("ActivitySummary", 0)
        self.assertEqual(sum(sum(row[1:]) for row in rows), self.account["converted"] + besides - without_source)
        kinds = ["hand", "watch", "phone", "app"]
        # Heart rates, steps and sleep alone are never joined or skipped, so they bound each cell from below.
        least = Counter(
            (sample.day, sample.kind) for sample in self.samples
            if sample.type in (Q + "HeartRate", Q + "StepCount", "HKCategoryTypeIdentifierSleepAnalysis"))
        for row in rows:
            for kind, number in zip(kinds, row[1:]):
                self.assertGreaterEqual(number, least[row[0], kind])
        _, types = self.page.table("Observations by kind of data")
        self.assertEqual(sum(row[1] for row in types), self.account["converted"] + besides)

    def test_the_account_at_the_end_is_the_account(self):
        _, rows = self.page.table("Elements that are no observation")
        self.assertEqual(sum(row[2] for row in rows), self.account["skippedTotal"])
        _, rows = self.page.table("Never read")
        self.assertEqual({row[0].replace(" ", "-"): row[1] for row in rows}, self.account["notRead"])
        read = f"{self.account['read']:,} elements were read"
        self.assertIn(read, self.page.root.text)

    # -- the page -------------------------------------------------------------------------------------------------

    def check_page(self, html):
        page = Page(html)
        root = page.root
        self.assertEqual(page.declarations, ["DOCTYPE html"])
        self.assertEqual(root.first("html").attributes.get("lang"), "en")
        self.assertTrue(root.first("title").text)
        self.assertIsNotNone(root.first("meta", name="viewport"))
        self.assertIsNotNone(root.first("main"))
        # Nothing is loaded and nothing runs: not by an attribute, not by the style sheet.
        self.assertIsNone(re.search(r"https?:|url\(|@import|javascript:", html))
        for node in root.all():
            self.assertNotIn(node.tag, ("script", "link", "img", "iframe", "object", "embed", "form", "base", "use"))
            for name, value in node.attributes.items():
                self.assertNotIn(name, ("src", "srcset", "action", "poster", "data", "xlink:href", "style"))
                self.assertFalse(name.startswith("on"), name)
                if name == "href":
                    self.assertTrue(value.startswith("#"), value)
        # The policy allows this style sheet and nothing else.
        style = hashlib.sha256(root.first("style").text.encode()).digest()
        policy = root.first("meta", **{"http-equiv": "Content-Security-Policy"}).attributes["content"]
        self.assertTrue(policy.startswith("default-src 'none';"))
        self.assertIn(f"style-src 'sha256-{base64.b64encode(style).decode()}'", policy)
        self.assertNotIn("unsafe", policy)
        sheet = root.first("style").text
        for wanted in ("prefers-color-scheme: dark", "@media print", "max-width: 40rem"):
            self.assertIn(wanted, sheet)
        # Names are unique, and what refers to one finds it.
        names = [node.attributes["id"] for node in root.all() if "id" in node.attributes]
        self.assertEqual(len(names), len(set(names)))
        for node in root.all():
            for name in node.attributes.get("aria-labelledby", "").split():
                self.assertIn(name, names)
            if node.tag == "a":
                self.assertIn(node.attributes["href"][1:], names)
        # Headings in order, without a gap.
        levels = [int(node.tag[1]) for node in root.all() if re.fullmatch(r"h[1-6]", node.tag)]
        self.assertEqual(levels[0], 1)
        self.assertEqual(levels.count(1), 1)
        for before, after in zip(levels, levels[1:]):
            self.assertLessEqual(after, before + 1)
        # Each figure has its words and its numbers.
        for figure in root.all("figure"):
            drawings = list(figure.all("svg", role="img"))
            self.assertEqual(len(drawings), 1)
            labels = drawings[0].attributes["aria-labelledby"].split()
            self.assertEqual(
                [drawings[0].first("title").attributes["id"], drawings[0].first("desc").attributes["id"]], labels)
            self.assertTrue(drawings[0].first("title").text and drawings[0].first("desc").text)
            self.assertTrue(figure.first("h3").text)
            self.assertTrue(figure.first("figcaption").text)
            table = figure.first("details").first("table")
            self.assertTrue(table.first("caption").text)
            self.assertTrue(list(table.first("tbody").all("tr")))
        for table in root.all("table"):
            columns = len(list(table.first("thead").all("th", scope="col")))
            for row in table.first("tbody").all("tr"):
                cells = [cell for cell in row.all() if cell.tag in ("th", "td")]
                self.assertEqual(len(cells), columns)
                self.assertEqual(cells[0].attributes.get("scope"), "row")
        # What scrolls can be reached by the keyboard.
        for node in root.all("div", class_="scroll"):
            self.assertEqual((node.attributes["tabindex"], node.attributes["role"]), ("0", "region"))
        return page

    def test_the_page_is_whole_and_can_be_read_without_eyes(self):
        page = self.check_page(self.html)
        self.assertEqual(len(list(page.root.all("figure"))), 5)
        self.assertLess(len(self.html), 1_000_000)

    def test_no_names_of_people_apps_or_devices(self):
        names = set(re.findall(r'sourceName="([^"]+)"', self.xml)) - {"Health"}
        self.assertGreaterEqual(len(names), 3)
        for name in names | {"Robin", "Kim", "Watch6,7", "iPhone14,5", "Scale", "Diary", "example.org", "0x28"}:
            self.assertNotIn(name, self.html)

    def test_the_same_export_makes_the_same_page(self):
        self.assertEqual(self.report(EXPORT)[0], self.html)

    def test_only_the_days_that_were_asked_for(self):
        html, account = self.report(EXPORT, "--since", "2023-01-05", "--until", "2023-01-07")
        page = self.check_page(html)
        for caption in ("Steps by day of the person's clock", "Minutes by night",
                        "Heart rate in beats a minute, by day of the person's clock"):
            wanted = [row for row in self.page.table(caption)[1] if "2023-01-05" <= row[0] <= "2023-01-07"]
            self.assertEqual(page.table(caption)[1], wanted)
            self.assertEqual(len(wanted), 3)
        shown = sum(row[1] for row in page.table("Observations by kind of data")[1])
        left_out = dict(page.table("Left out of the plots")[1])["Outside of the days asked for"]
        every = sum(row[1] for row in self.page.table("Observations by kind of data")[1])
        self.assertEqual(shown + left_out, every)
        self.assertEqual(account["converted"], self.account["converted"])

    def write(self, name, body):
        path = self.folder / name
        path.write_text(f'<?xml version="1.0" encoding="UTF-8"?>\n<HealthData locale="en_US">\n{body}</HealthData>\n')
        return path

    def test_an_export_without_data_and_one_with_a_single_day(self):
        html, _ = self.report(self.write("empty.xml", ""))
        page = self.check_page(html)
        self.assertEqual(list(page.root.all("figure")), [])
        self.assertIn("There are no steps.", page.root.text)
        record = (
            f'<Record type="{Q}StepCount" sourceName="x" unit="count" startDate="2023-02-11 08:00:00 +0100" '
            'endDate="2023-02-11 08:10:00 +0100" value="812"/>\n')
        page = self.check_page(self.report(self.write("one.xml", record))[0])
        self.assertEqual(page.table("Steps by day of the person's clock")[1], [["2023-02-11", 812, 812]])

    def test_years_fit_on_a_page_by_months(self):
        path = self.folder / "decade.xml"
        subprocess.run(
            [sys.executable, ROOT / "Scripts" / "generate-apple-health-export.py", "--output", path, "--format", "xml",
             "--records", "240000", "--seed", "7"], check=True, stderr=subprocess.DEVNULL)
        html, account = self.report(path)
        page = self.check_page(html)
        self.assertGreater(account["converted"], 200_000)
        self.assertLess(len(html), 1_000_000)
        header, rows = page.table("Steps by month of the person's clock")
        self.assertEqual(header, ["Month", "Steps", "Days with data", "Steps a day", "All sources added up"])
        self.assertGreater(len(rows), 48)
        added = Counter()
        with open(path) as lines:
            for line in lines:
                found = re.search(r'"HKQuantityTypeIdentifierStepCount".* startDate="(.{7}).* value="(\d+)"', line)
                if found:
                    added[found.group(1)] += int(found.group(2))
        self.assertEqual({row[0]: row[4] for row in rows}, added)

    def test_an_export_that_ends_in_the_middle_says_so(self):
        path = self.folder / "cut.xml"
        path.write_text(self.xml[:len(self.xml) // 2])
        output = self.folder / "cut.html"
        finished = tributary("health", "report", path, "-o", output, "--force", status=None)
        self.assertNotEqual(finished.status, 0)
        page = self.check_page(output.read_text())
        self.assertIn("The export ends in the middle", page.root.first("header").text)

    def test_hostile_text_stays_text(self):
        evil = "&lt;script&gt;alert(1)&lt;/script&gt;&quot; onload=&quot;x"
        body = "".join(
            f'<Record type="{kind}" sourceName="{evil}" sourceVersion="{evil}" unit="count" value="5" '
            'startDate="2023-02-11 08:00:00 +0100" endDate="2023-02-11 08:10:00 +0100"/>\n'
            for kind in (Q + "StepCount", evil, "HK" + evil))
        body += f'<Workout workoutActivityType="{evil}" sourceName="{evil}" ' \
            'startDate="2023-02-11 08:00:00 +0100" endDate="2023-02-11 08:10:00 +0100"/>\n'
        html, account = self.report(self.write("evil.xml", body))
        self.check_page(html)
        self.assertNotIn("alert", html)
        self.assertEqual(account["read"], 4)

    def test_options_that_make_no_sense_are_refused(self):
        output = self.folder / "refused.html"
        for options in (["--since", "yesterday"], ["--until", "2023-02-30"],
                        ["--since", "2023-02-02", "--until", "2023-02-01"]):
            finished = tributary("health", "report", EXPORT, "-o", output, "--force", *options, status=None)
            self.assertNotEqual(finished.status, 0)
            self.assertFalse(output.exists())
        finished = tributary("health", "report", self.folder / "missing.zip", "-o", output, status=None)
        self.assertNotEqual(finished.status, 0)
        self.assertFalse(output.exists())
        self.assertEqual([path for path in self.folder.iterdir() if path.name.endswith(".part")], [])


if __name__ == "__main__":
    unittest.main()
