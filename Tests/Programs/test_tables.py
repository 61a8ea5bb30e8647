"""pandas, DuckDB and R read the tables of `export --format csv` with the values of the resources, by the lines of the guide for
researchers."""

import re
import shutil
import subprocess
import unittest
from collections import defaultdict

import test_researcher
from programs import needs, say, version


class Tables(test_researcher.Researcher):
    """The study of test_researcher, and its tables."""

    @classmethod
    def setUpClass(cls):
        say(", ".join(f"{name} {version(name)}" for name in ("pandas", "duckdb")))
        super().setUpClass()
        cls.tables = cls.study.root / "of-programs"
        test_researcher.tributary("export", cls.study.dir, "-o", cls.tables, "--format", "csv")
        cls.observed = [resource for person in cls.taking for resource in person.resources
                        if resource["resourceType"] == "Observation"]
        cls.answered = [resource for person in cls.taking for resource in person.resources
                        if resource["resourceType"] == "QuestionnaireResponse"]

    def block(self, language, word):
        """A block of the guide, with this study's folders."""
        blocks = re.findall(rf"```{language}\n(.*?)\n```", test_researcher.GUIDE.read_text(), re.S)
        [found] = [block for block in blocks if word in block]
        return found.replace("STUDY", str(self.study.dir)).replace("TABLES", str(self.tables))

    def numbers(self):
        return {resource["id"]: float(resource["valueQuantity"]["value"]) for resource in self.observed
                if "valueQuantity" in resource}

    def means(self):
        found = defaultdict(list)
        for resource in self.observed:
            if "valueQuantity" in resource:
                found[resource["code"]["coding"][0]["code"]].append(float(resource["valueQuantity"]["value"]))
        return {code: sum(values) / len(values) for code, values in found.items()}

    def notes(self):
        return {resource["id"]: next(item["answer"][0]["valueString"] for item in resource["item"] if item["linkId"] == "note")
                for resource in self.answered}

    def assert_means(self, found):
        expected = self.means()
        self.assertEqual(set(found), set(expected))
        for code, mean in expected.items():
            self.assertAlmostEqual(found[code], mean, delta=abs(mean) * 1e-5)

    @needs("pandas")
    def test_pandas(self):
        names = {}
        exec(self.block("python", "import pandas"), names)
        self.assertEqual(len(names["facts"]), self.study.number("SELECT count(*) FROM observation_fact"))
        values = names["observations"].dropna(subset=["value"]).set_index("observation")["value"]
        self.assertEqual({key: float(value) for key, value in values.items()}, self.numbers())
        import pandas
        responses = pandas.read_csv(self.tables / "responses-counts.csv", dtype=str, keep_default_na=False)
        self.assertEqual({row["response"]: test_researcher.text(row["note"]) for _, row in responses.iterrows()}, self.notes())

    @needs("duckdb")
    def test_duckdb(self):
        exec(self.block("python", "import duckdb"), {})
        import duckdb
        found = duckdb.sql(f"SELECT observation, value FROM '{self.tables}/observations.parquet' WHERE value <> ''").fetchall()
        self.assertEqual({key: float(value) for key, value in found}, self.numbers())
        found = duckdb.sql(f"SELECT response, note FROM read_csv('{self.tables}/responses-counts.csv', all_varchar=true)").fetchall()
        self.assertEqual({key: test_researcher.text(value) for key, value in found}, self.notes())

    @unittest.skipUnless(shutil.which("Rscript"), "R is not installed (make setup-programs)")
    def test_r(self):
        code = self.block("r", "read.csv") + f"""
known <- observations[!is.na(observations$value), c("observation", "value")]
write.table(data.frame(known$observation, sprintf("%.17g", known$value)), "{self.tables}/r-values.txt", quote = FALSE,
    row.names = FALSE, col.names = FALSE)
means <- aggregate(value ~ code, observations, mean)
write.table(means, "{self.tables}/r-means.txt", quote = FALSE, row.names = FALSE, col.names = FALSE)
notes <- read.csv("{self.tables}/responses-counts.csv", colClasses = "character", check.names = FALSE)
writeLines(paste0(notes$response, " ", vapply(notes$note, function(note) paste(utf8ToInt(note), collapse = ","), "")),
    "{self.tables}/r-notes.txt")
"""
        done = subprocess.run(["Rscript", "--vanilla", "-"], input=code, capture_output=True, text=True, check=False, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        values = dict(line.split(" ") for line in (self.tables / "r-values.txt").read_text().splitlines())
        self.assertEqual({key: float(value) for key, value in values.items()}, self.numbers())
        means = dict(line.split(" ") for line in (self.tables / "r-means.txt").read_text().splitlines())
        self.assert_means({key: float(value) for key, value in means.items()})
        notes = dict(line.split(" ") for line in (self.tables / "r-notes.txt").read_text().splitlines())
        self.assertEqual({key: test_researcher.text("".join(chr(int(code)) for code in codes.split(",")))
                          for key, codes in notes.items()}, self.notes())


# The tests of the class above are those of Tests/Integration.
for name in [name for name in dir(test_researcher.Researcher) if name.startswith("test_")]:
    setattr(Tables, name, None)
