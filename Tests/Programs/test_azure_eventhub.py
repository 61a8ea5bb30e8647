"""PyPI's azure-eventhub, Microsoft's client, makes tokens and reads connection strings of the gateway's hubs."""

import json
import time
import unittest
import uuid

from harness import SpineTest, http, tributary, until
from programs import needs, say, version

WEIGHT = {"templateType": "CollectionContent", "template": [{"templateType": "JsonPathContent", "template": {
    "typeName": "weight", "typeMatchExpression": "$..[?(@kg)]", "deviceIdExpression": "$.device",
    "timestampExpression": "$.at", "values": [{"required": True, "valueName": "kg", "valueExpression": "$.kg"}]}}]}
MAPPING = {"templateType": "CollectionFhir", "template": [{"templateType": "CodeValueFhir", "template": {
    "typeName": "weight", "codes": [{"system": "http://loinc.org", "code": "29463-7"}],
    "value": {"valueType": "Quantity", "valueName": "kg", "unit": "kg", "system": "http://unitsofmeasure.org",
              "code": "kg"}}}]}


@needs("azure-eventhub")
class AzureEventHub(SpineTest):
    @classmethod
    def prepare(cls):
        say(f"azure-eventhub {version('azure-eventhub')}")
        folder = cls.study.dir / "devices"
        folder.mkdir()
        (folder / "devicecontent.json").write_text(json.dumps(WEIGHT))
        (folder / "fhirmapping.json").write_text(json.dumps(MAPPING))

    def test_its_tokens_open_the_hub_that_they_name(self):
        from azure.eventhub import parse_connection_string
        from azure.eventhub._pyamqp.utils import generate_sas_token

        member, device = self.member(), str(uuid.uuid4())
        tributary("devices", "register", self.study.dir, "--device", device, "--participant", member.participant)
        text = tributary(
            "devices", "key", self.study.dir, "--hub", "azure", "--url", self.server.url, "--json").json["connection"]
        # It reads no port and no scheme but sb; what it needs of the string it finds.
        parts = parse_connection_string(text.replace("Endpoint=http://", "Endpoint=sb://"))
        self.assertEqual(parts.eventhub_name, "azure")
        host = self.server.url.split("://")[1]

        def post(audience, key=parts.shared_access_key, expiry=None):
            token = generate_sas_token(audience, parts.shared_access_key_name, key, expiry)
            body = json.dumps([{"Body": json.dumps({"device": device, "at": "2026-05-01T07:00:00Z", "kg": 70})}])
            return http("POST", f"{self.server.url}/azure/messages", {
                "Authorization": token if isinstance(token, str) else token.decode(),
                "Content-Type": "application/vnd.microsoft.servicebus.json"}, body.encode()).status

        for audience in (f"sb://{host}/azure", f"amqps://{host}/azure/", f"https://{host}/azure"):
            self.assertEqual(post(audience), 201, audience)
        self.assertEqual(post(f"sb://{host}/azure", expiry=int(time.time()) - 1), 401)
        self.assertEqual(post(f"sb://{host}/other"), 401)
        self.assertEqual(post(f"sb://{host}/azure", key="guessed"), 401)
        until(lambda: self.study.number("SELECT measurements FROM gateway_total") == 1, "the event is recorded once")


if __name__ == "__main__":
    unittest.main()
