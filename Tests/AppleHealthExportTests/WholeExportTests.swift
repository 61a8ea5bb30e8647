import FHIR
import Foundation
import HealthData
import TestSupport
import Testing

@testable import AppleHealthExport

@Suite struct WholeExportTests {
    private static let example = Exports.project.appendingPathComponent("Examples/apple-health/export.zip").path
    private static let script = Exports.project.appendingPathComponent("Scripts/generate-apple-health-export.py").path

    /// Counts the starts of elements by searching the text.
    private func count(_ name: String, in text: Data) -> Int {
        var count = 0
        var start = text.startIndex
        while let range = text.range(of: Data("<\(name) ".utf8), in: start..<text.endIndex) {
            count += 1
            start = range.upperBound
        }
        return count
    }

    @Test(.enabled(if: Exports.hasPython)) func exampleEqualsTheOutputOfItsScript() throws {
        let folder = try Exports.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("export.zip")
        try Exports.python([Self.script, "--output", file.path])
        #expect(try Data(contentsOf: file) == Data(contentsOf: URL(fileURLWithPath: Self.example)))
    }

    @Test func exampleIsFullyCountedWithoutNamesAndASecondImportAddsNothing() throws {
        var text: [UInt8] = []
        var differing = 0
        let folder = try Exports.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        var seen = try SentFingerprints(file: folder.appendingPathComponent("seen"))
        let importReport = try HealthExport(path: Self.example).convert(
            HealthSelection(subject: "p1"), isKnown: { seen.contains($0) },
            emit: {
                seen.stage($0.fingerprint)
                let start = text.count
                $0.write(to: &text)
                if !text[start...].elementsEqual($0.observation.json.bytes()) { differing += 1 }
            })
        try seen.commit()
        #expect(differing == 0)
        #expect(importReport.outcome == .complete && importReport.filtered == ["markup-problems": 16])
        #expect((importReport.elements["Record"] ?? 0) >= 20_000)
        #expect(importReport.read == importReport.elements.values.reduce(0, +))
        #expect(seen.count == importReport.converted)
        let all = Data(text) + importReport.json.data()
        for word in [
            "Robin", "Kim", "example.org", "example-scales", "0x28", "Europe/Berlin", "1984-04", "Scales", "Diary",
            "\u{2019}",
        ] {
            #expect(all.range(of: Data(word.utf8)) == nil, "\(word)")
        }
        let reread = try SentFingerprints(file: folder.appendingPathComponent("seen"))
        var again = 0
        let second = try HealthExport(path: Self.example).convert(
            HealthSelection(subject: "p1"), isKnown: { reread.contains($0) }, emit: { _ in again += 1 })
        #expect(again == 0 && second.converted == 0 && second.read == importReport.read)
    }

    @Test(.enabled(if: Exports.hasPython)) func folderArchiveAndSingleFileHaveTheSameResult() throws {
        let folder = try Exports.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        var texts: [String] = []
        var counts: [[String: Int]] = []
        for form in ["folder", "zip", "xml"] {
            let path = folder.appendingPathComponent(form).path
            try Exports.python([Self.script, "--output", path, "--format", form, "--records", "900", "--seed", "7"])
            let outcome = try Exports.convert(path: path)
            texts.append(outcome.made.map { $0.observation.json.text() }.joined(separator: "\n"))
            counts.append(outcome.importReport.elements)
            if form == "xml" {
                let xml = try Data(contentsOf: URL(fileURLWithPath: path))
                for (name, number) in outcome.importReport.elements {
                    #expect(count(name, in: xml) == number, "\(name)")
                }
                #expect(outcome.importReport.read == outcome.importReport.elements.values.reduce(0, +))
            }
        }
        #expect(texts[0] == texts[1] && texts[1] == texts[2] && !texts[0].isEmpty)
        #expect(counts[0] == counts[1] && counts[1] == counts[2])
    }

