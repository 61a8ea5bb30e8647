import FHIR
import Foundation
import HealthData
import Testing

@testable import AppleHealthExport

/// Wrong values in every position: each is counted in the account or refused, without a crash.
@Suite struct BadInputTests {
    private static let good = "2022-07-10 09:00:00 -0700"

    /// Elements of every kind, with the time, the number and the unit in each attribute that has one.
    static func elements(start: String = good, end: String = good, number: String = "1", unit given: String? = nil)
        -> String
    {
        func unit(_ own: String) -> String { given ?? own }
        return
            """
            <Workout workoutActivityType="HKWorkoutActivityTypeRunning" duration="\(number)" durationUnit="\(unit("min"))" totalDistance="\(number)" totalDistanceUnit="\(unit("km"))" sourceName="x" creationDate="\(end)" startDate="\(start)" endDate="\(end)">
            <WorkoutEvent type="HKWorkoutEventTypeLap" date="\(start)" duration="\(number)" durationUnit="\(unit("min"))"/>
            <WorkoutActivity uuid="x" startDate="\(start)" endDate="\(end)" duration="\(number)" durationUnit="\(unit("min"))"><WorkoutStatistics type="HKQuantityTypeIdentifierHeartRate" startDate="\(start)" endDate="\(end)" average="\(number)" minimum="\(number)" maximum="\(number)" unit="\(unit("count/min"))"/></WorkoutActivity>
            <WorkoutStatistics type="HKQuantityTypeIdentifierActiveEnergyBurned" startDate="\(start)" endDate="\(end)" sum="\(number)" unit="\(unit("kcal"))"/>
            <WorkoutRoute startDate="\(start)"><Location date="\(start)" latitude="\(number)" longitude="\(number)" altitude="\(number)"/></WorkoutRoute></Workout>
            <Correlation type="HKCorrelationTypeIdentifierFood" sourceName="x" startDate="\(start)" endDate="\(end)">\(
            Exports.record("HKQuantityTypeIdentifierDietaryProtein", number, unit: unit("g"), start: start, end: end))</Correlation>
            \(Exports.record("HKCategoryTypeIdentifierMindfulSession", number, unit: unit("g"), start: start, end: end, metadata: [("HKLapLength", "\(number) \(unit("m"))")]))
            <Audiogram type="x" sourceName="x" startDate="\(start)" endDate="\(end)"><SensitivityPoint frequencyValue="\(number)" frequencyUnit="\(unit("Hz"))" leftEarValue="\(number)" leftEarUnit="\(unit("dBHL"))"/></Audiogram>
            <VisionPrescription type="x" dateIssued="\(start)" expirationDate="\(end)"><RightEye sphere="\(number)" sphereUnit="\(unit("D"))"/></VisionPrescription>
            <ActivitySummary dateComponents="\(start.prefix(10))" activeEnergyBurned="\(number)" activeEnergyBurnedUnit="\(unit("kcal"))"/>
            <Record type="HKQuantityTypeIdentifierHeartRateVariabilitySDNN" sourceName="x" unit="\(unit("ms"))" value="\(number)" startDate="\(start)" endDate="\(end)"><HeartRateVariabilityMetadataList><InstantaneousBeatsPerMinute bpm="\(number)" time="\(start)"/></HeartRateVariabilityMetadataList></Record>
            """
    }

    private func convert(_ body: String) throws -> Outcome {
        var selection = HealthSelection(subject: "p1")
        selection.inclusions = Set(HealthSelection.Inclusion.allCases)
        let outcome = try Exports.convert(body + Exports.record(), selection: selection)
        #expect(outcome.importReport.outcome == .complete)
        #expect(outcome.importReport.read == outcome.importReport.elements.values.reduce(0, +))
        // The element next to it is not affected.
        #expect(outcome.values.contains("72"))
        return outcome
    }

