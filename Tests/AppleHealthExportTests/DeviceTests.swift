import FHIR
import HealthData
import Testing

@Suite struct DeviceTests {
    private func device(_ text: String) -> String { "&lt;&lt;HKDevice: \(text)&gt;" }

    private func devices(_ texts: [String]) throws -> Outcome {
        try Exports.convert(
            texts.enumerated().map { Exports.record("HKQuantityTypeIdentifierHeartRate", "\($0 + 40)", device: $1) }
                .joined())
    }

    @Test func differentTextsOfOneWatchGiveOneDevice() throws {
        var texts = (0..<73).map {
            device(
                "0x2\($0)a&gt;, name:Apple Watch, manufacturer:Apple, model:Watch, hardware:Watch6,7, software:\($0).1")
        }
        texts += [
            "0x1&gt;, name:Robin’s Watch, manufacturer:Apple Inc., model:Watch, hardware:Watch6,7, software:10.1",
            "0x1&gt;, name:Apple\u{A0}Watch, manufacturer:APPLE, model:Watch, hardware:Watch6,7, firmware:5, software:10",
            "0x1&gt;, name:x, manufacturer:Apple\u{A0}Inc, model:Watch, hardware:Watch6,7 , localIdentifier:AA-BB",
            "0x1&gt;, name:x, model:Watch, hardware:Watch6,7, creation date:2020-01-01 10:00:00 +0000",
            "0x1&gt;, manufacturer:Apple, Inc., model:Watch, hardware:Watch6,7, UDIDeviceIdentifier:1",
        ].map(device)
        let outcome = try devices(texts)
        #expect(outcome.made.count == texts.count && outcome.devices.count == 1)
        let resource = try #require(outcome.devices.first).resource(subject: "p1")
        #expect(resource["manufacturer"]?.string == "Apple" && resource["modelNumber"]?.string == "Watch6,7")
        let references = Set(outcome.observations.map { $0.device?.reference })
        #expect(references == ["Device/" + (resource["id"]?.string ?? "")])
    }

    @Test func devicesDifferByModelAndManufacturer() throws {
        let outcome = try devices(
            [
                "0x1&gt;, name:x, manufacturer:Apple Inc., model:Watch, hardware:Watch6,7",
                "0x1&gt;, name:x, manufacturer:Apple Inc., model:Watch, hardware:Watch6,6",
                "0x1&gt;, name:x, manufacturer:Apple Inc., model:iPhone, hardware:iPhone14,5",
                "0x1&gt;, name:Robin, manufacturer:Polar Electro Oy, model:H10, firmware:3.1",
                "0x1&gt;, name:Robin, manufacturer:polar, model:H9, firmware:3.2",
                "0x1&gt;, name:Robin, manufacturer:Robin's Workshop, model:H9",
            ].map(device))
        #expect(
            outcome.devices.map { "\($0.product.rawValue)|\($0.manufacturer ?? "")|\($0.hardware ?? "")" } == [
                "Apple Watch|Apple|Watch6,7", "Apple Watch|Apple|Watch6,6", "iPhone|Apple|iPhone14,5", "app|Polar|",
                "app||",
            ])
        #expect(!outcome.text.contains("Robin"))
    }

    @Test func audiogramsPrescriptionsAndBeatsHaveTheOffsetOfTheZoneThatTheirMetadataName() throws {
        let zone = "<MetadataEntry key=\"HKTimeZone\" value=\"Asia/Tokyo\"/>"
        var selection = HealthSelection(subject: "p1")
        selection.inclusions = [.heartbeats]
        let beats = Exports.record(
            "HKQuantityTypeIdentifierHeartRateVariabilitySDNN", "50", unit: "ms",
            metadata: [("HKTimeZone", "Asia/Tokyo")]
        ).replacing(
            "</Record>",
            with: """
                <HeartRateVariabilityMetadataList><InstantaneousBeatsPerMinute bpm="62" time="2:29:01.57 AM"/>\
                <InstantaneousBeatsPerMinute bpm="63" time="2:29:02.57 AM"/></HeartRateVariabilityMetadataList></Record>
                """)
        let outcome = try Exports.convert(
            """
            <Audiogram type="x" sourceName="x" creationDate="2020-11-15 10:10:00 +0100" startDate="2020-11-15 10:00:00 +0100" endDate="2020-11-15 10:10:00 +0100"><SensitivityPoint frequencyValue="1000" frequencyUnit="Hz" leftEarValue="15" leftEarUnit="dBHL"/>\(zone)<MetadataEntry key="HKWasUserEntered" value="1"/><MetadataEntry key="HKNote" value="Robin"/></Audiogram>
            <VisionPrescription type="HKVisionPrescriptionTypeGlasses" dateIssued="2020-11-15 10:00:00 +0100" expirationDate="2022-11-15 10:00:00 +0100">\(zone)<RightEye sphere="-1.25" sphereUnit="D"/></VisionPrescription>
            \(beats)
            """, selection: selection)
        let texts = outcome.specials.map { $0.resource.text() }
        #expect(texts.count == 3 && texts.allSatisfy { !$0.contains("+01:00") && !$0.contains("-07:00") })
        #expect(texts[0].contains(#""start":"2020-11-15T18:00:00+09:00""#) && texts[0].contains("HKWasUserEntered"))
        #expect(texts[0].contains(#""issued":"2020-11-15T18:10:00+09:00""#) && !outcome.text.contains("Robin"))
        #expect(texts[1].contains("2022-11-15T18:00:00+09:00"))
        #expect(texts[2].contains("2018-09-10T18:28:55+09:00"))
        // Another offset does not make another record.
        let plain = try Exports.convert(beats.replacing("Asia/Tokyo", with: "none"), selection: selection)
        #expect(plain.specials.first?.fingerprint == outcome.specials.last?.fingerprint)
    }
}
