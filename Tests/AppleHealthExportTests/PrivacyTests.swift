import FHIR
import Foundation
import HealthData
import Testing

@testable import AppleHealthExport

@Suite struct PrivacyTests {
    /// A name in every attribute and element that can contain a person's name, a location or a link.
    private var planted: String {
        let name = "Zaphod"
        func record(_ type: String, value: String, unit: String) -> String {
            """
            <Record type="\(type)" sourceName="\(name)’s Apple\u{A0}Watch" sourceVersion="\(name) 1.0" device="&lt;&lt;HKDevice: 0x1&gt;, name:\(name), manufacturer:\(name), model:\(name), hardware:\(name), localIdentifier:\(name)&gt;" unit="\(unit)" creationDate="\(name)" startDate="2018-09-10 02:28:55 -0700" endDate="2018-09-10 02:28:55 -0700" value="\(value)" \(name)="\(name)">
            <MetadataEntry key="HKTimeZone" value="\(name)/Home"/><MetadataEntry key="HKExternalUUID" value="\(name)"/>
            <MetadataEntry key="\(name)" value="https://example.org/\(name)"/><MetadataEntry key="HKWasUserEntered" value="\(name)"/>
            <MetadataEntry key="HKBloodGlucoseMealTime" value="\(name)"/></Record>
            """
        }
        return """
            <Me HKCharacteristicTypeIdentifierDateOfBirth="\(name)" Name="\(name)"/>
            \(record("HKQuantityTypeIdentifierHeartRate", value: "72", unit: "count/min"))
            \(record("HKQuantityTypeIdentifierBloodGlucose", value: "95", unit: "mg/dL"))
            \(record("HKQuantityTypeIdentifierBloodPressureSystolic", value: "120", unit: "mmHg"))
            \(record("HKQuantityTypeIdentifierHeartRate \(name)", value: "72", unit: "count/min"))
            \(record("\(name)", value: "72", unit: "count/min"))
            \(record("HKQuantityTypeIdentifierHeartRate", value: name, unit: "count/min"))
            \(record("HKQuantityTypeIdentifierHeartRate", value: "72", unit: name))
            \(record("HKCategoryTypeIdentifierSleepAnalysis", value: name, unit: ""))
            \(record("HKCategoryTypeIdentifierSleepAnalysis", value: "HKCategoryValueSleepAnalysisAsleepCore", unit: name))
            <Correlation type="HKCorrelationTypeIdentifierFood" sourceName="\(name)" startDate="\(name)"><MetadataEntry key="HKFoodType" value="\(name)"/></Correlation>
            <Correlation type="\(name)"/>
            <Workout workoutActivityType="HKWorkoutActivityType\(name)" duration="\(name)" durationUnit="\(name)" totalDistance="\(name)" sourceName="\(name)" sourceVersion="\(name)" device="\(name)" startDate="2018-09-10 02:28:55 -0700" endDate="2018-09-10 02:38:55 -0700">
            <MetadataEntry key="HKWorkoutBrandName" value="\(name)"/><WorkoutEvent type="\(name)" date="\(name)"/>
            <WorkoutStatistics type="\(name)" sum="\(name)" unit="\(name)"/><WorkoutRoute sourceName="\(name)"><FileReference path="/workout-routes/\(name).gpx"/></WorkoutRoute></Workout>
            <ActivitySummary dateComponents="\(name)"/><ClinicalRecord type="\(name)" identifier="\(name)" sourceName="\(name)"/><\(name) a="\(name)">\(name)</\(name)>
            <Record type="\(name)
            """
    }