    @Test(arguments: [
        "NaN", "nan", "INF", "-Infinity", "1e309", "-1e309", "1e-400", "0x10", "1,5", "--1", "٣", "1 2", "\u{7F}",
    ])
    func invalidNumberIsInNoObservation(text: String) throws {
        let outcome = try convert(Self.elements(number: text))
        for resource in outcome.observations.map(\.json) + outcome.specials.map(\.resource) {
            let numbers = Self.numbers(in: resource)
            #expect(numbers.allSatisfy { $0.double.isFinite && abs($0.double) < 1e18 }, "\(resource.text())")
            #expect(!resource.text().contains("NaN") && !resource.text().contains("e309"))
        }
        #expect(outcome.importReport.repaired["part-dropped"] == 1)
        #expect(
            outcome.importReport.skipped["Audiogram"] != nil && outcome.importReport.skipped["ActivitySummary"] != nil)
    }

    @Test(arguments: [
        "9999-12-31 23:59:59 +0000", "0001-01-01 00:00:00 +0000", "99999-01-01 00:00:00 +0000",
        "2022-13-01 00:00:00 +0000",
        "2022-02-30 00:00:00 +0000", "2022-07-10 25:00:00 +0000", "2022-07-10 09:00:00 +9900", "never", "2022", "",
    ])
    func invalidTimeIsInNoObservation(text: String) throws {
        let outcome = try convert(Self.elements(start: text, end: text))
        #expect(outcome.made.count == 1, "\(outcome.text)")
        // A date can be valid as a day and not as a time.
        #expect(outcome.specials.allSatisfy { $0.record.kind == .activitySummary })
        #expect(!outcome.text.contains("9999"))
        let reasons = Set(outcome.importReport.skipped.values.flatMap(\.keys))
        #expect(
            reasons.isSubset(of: [.dateMissing, .dateInvalid, .dateOutOfRange]),
            "\(reasons)")
    }

    @Test func anEndInTheYear9999SkipsEachKindOfElementByName() throws {
        let outcome = try convert(Self.elements(end: "9999-12-31 23:59:59 +0000"))
        for type in ["HKWorkout", "HKCategoryTypeIdentifierMindfulSession", "HKCorrelationTypeIdentifierFood"] {
            #expect(outcome.importReport.skipped[type] == [.dateOutOfRange: 1], "\(type)")
        }
        #expect(outcome.importReport.skipped["Audiogram"] == [.dateInvalid: 1])
        #expect(!outcome.text.contains("9999"))
    }

    @Test func invalidUnitIsInNoObservation() throws {
        for unit in ["", "parsec", "m/", String(repeating: "m·", count: 60) + "m", "<![CDATA[", "\u{202E}nim"] {
            let outcome = try convert(Self.elements(unit: unit.replacing("<", with: "&lt;")))
            for resource in outcome.observations.map(\.json) + outcome.specials.map(\.resource) {
                #expect(!resource.text().contains("parsec") && !resource.text().contains("CDATA"))
            }
        }
    }

    private static func numbers(in json: JSON) -> [JSONNumber] {
        switch json {
        case .number(let number): [number]
        case .array(let elements): elements.flatMap(numbers)
        case .object(let object): object.members.flatMap { numbers(in: $0.value) }
        default: []
        }
    }

    @Test func firstOfDuplicateAttributesCountsAndTheRepairIsCounted() throws {
        let once = Self.elements()
        let twice = once.replacing(#/ ([A-Za-z]+)="([^"]*)"/#) { match in
            " \(match.1)=\"\(match.2)\" \(match.1)=\"9999\""
        }
        let (plain, mended) = (try convert(once), try convert(twice))
        #expect(mended.made.map(\.fingerprint) == plain.made.map(\.fingerprint))
        #expect(mended.specials.map(\.fingerprint) == plain.specials.map(\.fingerprint))
        #expect((mended.importReport.repaired["duplicate-attribute"] ?? 0) >= 3 && !mended.text.contains("9999"))
    }

    @Test func filesWithWrongContentAreNamedAndTheExportIsStillRead() throws {
        let folder = try Exports.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let picture: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + (0..<500).map { UInt8($0 % 256) }
        let files: [(String, [UInt8])] = [
            ("export.xml", Array(Exports.root(Exports.record()).utf8)), ("picture.xml", picture), ("a.gpx", picture),
            ("b.gpx", Array("{\"gpx\":1}".utf8)), ("c.gpx", []), ("a.csv", picture),
            ("b.csv", Array("a,b\n1,2\n".utf8)),
            ("c.csv", []), ("a.json", picture), ("b.json", Array("[1]".utf8)), ("c.json", Array("{\"a\":1}".utf8)),
            ("d.json", Array("{\"resourceType\":\"Patient\",\"id\":\"1\"}".utf8)), ("e.json", []),
            ("f.json", Array("{\"resourceType\":".utf8)), ("second.xml", Array(Exports.root(Exports.record()).utf8)),
        ]
        for (name, bytes) in files { try Data(bytes).write(to: folder.appendingPathComponent(name)) }
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("z.gpx"), withIntermediateDirectories: true)
        var selection = HealthSelection(subject: "p1")
        selection.inclusions = Set(HealthSelection.Inclusion.allCases)
        let archive = folder.appendingPathComponent("all.zip")
        try Data(ZipEntry.archive(files.map { ZipEntry("x/" + $0.0, $0.1) })).write(to: archive)
        for path in [folder.path, archive.path] {
            let outcome = try Exports.convert(path: path, selection: selection)
            #expect(outcome.values == ["72"] && outcome.specials.isEmpty)
            #expect(
                outcome.importReport.fileProblems == [
                    "route-not-recognised": 2, "electrocardiogram-not-recognised": 2, "clinical-record-not-json": 3,
                    "clinical-record-not-a-resource": 1, "clinical-record-patient": 1, "file-empty": 3,
                ], "\(outcome.importReport.fileProblems)")
            #expect(outcome.importReport.notRead["other-xml-file"] == 2)
            #expect(outcome.importReport.notRead["other-file"] == (path == folder.path ? 1 : nil))
        }
    }

    @Test func endlessAttributeUsesLittleMemoryAndIsReported() throws {
        let source = EndlessAttribute(megabytes: 96)
        let stream = ExportStream(source, HealthSelection(), isRecognised: true)
        while try stream.read(samples: 4096) {}
        #expect(source.given > 96 << 20 && source.largestRequest <= 1 << 18)
        #expect(stream.importReport.filtered["cut-values"] == 1)
        #expect(stream.importReport.outcome == .complete && stream.takeBatch().samples.count == 1)
    }
}

/// A record whose `sourceName` has megabytes without an end. The buffer passed for more bytes never grows.
private final class EndlessAttribute: ByteSource {
    let damage: (code: String, message: String)? = nil
    private(set) var given = 0
    private(set) var largestRequest = 0
    private var rest: ArraySlice<UInt8>
    private var left: Int
    private var tail: [UInt8]

    init(megabytes: Int) {
        let parts = Exports.root(Exports.record(metadata: [("k", "@")])).split(separator: "@").map { Array($0.utf8) }
        rest = parts[0][...]
        tail = parts[1]
        left = megabytes << 20
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ExportError) -> Int {
        largestRequest = max(largestRequest, buffer.count)
        var count = min(rest.count, buffer.count)
        if count > 0 {
            buffer.copyBytes(from: rest.prefix(count))
            rest = rest.dropFirst(count)
        } else if left > 0 {
            count = min(left, buffer.count)
            for index in 0..<count { buffer[index] = 0x61 }
            left -= count
            if left == 0 { rest = tail[...] }
        }
        given += count
        return count
    }
}
