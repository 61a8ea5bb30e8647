import FHIR
import Foundation
import HealthData
import Testing

@testable import AppleHealthExport

/// The entries of the XML that describe the other files of an export.
@Suite struct FileEntryTests {
    private static let route = FilesRouteTests.file(FilesRouteTests.points.joined())

    private static func workout(_ body: String, zone: String = "America/Los_Angeles") -> String {
        """
        <Workout workoutActivityType="HKWorkoutActivityTypeRunning" sourceName="x" startDate="2019-06-12 00:00:42 +0200" \
        endDate="2019-06-12 00:30:42 +0200"><MetadataEntry key="HKTimeZone" value="\(zone)"/>
        <WorkoutRoute sourceName="x" startDate="2019-06-12 00:00:42 +0200" endDate="2019-06-12 00:30:42 +0200">\(body)\
        </WorkoutRoute></Workout>
        """
    }

    private static var xml: String {
        Exports.root(
            workout("<FileReference path=\"/workout-routes/route_1.gpx\"/>") + """
                <ClinicalRecord type="HKClinicalTypeIdentifierLabResultRecord" identifier="1" sourceName="Robin" \
                sourceURL="https://hospital.example/dstu2/Observation/o1" fhirVersion="1.0.2" \
                receivedDate="2019-07-01 10:00:00 +0200" resourceFilePath="/clinical-records/Observation-1.json"/>
                """)
    }

    /// An Observation whose content does not show its release.
    private static let lab = """
        {"resourceType":"Observation","id":"o1","status":"final","code":{"text":"HDL"},"valueString":"1.50"}
        """

    private static func selection(_ inclusions: HealthSelection.Inclusion...) -> HealthSelection {
        var selection = HealthSelection(subject: "p1")
        selection.inclusions = Set(inclusions)
        return selection
    }

