"""What templates of the IoMT FHIR connector make of devices' events, by the connector's own documentation."""

import json
import unittest

from harness import CONFORMANCE, needs_conformance, tributary
from own_folder import FolderTest

IOMT = CONFORMANCE / "iomt" if CONFORMANCE else None
CASES = "data_Documentation_CalculatedFunction_"


def tried(template, payload, *more, status=0):
    return tributary("devices", "test", "--device-template", template, payload, "--json", *more, status=status).json


@needs_conformance("iomt")
class Documentation(unittest.TestCase):
    def case(self, name, payload=None):
        folder = IOMT / "documentation-cases"
        found = tried(folder / f"{CASES}{name}_Template.json", folder / f"{CASES}{payload or name}_Payload.json")
        self.assertEqual((found["observations"], found["problems"]), ([], []))
        return [(row["type"], row["occurrenceTimeUtc"], row["deviceId"],
                 {value["name"]: value["value"] for value in row["properties"]}) for row in found["measurements"]]

    def test_each_case_of_the_documentation_gives_what_it_says(self):
        self.assertEqual(self.case("HeartRate"), [("heartrate", "2019-02-01T22:46:01.875Z", "device123", {"hr": "78"})])
        self.assertEqual(self.case("BloodPressure"), [
            ("bloodpressure", "2019-02-01T22:46:01.875Z", "device123", {"systolic": "123", "diastolic": "87"})])
        self.assertEqual([(at, values) for _, at, _, values in self.case("MultipleMatches")], [
            ("2021-07-13T17:29:01.061144Z", {"systolic": "120", "diastolic": "80"}),
            ("2021-07-13T17:28:01.061122Z", {"systolic": "122", "diastolic": "82"})])
        self.assertEqual([(kind, values) for kind, _, _, values in self.case("MultipleMeasurements")], [
            ("heartrate", {"hr": "78"}), ("stepcount", {"steps": "2"})])
        self.assertEqual([(at, values) for _, at, _, values in self.case("HeartRate", "MultipleMeasurements_FromArray")], [
            (f"2019-02-01T{hour}:46:01.875Z", {"hr": rate}) for hour, rate in (("20", "78"), ("21", "81"), ("22", "72"))])
        self.assertEqual(sorted(values["height"] for *_, values in self.case("TransformData")), ["1.9304", "1.9812"])

    def test_the_published_templates_are_read(self):
        read = 0
        for device in sorted((IOMT / "sample-templates").rglob("devicecontent.json")):
            mapping = device.parent / "fhirmapping.json"
            more = ["--fhir-template", mapping] if mapping.exists() else []
            event = device.parent / "devicecontent.json"
            found = tried(device, event, *more)
            self.assertEqual(found, {"measurements": [], "observations": [], "problems": []}, device)
            read += 1
        self.assertEqual(read, 4)


@needs_conformance("iomt")
class Observations(FolderTest):
    def test_events_of_an_hour_become_one_valid_observation(self):
        templates = IOMT / "sample-templates"
        events = [{"Body": {"heartRate": 60 + number, "endDate": f"2019-02-01T22:{number:02}:30Z", "deviceId": "d",
                            "patientId": "p", "uuid": str(number)}} for number in range(30)]
        # The mapping beside the device templates has a coding whose system is no URI.
        found = tried(templates / "healthkitOnFhir" / "devicecontent.json", self.file("events.json", events),
                      "--fhir-template", templates / "sandbox" / "fhirmapping.json")
        self.assertEqual(found["problems"], [])
        self.assertEqual(len(found["measurements"]), 30)
        observation, = found["observations"]
        slots = observation["valueSampledData"]["data"].split(" ")
        self.assertEqual([slot for slot in slots if slot != "E"], [str(60 + number) for number in range(30)])
        valid = tributary("fhir", "validate", self.file("observation.json", observation), "--json").json
        self.assertNotIn("error", [issue["severity"] for issue in valid[0]["outcome"]["issue"]])

    def test_a_problem_is_named_and_the_exit_status_tells(self):
        template = self.file("template.json", {"templateType": "CollectionContent", "template": [{
            "templateType": "JsonPathContent", "template": {
                "typeName": "hr", "typeMatchExpression": "$..[?(@hr)]", "deviceIdExpression": "$.device",
                "timestampExpression": "$.at", "values": [{"valueName": "hr", "valueExpression": "$.hr", "required": True}]}}]})
        found = tried(template, self.file("event.json", {"hr": "secret", "device": "d"}), status=1)
        self.assertEqual([row["code"] for row in found["problems"]], ["timestamp-missing"])
        self.assertNotIn("secret", json.dumps(found["problems"]))
        mapping = self.file("mapping.json", {"templateType": "CollectionFhir", "template": [{
            "templateType": "CodeValueFhir", "template": {"typeName": "hr", "codes": [{"code": "x"}],
                                                          "value": {"valueName": "hr", "valueType": "Quantity"}}}]})
        (self.folder / "event.json").write_text('{"hr": 1e309, "device": "d", "at": "2020-01-01T00:00:00Z"}')
        found = tried(template, self.folder / "event.json", "--fhir-template", mapping, status=1)
        self.assertEqual([row["code"] for row in found["problems"]], ["value-not-a-number"])
        done = tributary("devices", "test", "--device-template", mapping, self.folder / "event.json", status=1)
        self.assertIn("template-not-a-collection", done.errors)


if __name__ == "__main__":
    unittest.main()
