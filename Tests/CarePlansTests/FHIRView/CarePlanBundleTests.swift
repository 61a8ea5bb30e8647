import FHIR
import FHIRValidation
import Foundation
import TestSupport
import Testing

@testable import CarePlans

@Suite struct CarePlanBundleTests {
    @Test func viewsOfRandomPlansAreValid() throws {
        var generator = Seeded.fresh()
        let validator = FHIRValidator()
        var types: [String: Int] = [:]
        for _ in 0..<200 {
            let plan = try RandomPlan(&generator)
            let bundle = plan.contents.bundle(patient: "account")
            let errors = validator.validate(bundle.json).errors
            #expect(errors.isEmpty, "\(errors.prefix(3).map { "\($0.expression): \($0.message)" })")
            let entries = bundle.json["entry"]?.array ?? []
            for entry in entries { types[entry.at("resource", "resourceType")?.string ?? "", default: 0] += 1 }
            #expect(Set(entries.compactMap { $0["fullUrl"]?.string }).count == entries.count)
            #expect(dangling(entries).isEmpty)
            #expect(plan.contents.bundle(patient: "account").json.text() == bundle.json.text())
        }
        let expected: Set = [
            "Patient", "AllergyIntolerance", "CarePlan", "CareTeam", "Practitioner", "PractitionerRole",
            "RelatedPerson",
            "ServiceRequest", "Task", "Observation",
        ]
        #expect(Set(types.keys) == expected)
        print(types.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", "))
    }

    /// References to resources that are not in the Bundle.
    private func dangling(_ entries: [JSON]) -> [String] {
        let known = Set(entries.compactMap { $0["fullUrl"]?.string })
        var found: [String] = []
        func visit(_ json: JSON) {
            if let reference = json["reference"]?.string, !known.contains(reference) { found.append(reference) }
            for member in json.object?.members ?? [] { visit(member.value) }
            for element in json.array ?? [] { visit(element) }
        }
        for entry in entries { visit(entry["resource"] ?? .null) }
        return found
    }

    private func resources(_ contents: CarePlanContents, _ type: String) -> [JSON] {
        (contents.bundle(patient: "account").json["entry"]?.array ?? []).compactMap { $0["resource"] }
            .filter { $0["resourceType"]?.string == type }
    }

    private func edit() throws -> CarePlanEdit {
        CarePlanEdit(
            CarePlanContents(), now: Fixture.date("2026-11-29T09:00:00+01:00"),
            timeZone: try #require(TimeZone(identifier: "Europe/Berlin")))
    }

    @Test func anEmptyPlanHasAPatientAndACarePlan() {
        let bundle = CarePlanContents().bundle(patient: "account")
        #expect(FHIRValidator().validate(bundle.json).errors.isEmpty)
        #expect(bundle.json["type"] == "collection")
        #expect(resources(CarePlanContents(), "Patient").first?.at("identifier")?[0]?["value"] == "account")
        #expect(resources(CarePlanContents(), "CarePlan").count == 1)
    }

    @Test func aScheduleElementIsATiming() throws {
        var edit = try edit()
        try edit.add(
            .task,
            [
                "id": "walk", "title": "Walk",
                "schedule": [
                    "elements": [
                        [
                            "start": "2026-11-02T08:30:00+01:00", "end": "2027-01-01T00:00:00+01:00",
                            "interval": ["weekOfYear": 2], "text": "after breakfast",
                        ],
                        [
                            "start": "2026-11-03T08:30:00+01:00", "interval": ["day": 1, "hour": 1],
                            "duration": ["isAllDay": true], "targetValues": [["value": 5, "units": "km"]],
                        ],
                    ]
                ],
            ])
        let requests = resources(edit.contents, "ServiceRequest")
        #expect(
            requests.first?["occurrenceTiming"]?.text()
                == #"{"extension":[{"url":"urn:tributary:carekit:timezone","valueString":"Europe/Berlin"}],"repeat":{"#
                + #""boundsPeriod":{"start":"2026-11-02T08:30:00.000+01:00","end":"2027-01-01T00:00:00.000+01:00"},"#
                + #""duration":3600,"durationUnit":"s","frequency":1,"period":2,"periodUnit":"wk","dayOfWeek":["mon"],"#
                + #""timeOfDay":["08:30:00"]},"code":{"text":"after breakfast"}}"#)
        let second = try #require(requests.last?["occurrenceTiming"])
        #expect(second.at("repeat", "period") == nil)
        #expect(second.at("repeat", "durationUnit") == "d")
        #expect(
            second["extension"]?[1]?.text()
                == #"{"url":"urn:tributary:carekit:interval","extension":["#
                + #"{"url":"urn:tributary:carekit:day","valueInteger":1},{"url":"urn:tributary:carekit:hour","valueInteger":1}]}"#
        )
        #expect(requests.map { $0.at("requisition", "value") } == ["walk", "walk"])
        let activities = resources(edit.contents, "CarePlan").first?["activity"]?.array
        #expect(activities?.count == 2)
    }

    @Test func aRecordedEventIsATaskWithItsObservations() throws {
        var edit = try edit()
        try edit.add(
            .task,
            ["id": "bp", "schedule": ["elements": [["start": "2026-11-02T08:30:00+01:00", "interval": ["day": 1]]]]])
        let event = try edit.event(task: "bp", occurrence: 2)
        try edit.record(event, values: [["value": 120, "units": "mmHg", "kind": "systolic"], 7, "well"])
        try edit.record(edit.event(task: "bp", occurrence: 3), values: [])
        try edit.removeOutcome(edit.event(task: "bp", occurrence: 3))
        let tasks = resources(edit.contents, "Task")
        #expect(tasks.count == 1)
        #expect(tasks.first?["executionPeriod"]?["start"] == "2026-11-04T08:30:00.000+01:00")
        #expect(tasks.first?["output"]?.array?.count == 3)
        let observations = resources(edit.contents, "Observation")
        #expect(observations[0]["valueQuantity"]?.text() == #"{"value":120,"unit":"mmHg"}"#)
        #expect(observations[0].at("code", "text") == "systolic")
        #expect(observations[1]["valueInteger"] == 7)
        #expect(observations[2]["valueString"] == "well")
        let request = resources(edit.contents, "ServiceRequest").first?["id"]?.string ?? ""
        #expect(tasks.first?.at("focus", "reference")?.string == "urn:uuid:" + request)
    }

    @Test func theTaskVersionOfARecordedEventStaysInTheView() throws {
        var edit = try edit()
        try edit.add(
            .task,
            ["id": "bp", "schedule": ["elements": [["start": "2026-11-02T08:30:00+01:00", "interval": ["day": 1]]]]])
        try edit.record(edit.event(task: "bp", occurrence: 2), values: [])
        try edit.update(.task, ["id": "bp", "title": "Blood pressure"])
        #expect(resources(edit.contents, "ServiceRequest").map { $0["status"]?.string } == ["active", "completed"])
        try edit.delete(.task, id: "bp")
        #expect(resources(edit.contents, "ServiceRequest").map { $0["status"]?.string } == ["revoked"])
        #expect(resources(edit.contents, "Task").count == 1)
        #expect(resources(edit.contents, "CarePlan").first?["activity"] == nil)
    }
}
