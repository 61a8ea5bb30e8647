import FHIR
import Foundation
import HealthData
import Testing

@testable import AppleHealthExport

/// Every known quirk of real exports, one test each.
@Suite struct QuirkTests {
    private let heartRate = "HKQuantityTypeIdentifierHeartRate"

    private func withProlog(_ prolog: String) throws -> Outcome {
        try Exports.convert(
            bytes: Array((prolog + "<HealthData locale=\"x\">" + Exports.record() + "</HealthData>").utf8))
    }

    @Test func malformedDocumentTypeOfIOS16IsSkipped() throws {
        let outcome = try withProlog(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE HealthData [
            <!-- HealthKit's Export Version: 12 <HealthData > -->
            <!ELEMENT VisionPrescription ((RightEye|LeftEye|Attachment|MetadataEntry)*)>
            <!ATTLIST VisionPrescription
              brand             CDATA #IMPLIED
            <!ELEMENT RightEye EMPTY>
            >
            >
            ]>

            """)
        #expect(outcome.values == ["72"] && outcome.importReport.outcome == .complete)
    }

    @Test(arguments: [
        "<!DOCTYPE HealthData>", "<!DOCTYPE HealthData SYSTEM \"x]><HealthData >.dtd\">\n",
        "<!DOCTYPE HealthData [<!ATTLIST Record a CDATA \"]>\"><!ATTLIST Record b CDATA '<HealthData a=\">'>]>",
        "<!DOCTYPE HealthData [\n<!ATTLIST Record it's broken>\n]>\n", "\u{FEFF}",
        "<!-- <HealthData> --><?x <HealthData ?>\n",
        "<!DOCTYPE HealthData [\n<!ATTLIST Record it's broken>]>",
    ])
    func documentTypesWithQuotesBracketsWithoutASubsetOrWithAQuoteNeverClosed(prolog: String) throws {
        #expect(try withProlog(prolog).values == ["72"])
    }

    @Test func aDocumentTypeOfMegabytes() throws {
        let declaration = "<!ELEMENT Record ((MetadataEntry|HeartRateVariabilityMetadataList)*)>\n"
        let prolog = "<!DOCTYPE HealthData [\n" + String(repeating: declaration, count: 8000) + "]>\n"
        #expect(try withProlog(prolog).values == ["72"])
    }

    @Test(arguments: ["<!ENTITY a \"b\">", "<!ENTITY % a SYSTEM \"file:///etc/passwd\">%a;"])
    func aDeclarationOfEntitiesIsRefused(declaration: String) {
        #expect(throws: ExportError.entityDeclared) { try withProlog("<!DOCTYPE HealthData [\(declaration)]>") }
    }

    @Test func anEntityThatIsUsedWithoutADeclarationDoesNoHarm() throws {
        let outcome = try Exports.convert(
            Exports.record(source: "a&xxe;b") + Exports.record("HKQuantityTypeIdentifierHeartRate", "73"))
        #expect(outcome.values.contains("73"))
    }

    @Test func dataThatContradictTheDocumentTypeAreRead() throws {
        let outcome = try Exports.convert(
            """
            <Workout workoutActivityType="HKWorkoutActivityTypeRunning" sourceName="x" startDate="2022-09-10 02:28:55 -0700" endDate="2022-09-10 02:38:55 -0700">
            <WorkoutEvent type="HKWorkoutEventTypeLap" date="2022-09-10 02:28:55 -0700"><MetadataEntry key="a" value="b"/></WorkoutEvent>
            </Workout>
            """)
        #expect(outcome.observations.first?.component.first?.value?.json["value"]?.integer == 10)
        #expect(outcome.importReport.parts == ["WorkoutEvent": 1, "MetadataEntry": 1])
    }

    @Test func exportDateAndMeAreOptionalAndNotRead() throws {
        let bare = try Exports.convert(bytes: Array("<HealthData>\(Exports.record())</HealthData>".utf8))
        #expect(bare.importReport.read == 1 && bare.importReport.notRead.isEmpty)
        let full = try Exports.convert(
            "<Me HKCharacteristicTypeIdentifierDateOfBirth=\"1984-04-30\"/>" + Exports.record())
        #expect(full.importReport.read == 1 && full.importReport.notRead == ["ExportDate": 1, "Me": 1])
        #expect(!full.text.contains("1984-04-30"))
    }

    @Test(arguments: [
        ("", SkipReason.valueMissing), ("NaN", .valueNotANumber), ("1e309", .valueOutOfRange),
        ("72,5", .valueNotANumber),
    ])
    func invalidValuesAreReported(value: String, reason: SkipReason) throws {
        let outcome = try Exports.convert(Exports.record(heartRate, value) + Exports.record())
        #expect(outcome.skipped(heartRate, reason) == 1 && outcome.values == ["72"])
    }

    @Test func missingValuesUnitsAndDatesAreReported() throws {
        let date = "startDate=\"2018-09-10 02:28:55 -0700\" endDate=\"2018-09-10 02:28:55 -0700\""
        let outcome = try Exports.convert(
            """
            <Record type="\(heartRate)" unit="count/min" \(date)/><Record type="\(heartRate)" value="1" \(date)/>
            <Record type="\(heartRate)" unit="count/min" value="1"/><Record/>
            <Record type="\(heartRate)" unit="count/min" value="1" startDate="yesterday" endDate="today"/>
            <Record type="\(heartRate)" unit="count/min" value="1" startDate="2018-02-30 02:28:55 -0700"/>
            <Record type="\(heartRate)" unit="count/min" value="61" startDate="2018-02-28 02:28:55 -0700"/>
            """)
        #expect(
            outcome.importReport.skipped == [
                heartRate: [.valueMissing: 1, .unknownUnit: 1, .dateMissing: 1, .dateInvalid: 2],
                "unrecognised-type": [.unsupportedType: 1],
            ])
        #expect(outcome.values == ["61"] && outcome.importReport.repaired == ["end-missing": 1])
    }

    @Test func endInTheYear9999IsReported() throws {
        let outcome = try Exports.convert(Exports.record(end: "9999-12-31 23:59:59 +0000"))
        #expect(outcome.skipped(heartRate, .dateOutOfRange) == 1 && outcome.made.isEmpty)
    }

    @Test func truncatedFileGivesItsCompleteRecordsAndReportsTheCut() throws {
        let whole = Exports.root(
            Exports.record() + Exports.record(heartRate, "73") + Exports.record(heartRate, "74", metadata: [("a", "b")])
        )
        let tail = try #require(whole.range(of: "value=\"74\">"))
        let inside = try Exports.convert(bytes: Array(whole[..<tail.upperBound].utf8))
        #expect(inside.values == ["72", "73"] && inside.importReport.outcome == .truncated)
        #expect(inside.importReport.problem?.code == "export-truncated")
        #expect(inside.importReport.read == 3 && inside.skipped(heartRate, .cutOff) == 1)
        // In the middle of a tag the type is not known: the element's own name is used for it.
        let start = try #require(whole.range(of: "startDate", options: .backwards))
        let tag = try Exports.convert(bytes: Array(whole[..<start.lowerBound].utf8))
        #expect(tag.importReport.read == 3 && tag.skipped("Record", .cutOff) == 1 && tag.values == ["72", "73"])
    }

    @Test func exportTruncatedAtAnyByteIsConvertedAndItsElementsAreCounted() throws {
        let whole = Exports.root(
            Exports.record(metadata: [("HKWasUserEntered", "1")]) + Exports.record(heartRate, "73")
                + "<ActivitySummary/>")
        let bytes = Array(whole.utf8)
        let first = try #require(whole.range(of: "<HealthData")).lowerBound.utf16Offset(in: whole)
        for length in stride(from: first + 12, to: bytes.count, by: 3) {
            let part = String(decoding: bytes[..<length], as: UTF8.self)
            let outcome = try Exports.convert(bytes: Array(bytes[..<length]))
            let began =
                part.components(separatedBy: "<Record ").count + part.components(separatedBy: "<ActivitySummary").count
                - 2
            #expect(
                abs(outcome.importReport.read - began) <= (part.hasSuffix("d") || part.hasSuffix("y") ? 1 : 0),
                "\(length)")
            #expect(outcome.importReport.outcome == (part.hasSuffix("</HealthData>") ? .complete : .truncated))
        }
    }

    @Test func emptyForeignAndUTF16FilesAreErrors() {
        #expect(throws: ExportError.empty) { try Exports.convert(bytes: []) }
        #expect(throws: ExportError.notAnExport) { try Exports.convert(bytes: Array("<ClinicalDocument/>".utf8)) }
        #expect(throws: ExportError.notAnExport) { try Exports.convert(bytes: Array("{}".utf8)) }
        #expect(throws: ExportError.encoding) { try Exports.convert(bytes: [0xFF, 0xFE, 0x3C, 0x00, 0x48, 0x00]) }
        #expect(throws: ExportError.unreadable(errno: 2)) { try Exports.convert(path: "/nowhere/export.zip") }
    }

    @Test func firstOfTwoEqualAttributesCountsAndTheRepairIsCounted() throws {
        let twice = Exports.record().replacingOccurrences(
            of: "endDate=", with: "startDate=\"2001-01-01 00:00:00 +0000\" endDate=")
        let outcome = try Exports.convert(
            twice + """
                <Workout workoutActivityType="HKWorkoutActivityTypeYoga" duration="10" durationUnit="min" sourceName="x" startDate="2022-09-10 02:28:55 -0700" endDate="2022-09-10 02:38:55 -0700">
                <WorkoutStatistics type="HKQuantityTypeIdentifierActiveEnergyBurned" startDate="2022-09-10 02:28:55 -0700" startDate="2022-09-10 02:28:55 -0700" endDate="2022-09-10 02:38:55 -0700" sum="41.5" unit="Cal"/>
                </Workout>
                """)
        #expect(outcome.observations.first?.effective?.json.string == "2018-09-10T02:28:55-07:00")
        #expect(outcome.observations.last?.component.last?.value?.json["value"]?.number?.text == "41.5")
        #expect(outcome.importReport.repaired == ["duplicate-attribute": 2])
    }

    @Test func forbiddenCharactersAndInvalidUTF8AreFilteredAndCounted() throws {
        var bytes = Array(
            Exports.root(Exports.record(source: "A\u{B}B\u{1}C") + "\u{C}" + Exports.record(heartRate, "73")).utf8)
        let index = try #require(bytes.firstIndex(of: UInt8(ascii: "B")))
        bytes.insert(contentsOf: [0xC3, 0x28, 0xFF, 0xED, 0xA0, 0x80], at: index)
        let outcome = try Exports.convert(bytes: bytes)
        #expect(outcome.values == ["72", "73"] && outcome.importReport.outcome == .complete)
        #expect(outcome.importReport.filtered == ["illegal-characters": 3, "invalid-utf-8": 5])
        #expect(outcome.importReport.repaired == ["illegal-characters": 1])
    }

    @Test func aReferenceToAForbiddenCharacterDoesNoHarm() throws {
        #expect(
            try Exports.convert(Exports.record(source: "A&#11;B") + Exports.record(heartRate, "73")).values.last == "73"
        )
    }

    @Test func namesOfAttributesWithSpacesAndCompactDatesAsIOS8Wrote() throws {
        let outcome = try Exports.convert(
            """
            <Record type="\(heartRate)" source ="Robin’s iPhone" unit="count/min" startDate="20140919070800-0400" endDate="20140919070900-0400" value="66" Health Mate  App Version="2.16" recordCount="1"/>
            <Record type="\(heartRate)" source="x" unit="count/min" startDate="201409190708-0400" endDate="201409190708-0400" value="67"/>
            """)
        #expect(outcome.values == ["66", "67"])
        #expect(outcome.observations.first?.effective?.json["start"]?.string == "2014-09-19T07:08:00-04:00")
        #expect(
            outcome.importReport.filtered["joined-names"] == 3 && outcome.importReport.repaired == ["date-format": 2])
        #expect(!outcome.text.contains("Robin"))
    }

    @Test(arguments: [
        "2021-12-24 8:02:43 PM -0500", "2021-12-24 8:02:43\u{202F}PM -0500", "2021-12-24T20:02:43-05:00",
        "2021-12-25T01:02:43Z",
    ])
    func datesOfOtherLocales(text: String) throws {
        let outcome = try Exports.convert(Exports.record(start: text))
        let read = try #require(outcome.observations.first?.effective?.json.string)
        #expect(DateTime(read)?.start().timeIntervalSince1970 == 1_640_394_163)
    }

    @Test func recordsInsideAWorkoutAreRecords() throws {
        let outcome = try Exports.convert(
            """
            <Workout workoutActivityType="HKWorkoutActivityTypeRunning" sourceName="x" startDate="2022-09-10 02:28:55 -0700" endDate="2022-09-10 02:38:55 -0700">
            \(Exports.record("HKQuantityTypeIdentifierEstimatedWorkoutEffortScore", "4", unit: "appleEffortScore"))\(Exports.record())
            </Workout>
            """)
        #expect(outcome.made.count == 3 && outcome.importReport.elements == ["Record": 2, "Workout": 1])
    }

    @Test func metadataKeysAreCaseSensitive() throws {
        let outcome = try Exports.convert(
            Exports.record(metadata: [
                ("meal", "Robin"), ("Meal", "Robin"), ("hkwasuserentered", "1"), ("HKWasUserEntered", "0"),
            ]))
        #expect(outcome.made.count == 1 && outcome.observations.first?.method == nil)
        #expect(!outcome.text.contains("Robin"))
    }

    @Test func exactDuplicatesAreOneRecordWhateverTheDevicesPointer() throws {
        let workout = """
            <Workout workoutActivityType="HKWorkoutActivityTypeRunning" duration="5" durationUnit="min" sourceName="x" startDate="2022-09-10 02:28:55 -0700" endDate="2022-09-10 02:38:55 -0700"/>
            """
        let other = Exports.watchDevice.replacingOccurrences(of: "0x282a45810", with: "0x111111111")
        let outcome = try Exports.convert(Exports.record() + Exports.record(device: other) + workout + workout)
        #expect(outcome.made.count == 2)
        #expect(outcome.skipped(heartRate, .duplicate) == 1 && outcome.skipped("HKWorkout", .duplicate) == 1)
    }

    @Test func samePhoneAndWatchStepsBothStayWithTheirDevices() throws {
        let phone = "&lt;&lt;HKDevice: 0x1&gt;, name:iPhone, model:iPhone, hardware:iPhone14,5&gt;"
        let outcome = try Exports.convert(
            Exports.record("HKQuantityTypeIdentifierStepCount", "50", unit: "count")
                + Exports.record(
                    "HKQuantityTypeIdentifierStepCount", "50", unit: "count", source: "Robin’s iPhone", device: phone))
        #expect(outcome.observations.map { $0.device?.display } == ["Apple Watch", "iPhone"])
        #expect(Set(outcome.observations.compactMap(\.id)).count == 2)
    }

    @Test func overlappingSleepStagesAllStayUnchanged() throws {
        let type = "HKCategoryTypeIdentifierSleepAnalysis"
        let span = ("2022-09-10 22:28:55 -0700", "2022-09-11 06:28:55 -0700")
        let values = ["InBed", "AsleepCore", "AsleepREM", "Asleep", "Dreaming"]
        let outcome = try Exports.convert(
            values.map {
                Exports.record(type, "HKCategoryValueSleepAnalysis" + $0, unit: "", start: span.0, end: span.1)
            }.joined())
        #expect(
            outcome.observations.map { $0.value?.json["text"]?.string } == [
                "In bed", "Asleep, core", "Asleep, REM", "Asleep, stage unspecified",
            ])
        #expect(outcome.skipped(type, .unknownValue) == 1)
    }

    @Test func summariesAudiogramsAndPrescriptionsAreObservationsWithoutNames() throws {
        let outcome = try Exports.convert(
            """
            <ActivitySummary dateComponents="2016-11-15" activeEnergyBurned="2469.6" activeEnergyBurnedUnit="kJ"/>
            <ClinicalRecord type="HKClinicalTypeIdentifierLabResultRecord" identifier="Robin" sourceName="Robin" sourceURL="https://x/Robin" fhirVersion="4.0.1" receivedDate="x" resourceFilePath="/clinical-records/Robin.json"/>
            <Audiogram type="HKDataTypeIdentifierAudiogram" sourceName="Robin" startDate="2020-11-15 10:00:00 +0100" endDate="2020-11-15 10:10:00 +0100"><SensitivityPoint frequencyValue="1000" frequencyUnit="Hz" leftEarValue="15" leftEarUnit="dBHL"/></Audiogram>
            <VisionPrescription type="HKVisionPrescriptionTypeGlasses" dateIssued="2020-11-15 10:00:00 +0100" brand="Robin"><RightEye sphere="-1.25" sphereUnit="D"/><LeftEye/><Attachment identifier="Robin"/></VisionPrescription>
            <Audiogram type="HKDataTypeIdentifierAudiogram" sourceName="Robin"/>
            <StateOfMind label="Robin"/>
            """)
        #expect(
            outcome.importReport.skipped == [
                "ClinicalRecord": [.notRead: 1], "Audiogram": [.dateMissing: 1], "other": [.unknownElement: 1],
            ])
        #expect(
            outcome.importReport.convertedByType == ["ActivitySummary": 1, "Audiogram": 1, "VisionPrescription": 1])
        #expect(outcome.importReport.read == 6 && outcome.importReport.elements.values.reduce(0, +) == 6)
        let texts = outcome.specials.map { $0.resource.text() }
        #expect(texts[0].contains("590.248") && texts[0].contains("\"effectiveDateTime\":\"2016-11-15\""))
        #expect(texts[1].contains("dB") && texts[2].contains("-1.25"))
        #expect(!outcome.text.contains("Robin"))
    }

    @Test func theListsOfBeatsWithTheirLocalTimesAreCountedNotRead() throws {
        let list = """
            <HeartRateVariabilityMetadataList><InstantaneousBeatsPerMinute bpm="62" time="4:17:18.57 PM"/></HeartRateVariabilityMetadataList>
            """
        let record = Exports.record(
            "HKQuantityTypeIdentifierHeartRateVariabilitySDNN", "50", unit: "ms", metadata: [("a", "b")])
        let outcome = try Exports.convert(record.replacingOccurrences(of: "</Record>", with: list + "</Record>"))
        #expect(
            outcome.importReport.parts == [
                "HeartRateVariabilityMetadataList": 1, "InstantaneousBeatsPerMinute": 1, "MetadataEntry": 1,
            ])
        #expect(outcome.values == ["50"])
    }

    @Test func routeLocationsInsideAWorkoutOfOlderSystemsAreNotExported() throws {
        let outcome = try Exports.convert(
            """
            <Workout workoutActivityType="HKWorkoutActivityTypeRunning" sourceName="x" startDate="2016-11-14 07:25:41 -0700" endDate="2016-11-14 07:30:52 -0700">
            <MetadataEntry key="HKTimeZone" value="America/Los_Angeles"/>
            <WorkoutRoute sourceName="Robin’s iPhone"><MetadataEntry key="HKIndoorWorkout" value="1"/>
            <Location date="2016-11-14 07:25:44 -0700" latitude="37.7777" longitude="-122.426" altitude="21.2694"/></WorkoutRoute></Workout>
            """)
        #expect(
            !outcome.text.contains("37.7777") && !outcome.text.contains("Robin")
                && !outcome.text.contains("HKIndoorWorkout"))
        // The zone corrects the offset of the export.
        #expect(outcome.observations.first?.effective?.json["start"]?.string == "2016-11-14T06:25:41-08:00")
    }

    @Test func strayBracketsAndUnclosedValuesAffectOnlyTheirElement() throws {
        let raw = Exports.record(device: "<<HKDevice: 0x1>, name:Apple Watch, model:Watch>")
        let open = Exports.record(heartRate, "73").replacingOccurrences(of: "value=\"73\"/>", with: "value=\"73/>")
        let outcome = try Exports.convert(
            raw + open + "\n" + Exports.record(heartRate, "74") + Exports.record(heartRate, "75"))
        #expect(outcome.values.contains("72") && outcome.values.contains("75"))
        #expect(outcome.importReport.filtered["stray-brackets"] == 2)
    }

    @Test func missingClosingTagDoesNotLoseTheNextElements() throws {
        let open = Exports.record(metadata: [("a", "b")]).replacingOccurrences(of: "</Record>", with: "")
        let outcome = try Exports.convert(open + Exports.record(heartRate, "73") + Exports.record(heartRate, "74"))
        #expect(outcome.values == ["72", "73", "74"])
    }

    @Test func contentAfterTheEndOfTheRootIsIgnored() throws {
        let text = Exports.root(Exports.record()) + Exports.record(heartRate, "73") + "</HealthData>"
        for size in [7, 1 << 20] {
            let outcome = try Exports.convert(bytes: Array(text.utf8), pieces: { size })
            #expect(outcome.values == ["72"] && outcome.importReport.read == 1, "\(size)")
        }
    }

    @Test func tagCutByAnotherHasTheSameResultForAnyChunkSize() throws {
        let text = """
            <HealthData><Record nype="HKQuantityTypeIdentifierHeartRate" source ="x" unit="count/min" startDat</Record>\
            19070800-0400" Health Mate  App Version="2</HealthData>.16" value="66"/>
            """
        let whole = try Exports.convert(bytes: Array(text.utf8), pieces: { 1 << 20 })
        #expect(
            whole.importReport.read == 1 && whole.importReport.outcome == .complete, "\(whole.importReport.json.text())"
        )
        #expect(whole.importReport.read == whole.importReport.elements.values.reduce(0, +))
        for size in 1...60 {
            let outcome = try Exports.convert(bytes: Array(text.utf8), pieces: { size })
            #expect(outcome.text == whole.text, "\(size)")
        }
    }

    @Test func aDocumentThatNestsWithoutEndStopsTheReaderNotTheProgram() throws {
        let outcome = try Exports.convert(Exports.record() + String(repeating: "<a>", count: 100_000))
        #expect(outcome.importReport.outcome == .truncated && outcome.importReport.problem?.code == "export-malformed")
        #expect(outcome.values == ["72"])
    }
}