    @Test(
        .enabled(if: PublishedData.folder != nil, "TRIBUTARY_CONFORMANCE is not set"),
        arguments: ["export-2019.xml", "apple_health_export"])
    func theConformanceExportsEveryElementIsConvertedOrNamed(name: String) throws {
        let path = try #require(PublishedData.url("apple-health/" + name)).path
        let outcome = try Exports.convert(path: path)
        #expect(outcome.importReport.elements == ["Record": 2, "Workout": 1, "ActivitySummary": 2])
        #expect(outcome.importReport.read == 5 && outcome.importReport.converted == 5)
        #expect(outcome.importReport.parts["MetadataEntry"] == 9)
        #expect(outcome.values.prefix(2) == ["22.5312", "72"])
        #expect(outcome.specials.map(\.record.kind) == [.activitySummary, .activitySummary])
        #expect(
            !outcome.text.contains("Simon") && !outcome.text.contains("withings") && !outcome.text.contains("12345"))
        let components = outcome.observations.last?.component.map { $0.value?.json["value"]?.number?.text }
        #expect(components == ["5.19412346680959", "48.74499999999999", "800.125523462647482"])
    }

    @Test func resultDoesNotDependOnTheChunkSizes() throws {
        let seed = Seeded.newSeed()
        var random = Seeded(seed)
        let bytes = Array(Fuzzing.document.utf8)
        let whole = try Exports.convert(bytes: bytes)
        #expect(whole.made.count > 5)
        for _ in 0..<60 {
            let largest = Int.random(in: 1...40, using: &random)
            let outcome = try Exports.convert(bytes: bytes, pieces: { Int.random(in: 1...largest, using: &random) })
            #expect(outcome.text == whole.text, "seed \(seed)")
        }
    }

    @Test func mutatedExportsNeverCrashAndGiveObservationsWithoutNames() throws {
        let seed = Seeded.newSeed()
        var random = Seeded(seed)
        for round in 0..<400 {
            let bytes = Fuzzing.mutate(Array(Fuzzing.document.utf8), &random)
            do {
                let outcome = try Exports.convert(bytes: bytes)
                for made in outcome.made {
                    let observation = made.observation
                    #expect(
                        observation.status == .final && observation.effective != nil, "seed \(seed) round \(round)")
                    let text = observation.json.text()
                    #expect(
                        try JSON(parsing: text) == observation.json && !text.contains("Zaphod"),
                        "seed \(seed) round \(round)")
                }
            } catch is ExportError {}
        }
    }
}

/// A document with some elements of every kind, and ways to break it.
enum Fuzzing {
    static let document = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE HealthData [ <!-- it's <HealthData > --> <!ATTLIST Record a CDATA "]>"> > ]>
        <HealthData locale="en_US">
         <!-- a comment with "quotes' and <Record > --><?pi <x> ?><![CDATA[<Record ]]>
         <ExportDate value="2019-07-19 10:36:11 -0700"/><Me a="Zaphod"/>
         \(Exports.record(source: "Zaphod’s Apple\u{A0}Watch", metadata: [("HKTimeZone", "Asia/Kolkata"), ("Zaphod 🙂", "Zaphod")]))
         <Record type='HKQuantityTypeIdentifierOxygenSaturation' unit='%' sourceName='Zaphod "Z"' startDate='2018-09-10 02:28:55 -0700' endDate='2018-09-10 02:28:55 -0700' value='96'/>
         \(Exports.record("HKQuantityTypeIdentifierBloodPressureSystolic", "120", unit: "mmHg"))
         <Correlation type="HKCorrelationTypeIdentifierBloodPressure" sourceName="Zaphod" startDate="2018-09-10 02:28:55 -0700" endDate="2018-09-10 02:28:55 -0700">
         \(Exports.record("HKQuantityTypeIdentifierBloodPressureSystolic", "120", unit: "mmHg"))
         \(Exports.record("HKQuantityTypeIdentifierBloodPressureDiastolic", "80", unit: "mmHg"))</Correlation>
         <Record type="HKQuantityTypeIdentifierHeartRate" Zaphod  App Version="1" source="Zaphod" unit="count/min" startDate="20140919070800-0400" value="66\u{B}"/>
         \(Exports.record("HKCategoryTypeIdentifierSleepAnalysis", "HKCategoryValueSleepAnalysisAsleepREM", unit: ""))
         <Workout workoutActivityType="HKWorkoutActivityTypeRunning" duration="5" durationUnit="min" sourceName="Zaphod" startDate="2022-09-10 02:28:55 -0700" endDate="2022-09-10 02:38:55 -0700">
         <WorkoutStatistics type="HKQuantityTypeIdentifierHeartRate" startDate="a" startDate="b" average="120.5" minimum="90" maximum="150" unit="count/min"/></Workout>
         \(Exports.record("HKQuantityTypeIdentifierBloodGlucose", "5.5", unit: "mmol&lt;180.1558800000541&gt;/L"))
        </HealthData>
        """

    static func mutate(_ document: [UInt8], _ random: inout Seeded) -> [UInt8] {
        var bytes = document
        for _ in 0..<Int.random(in: 1...8, using: &random) {
            guard bytes.count > 2 else { break }
            let index = Int.random(in: 0..<bytes.count, using: &random)
            let end = min(bytes.count, index + Int.random(in: 1...200, using: &random))
            switch Int.random(in: 0..<7, using: &random) {
            case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes.removeSubrange(index..<end)
            case 2: bytes.insert(contentsOf: bytes[index..<end], at: Int.random(in: 0..<bytes.count, using: &random))
            case 3: bytes.insert("<>\"'&=/ ".utf8.randomElement(using: &random) ?? 0, at: index)
            case 4: bytes.removeSubrange(index...)
            case 5: bytes.swapAt(index, Int.random(in: 0..<bytes.count, using: &random))
            default: bytes.insert(contentsOf: Array(repeating: bytes[index], count: 40), at: index)
            }
        }
        return bytes
    }
}