    /// The same files in an archive, in two orders, and in a folder.
    private static func outcomes(_ selection: HealthSelection) throws -> [Outcome] {
        let folder = try Exports.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = [
            ("apple_health_export/export.xml", xml), ("apple_health_export/workout-routes/route_1.gpx", route),
            ("apple_health_export/workout-routes/route_2.gpx", route.replacing("206.25", with: "207.25")),
            ("apple_health_export/clinical-records/Observation-1.json", lab),
        ]
        let archives = try [files, files.reversed()].enumerated().map { number, files in
            let archive = ZipEntry.archive(files.map { ZipEntry($0.0, Array($0.1.utf8)) })
            let file = folder.appendingPathComponent("\(number).zip")
            try Data(archive).write(to: file)
            return try Exports.convert(path: file.path, selection: selection)
        }
        let unpacked = folder.appendingPathComponent("unpacked")
        for (name, text) in files {
            let file = unpacked.appendingPathComponent(name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        return archives + [try Exports.convert(path: unpacked.path, selection: selection)]
    }

    @Test func routeHasTheOffsetOfItsWorkoutAndRefersToItAndOtherRoutesHaveUTC() throws {
        for outcome in try Self.outcomes(Self.selection(.routes)) {
            let workout = try #require(outcome.observations.first)
            let routes = outcome.specials.map(\.resource).sorted { $0.text() < $1.text() }
            let starts = routes.compactMap { $0.at("effectivePeriod", "start")?.string }
            #expect(Set(starts) == ["2019-06-11T15:00:42-07:00", "2019-06-11T22:00:42+00:00"])
            let own = routes.first { $0.at("effectivePeriod", "start")?.string?.hasSuffix("-07:00") == true }
            #expect(own?["focus"] == [["reference": .string("Observation/" + (workout.id ?? ""))]])
            #expect(routes.filter { $0["focus"] == nil }.count == 1)
            #expect(outcome.importReport.otherResources == ["HKWorkoutRoute": ["converted": 2]])
        }
    }

    @Test func routeDoesNotReferToAnUnconvertedWorkout() throws {
        var selection = Self.selection(.routes)
        selection.types = try HealthSelection.types(named: ["HKWorkoutRoute"])
        for outcome in try Self.outcomes(selection) {
            #expect(outcome.made.isEmpty && outcome.specials.count == 2)
            #expect(outcome.specials.allSatisfy { $0.resource["focus"] == nil })
        }
    }

    @Test func routesAndRecordsThatAreNotNamedAreLeftOutWithTheirXMLEntries() throws {
        for outcome in try Self.outcomes(Self.selection()) {
            #expect(outcome.specials.isEmpty && outcome.made.count == 1)
            #expect(outcome.importReport.notRead["workout-route-file"] == 2)
            #expect(outcome.importReport.notRead["clinical-record-file"] == 1)
            for word in ["route_1", "hospital.example", "HDL", "206.25", "-122.39"] {
                #expect(!outcome.text.contains(word), "\(word)")
            }
        }
    }

    @Test func clinicalRecordHasTheDataOfItsEntryInEveryOrderOfFiles() throws {
        let outcomes = try Self.outcomes(Self.selection(.clinicalRecords))
        for outcome in outcomes {
            let document = try #require(outcome.specials.first?.resource)
            #expect(document["resourceType"]?.string == "DocumentReference")
            #expect(document["description"]?.string == "Observation in FHIR DSTU2")
            #expect(document["date"]?.string == "2019-07-01T10:00:00+02:00")
            let data = document["content"]?[0]?.at("attachment", "data")?.string.flatMap { Data(base64Encoded: $0) }
            #expect(data.map { String(decoding: $0, as: UTF8.self) } == Self.lab)
            #expect(outcome.importReport.fileNotes == [:] && !outcome.text.contains("Robin"))
        }
        #expect(Set(outcomes.compactMap { $0.specials.first?.fingerprint }).count == 1)
    }

    @Test func recordOfDSTU2BecomesAResourceOfR4AndADocumentWithTheOriginal() throws {
        var selection = Self.selection(.clinicalRecords)
        selection.convertDSTU2 = { old in
            var object = old.object ?? JSONObject()
            object["valueString"] = nil
            object["note"] = [["text": "written anew"]]
            return .object(object)
        }
        let special = try #require(Self.outcomes(selection).first?.specials.first)
        let resources = special.resources
        #expect(resources.map { $0["resourceType"]?.string } == ["Observation", "DocumentReference"])
        #expect(resources[0]["note"]?[0]?["text"]?.string == "written anew")
        #expect(resources[0].at("identifier")?[0]?["value"]?.string == "o1")
        let reference = "Observation/" + (resources[0]["id"]?.string ?? "")
        #expect(resources[1].at("context", "related") == [["reference": .string(reference)]])
        let data = resources[1]["content"]?[0]?.at("attachment", "data")?.string.flatMap { Data(base64Encoded: $0) }
        #expect(data.map { String(decoding: $0, as: UTF8.self) } == Self.lab)
        // A record that cannot be converted is stored as a document only.
        for failed: JSON? in [nil, ["resourceType": "Basic"], ["no": "type"]] {
            selection.convertDSTU2 = { _ in failed }
            let special = try #require(Self.outcomes(selection).first?.specials.first)
            #expect(special.resources.map { $0["resourceType"]?.string } == ["DocumentReference"])
        }
    }

    @Test func pathsOutOfTheExportAreNotOpened() throws {
        for path in ["../../../etc/passwd", "/etc/passwd", "", "//", String(repeating: "a/", count: 500)] {
            let outcome = try Exports.convert(
                Self.workout("<FileReference path=\"\(path)\"/>")
                    + "<ClinicalRecord resourceFilePath=\"\(path)\" fhirVersion=\"1.0.2\"/>",
                selection: Self.selection(.routes, .clinicalRecords))
            #expect(outcome.made.count == 1 && outcome.specials.isEmpty && !outcome.text.contains("passwd"))
        }
    }

    @Test func routeLocationsInsideTheXMLOfOlderSystemsAreARouteIfRoutesAreNamed() throws {
        let body = """
            <Location date="2016-11-14 07:25:44 -0700" latitude="0.0101" longitude="-30.5" altitude="2.2694" horizontalAccuracy="3" verticalAccuracy="2" course="10" speed="2.5"/>
            <Location date="never" latitude="0.0101" longitude="-30.5"/>
            <Location date="2016-11-14 07:25:45 -0700" latitude="0.0102" longitude="-30.5" altitude="2.2694"/>
            """
        let outcome = try Exports.convert(Self.workout(body), selection: Self.selection(.routes))
        let route = try #require(outcome.specials.first?.resource)
        #expect(route.at("effectivePeriod", "start")?.string == "2016-11-14T07:25:44-07:00")
        #expect(route.text().contains("0.0101 0.0102") && route["focus"] != nil)
        #expect(outcome.importReport.repaired == ["part-dropped": 1])
        #expect(try !Exports.convert(Self.workout(body)).text.contains("0.0101"))
    }
}