    @Test func outputContainsNoNamesAndNothingOfOtherFiles() throws {
        let folder = try Exports.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let ecg = folder.appendingPathComponent("electrocardiograms")
        try FileManager.default.createDirectory(at: ecg, withIntermediateDirectories: true)
        try Data("Name,Zaphod\n".utf8).write(to: ecg.appendingPathComponent("ecg_Zaphod.csv"))
        try Data("<gpx><name>Zaphod</name></gpx>".utf8).write(to: folder.appendingPathComponent("Zaphod.gpx"))
        try Data("<ClinicalDocument><name>Zaphod</name>".utf8).write(
            to: folder.appendingPathComponent("export_cda.xml"))
        try Data(Exports.root(planted).utf8).write(to: folder.appendingPathComponent("Zaphod.xml"))
        let outcome = try Exports.convert(path: folder.path)
        #expect(outcome.made.count == 5)
        #expect(outcome.text.lowercased().contains("zaphod") == false)
        #expect(outcome.importReport.repaired["unknown-activity"] == 1)
        #expect(
            outcome.importReport.fileProblems == ["electrocardiogram-not-recognised": 1]
                && outcome.importReport.notRead["other-xml-file"] == 1)
        #expect(outcome.made.allSatisfy { ["app", "Apple Watch"].contains($0.observation.device?.display) })
    }

    /// Notes in all elements and files that can contain them, next to valid values.
    private static func elements(_ note: String) -> String {
        let keys = [
            "HKNote", "HKMetadataKeyNote", "HKNotes", "HKComment", "HKFoodType", "HKWorkoutBrandName", "HKLapLength",
            "HKSwimmingStrokeStyle", "HKIndoorWorkout", "HKMetadataKeyHeartRateMotionContext", "HKWasUserEntered",
            "HKTimeZone", "HKSexualActivityProtectionUsed", "HKMetadataKeySyncIdentifier", "HKDigitalSignature",
            "HKUDIDeviceIdentifier", "HKReferenceRangeLowerLimit",
        ]
        let entries = keys.map { "<MetadataEntry key=\"\($0)\" value=\"\(note)\"/>" }.joined()
        let times = "startDate=\"2022-07-10 09:00:00 -0700\" endDate=\"2022-07-10 10:00:00 -0700\""
        let leg = "<WorkoutActivity uuid=\"\(note)\" \(times) note=\"\(note)\">\(entries)</WorkoutActivity>"
        return """
            \(Exports.record(metadata: keys.map { ($0, note) }))
            \(Exports.record("HKCategoryTypeIdentifierSexualActivity", "0", unit: "", metadata: keys.map { ($0, note) }))
            <Correlation type="HKCorrelationTypeIdentifierFood" sourceName="\(note)" \(times)>\(entries)\(
                Exports.record("HKQuantityTypeIdentifierDietaryProtein", "5", unit: "g", metadata: [("HKNote", note)]))</Correlation>
            <Workout workoutActivityType="HKWorkoutActivityTypeRunning" sourceName="\(note)" \(times) note="\(note)">\(entries)
            <WorkoutEvent type="HKWorkoutEventTypeMarker" date="2022-07-10 09:10:00 -0700" note="\(note)">\(entries)</WorkoutEvent>
            \(leg)\(leg.replacing("09:00", with: "09:30"))
            <WorkoutRoute sourceName="\(note)" \(times)>\(entries)<FileReference path="/workout-routes/\(note).gpx"/></WorkoutRoute></Workout>
            <Audiogram type="\(note)" sourceName="\(note)" \(times)>\(entries)<SensitivityPoint frequencyValue="1000" frequencyUnit="Hz" leftEarValue="15" leftEarUnit="dBHL" note="\(note)"/></Audiogram>
            <VisionPrescription type="\(note)" dateIssued="2022-07-10 09:00:00 -0700" brand="\(note)">\(entries)<RightEye sphere="-1.25" sphereUnit="D" note="\(note)"/><Attachment identifier="\(note)"/></VisionPrescription>
            <StateOfMind note="\(note)">\(entries)</StateOfMind><ClinicalRecord type="\(note)" sourceName="\(note)" sourceURL="https://\(note)/" fhirVersion="4.0.1" resourceFilePath="/clinical-records/\(note).json"/>
            """
    }

    private static func files(_ note: String) -> [(String, String)] {
        [
            ("export.xml", Exports.root(elements(note))),
            (
                "workout-routes/\(note).gpx",
                FilesRouteTests.file(
                    FilesRouteTests.points.joined() + "<desc>\(note)</desc><cmt>\(note)</cmt><author>\(note)</author>"
                ).replacing("Route 2019", with: "\(note) 2019").replacing(
                    "<time>2019-11", with: "<name>\(note)</name><time>2019-11")
            ),
            (
                "electrocardiograms/\(note).csv",
                """
                Name,\(note)
                Date of Birth,\(note)
                Recorded Date,2022-07-10 09:00:00 -0700
                Classification,\(note)
                Symptoms,\(note)
                Notes,\(note)
                Device,\(note)
                Sample Rate,512 hertz
                Lead,\(note)
                Unit,µV

                1.5
                2.5
                """
            ),
            (
                "clinical-records/\(note).json",
                "{\"resourceType\":\"Condition\",\"subject\":{},\"note\":[{\"text\":\"\(note)\"}]}"
            ),
        ]
    }

    @Test func freeTextIsExportedOnlyInClinicalRecordsThatAreNamed() throws {
        let folder = try Exports.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, text) in Self.files("Zaphod") {
            let file = folder.appendingPathComponent(name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        var selection = HealthSelection(subject: "p1")
        for inclusions in [[], [HealthSelection.Inclusion.routes, .heartbeats, .nights]] {
            selection.inclusions = Set(inclusions)
            let outcome = try Exports.convert(path: folder.path, selection: selection)
            #expect(outcome.made.count == 4 && outcome.specials.count == (inclusions.isEmpty ? 3 : 4))
            #expect(!outcome.text.lowercased().contains("zaphod"), "\(inclusions)")
            let parts = outcome.observations.flatMap(\.component).compactMap { $0.code?.coding.first?.code }
            #expect(parts.filter { $0 == "HKWorkoutActivity" }.count == 2 && parts.contains("HKWorkoutEventTypeMarker"))
        }
        selection.inclusions = [.clinicalRecords]
        #expect(try Exports.convert(path: folder.path, selection: selection).text.contains("Zaphod"))
    }

    @Test func identityDoesNotDependOnTheNameAndCannotRevealIt() throws {
        let names = ["Robin’s Apple Watch", "Kim’s Apple Watch", "Apple Watch"].map {
            Exports.record(source: $0, device: "")
        }
        let fingerprints = try names.map { try Exports.convert($0).made.map(\.fingerprint) }
        #expect(Set(fingerprints).count == 1)
    }
}
