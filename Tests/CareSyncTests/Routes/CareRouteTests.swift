import AccessPolicy
import AccessTestSupport
import CarePlans
import Core
import Foundation
import HTTPTypes
import Storage
import Testing

@testable import Accounts
@testable import CareSync

@Suite("CareRoutes") struct CareRouteTests {
    typealias Fixture = CareRouteFixture

    private func body(of path: String) -> JSON? {
        let vector: JSON = ["processes": []]
        return path.contains("pull")
            ? ["knowledgeVector": vector]
            : path.contains("revisions") ? ["knowledgeVector": vector, "revisions": []] : nil
    }

    @Test("each route gives each role what its grant permits")
    func accessTable() async throws {
        try await Fixture.with { fixture in
            let patient = try await fixture.signUp("ann")
            let doctor = try await fixture.member("doctor", .careTeam, of: "main")
            let observer = try await fixture.member("observer", .observer, of: "main")
            let study = try await fixture.member("study", .studyTeam, of: "main")
            let south = try await fixture.member("south", .careTeam, of: "south")
            let both = try await fixture.member("both", .observer, of: "main")
            _ = try await fixture.store.grant(.careTeam, to: both.id, group: "south", until: nil, by: site)
            let stranger = try await fixture.signUp("stranger")
            #expect(
                try await fixture.push(
                    [CareFixture.task(1)], CareFixture.vector([7: 1]), to: patient.id, as: patient
                ).status == 200)
            var checked = 0
            for route in fixture.routes.table.paths where route.method != .head {
                let pattern = route.path.description.replacing("{id}", with: patient.id).dropFirst("/v1/".count)
                let path = String(pattern)
                let query =
                    path.hasSuffix("events") || path.hasSuffix("adherence") ? "?from=2026-01-01&to=2026-01-02" : ""
                let writes = path.hasSuffix("revisions")
                let expected: [(Fixture.SignedIn?, Int, String?)] = [
                    (patient, 200, nil), (doctor, 200, nil), (observer, writes ? 403 : 200, writes ? "read-only" : nil),
                    (both, writes ? 403 : 200, writes ? "read-only" : nil), (study, 404, nil), (south, 404, nil),
                    (stranger, 403, "no-grant"), (nil, 401, nil),
                ]
                for (person, status, code) in expected {
                    let answer = try await fixture.ask(
                        route.method, path + query, as: person?.token, body: body(of: path))
                    #expect(answer.status == status, "\(route.method) \(path) \(answer.json)")
                    if let code { #expect(answer.code == code) }
                    checked += 1
                }
            }
            #expect(checked == 6 * 8)
            // Without sharing, only the patient has the plan.
            _ = try await fixture.ask(.put, "me/sharing", as: patient.token, body: ["sharing": false])
            #expect(try await fixture.pull(of: patient.id, as: doctor).status == 404)
            #expect(try await fixture.pull(of: patient.id, as: patient).status == 200)
            #expect(try await fixture.pull(of: "unknown", as: doctor).status == 404)
        }
    }

    @Test("reads and changes by others are on record and shown to the patient")
    func audit() async throws {
        try await Fixture.with { fixture in
            let patient = try await fixture.signUp("ann")
            let doctor = try await fixture.member("doctor", .careTeam, of: "main")
            #expect(try await fixture.pull(of: patient.id, as: doctor).status == 200)
            _ = try await fixture.push([CareFixture.task(1)], CareFixture.vector([7: 1]), to: patient.id, as: doctor)
            _ = try await fixture.pull(of: patient.id, as: doctor)
            let access = try await fixture.ask(.get, "me/access", as: patient.token)
            #expect(access.json["read"]?.array?.map { $0["what"]?.string } == ["plan"])
            let rows = try await fixture.store.audit.entries(participant: patient.id, limit: 10)
            let ofOthers = rows.filter { $0.actor == doctor.id && $0.isAllowed }.map(\.action)
            #expect(ofOthers.sorted() == ["change-plan", "read-plan"])
        }
    }

    @Test("a list of patients reports a changed plan, and a pull and the list wait for it")
    func waiting() async throws {
        try await Fixture.with { fixture in
            let patient = try await fixture.signUp("ann")
            let doctor = try await fixture.member("doctor", .careTeam, of: "main")
            let list = try await fixture.ask(.get, "patients", as: doctor.token)
            let next = try #require(list.json["next"]?.string)
            async let news = fixture.ask(.get, "patients?after=\(next)&wait=30", as: doctor.token)
            async let answer = fixture.pull(of: patient.id, as: doctor, wait: 30)
            while fixture.accounts.waits.count < 2 { await Task.yield() }
            _ = try await fixture.push(
                [CareFixture.task(1)], CareFixture.vector([7: 1]), to: patient.id, as: patient)
            #expect(try await answer.json["revisions"]?.array?.count == 1)
            let patients = try await news.json["patients"]?.array
            #expect(patients?.first?["changed"]?.array?.compactMap(\.string) == ["plan"])
            #expect(fixture.accounts.waits.count == 0)
            #expect(try await fixture.pull(of: patient.id, as: doctor, wait: 31).code == "wait-invalid")
            let wrong = try await fixture.ask(.get, "patients?after=\(next)&wait=-1", as: doctor.token)
            #expect(wrong.code == "wait-invalid")
        }
    }

    @Test("a wait ends with the refusal when the access ends")
    func endOfAccess() async throws {
        try await Fixture.with { fixture in
            let patient = try await fixture.signUp("ann")
            let doctor = try await fixture.member(
                "doctor", .careTeam, of: "main", until: fixture.clock.now.addingTimeInterval(60))
            let other = try await fixture.member("other", .careTeam, of: "main")
            async let ended = fixture.pull(of: patient.id, as: doctor, wait: 30)
            async let hidden = fixture.pull(of: patient.id, as: other, wait: 30)
            async let own = fixture.pull(of: patient.id, as: patient, wait: 30)
            while fixture.accounts.waits.count < 3 { await Task.yield() }
            fixture.clock.advance(61)
            #expect(try await ended.status == 403)
            _ = try await fixture.ask(.put, "me/sharing", as: patient.token, body: ["sharing": false])
            #expect(try await hidden.status == 404)
            _ = try await fixture.ask(.delete, "sessions/current", as: patient.token)
            #expect(try await own.status == 401)
        }
    }

    @Test("requests above the bound, and at the end of the server, are answered at once")
    func bounds() async throws {
        try await Fixture.with(waits: AccountWaits(limit: 3, limitByAccount: 2, interval: .milliseconds(20))) {
            fixture in
            let patient = try await fixture.signUp("ann")
            async let first = fixture.pull(of: patient.id, as: patient, wait: 30)
            async let second = fixture.pull(of: patient.id, as: patient, wait: 30)
            while fixture.accounts.waits.count < 2 { await Task.yield() }
            #expect(try await fixture.pull(of: patient.id, as: patient, wait: 30).status == 200)
            fixture.accounts.waits.end()
            #expect(try await first.status == 200)
            #expect(try await second.status == 200)
            #expect(try await fixture.pull(of: patient.id, as: patient, wait: 30).status == 200)
        }
    }

    @Test("bad bodies have stable codes, and the next valid push succeeds")
    func badInput() async throws {
        try await Fixture.with { fixture in
            let patient = try await fixture.signUp("ann")
            let task = try CareFixture.task(1)
            func push(_ revisions: JSON, _ vector: JSON = ["processes": []]) async throws -> String {
                let answer = try await fixture.ask(
                    .post, "patients/\(patient.id)/revisions", as: patient.token,
                    body: ["revisions": revisions, "knowledgeVector": vector])
                return "\(answer.status) \(answer.code ?? "")"
            }
            func process(_ clock: JSON) -> JSON {
                ["processes": [["id": .string(CareFixture.uuid(1).uuidString), "clock": clock]]]
            }
            #expect(try await push("x") == "400 body-invalid")
            #expect(try await push([], process(-1)) == "400 vector-invalid")
            #expect(try await push([], process(.number(JSONNumber(Int.max)))) == "400 vector-invalid")
            #expect(try await push([], process("x")) == "400 vector-invalid")
            let million: [JSON] = (0..<2_000).map {
                ["id": .string(CareFixture.uuid($0).uuidString), "clock": 1]
            }
            #expect(try await push([], ["processes": .array(million)]) == "400 vector-invalid")
            #expect(try await push([[:]]) == "400 entity-invalid")
            var own = task.object
            own["previousVersionUUIDs"] = [.string(CareFixture.uuid(1).uuidString)]
            let isOwnParent: JSON = ["type": "task", "object": own]
            #expect(
                try await push([["entities": [isOwnParent], "knowledgeVector": process(1)]]) == "422 version-cycle")
            var dense = task.object
            dense["schedule"] = ["elements": []]
            let withoutElements: JSON = ["type": "task", "object": dense]
            #expect(
                try await push([["entities": [withoutElements], "knowledgeVector": process(1)]])
                    .contains("invalid"))
            // A schedule that CareKit cannot decode.
            let good = try #require(task.object.at("schedule", "elements")?[0])
            func pushed(_ change: (inout JSON) -> Void) async throws -> String {
                var element = good
                change(&element)
                var object = task.object
                object["schedule"] = ["elements": [element]]
                let version: JSON = ["type": "task", "object": object]
                return try await push([["entities": [version], "knowledgeVector": process(1)]])
            }
            let partial: JSON = ["identifier": "gregorian", "timeZone": ["identifier": "Europe/Zurich"]]
            #expect(try await pushed { $0["calendar"] = partial } == "422 schedule-invalid")
            #expect(try await pushed { $0["calendar"]?["firstWeekday"] = 3_000_000_000 } == "422 schedule-invalid")
            #expect(try await pushed { $0["targetValues"] = [5] } == "422 schedule-invalid")
            #expect(try await pushed { $0["interval"] = ["day": 1, "isLeapMonth": "x"] } == "422 schedule-invalid")
            #expect(
                try await pushed { $0["start"] = .number(JSONNumber(text: "1e-400") ?? 0) } == "422 schedule-invalid")
            #expect(
                try await fixture.ask(.get, "patients/\(patient.id)/events?from=2026-01-01", as: patient.token).code
                    == "query-invalid")
            #expect(
                try await fixture.ask(
                    .get, "patients/\(patient.id)/events?from=2020-01-01&to=2026-01-01", as: patient.token
                ).code == "range-too-large")
            #expect(
                try await push(
                    [CareRevision([task], knowledgeVector: CareFixture.vector([7: 1])).json],
                    CareFixture.vector([7: 1]).json) == "200 ")
        }
    }

    @Test("events, adherence and plan show the recorded outcome")
    func dashboards() async throws {
        try await Fixture.with { fixture in
            let patient = try await fixture.signUp("ann")
            let doctor = try await fixture.member("doctor", .observer, of: "main")
            _ = try await fixture.push(
                [CareFixture.task(1), CareFixture.outcome(2, of: 1, at: 1)], CareFixture.vector([7: 1]),
                to: patient.id, as: patient)
            // The schedule begins at 1 a.m. of 1 January 2001 in Berlin.
            let events = try await fixture.ask(
                .get, "patients/\(patient.id)/events?from=2001-01-02T00:00:00Z&to=2001-01-02T12:00:00Z",
                as: doctor.token)
            #expect(events.status == 200)
            let outcomes = events.json.array?.compactMap { $0["outcome"]?["id"]?.string }
            #expect(outcomes == ["outcome-2"], "\(events.json)")
            let adherence = try await fixture.ask(
                .get, "patients/\(patient.id)/adherence?from=2001-01-01&to=2001-01-03", as: doctor.token)
            #expect(adherence.json.array?.map { $0["due"]?.integer } == [1, 1, 1])
            #expect(adherence.json.array?.map { $0["done"]?.integer } == [0, 1, 0])
            let bundle = try await fixture.ask(.get, "patients/\(patient.id)/fhir", as: doctor.token)
            #expect(bundle.json["resourceType"]?.string == "Bundle")
            #expect(bundle.json["type"]?.string == "collection")
            #expect(bundle.json["entry"]?.array?.isEmpty == false)
            let plan = try await fixture.ask(.get, "patients/\(patient.id)/plan", as: doctor.token)
            #expect(plan.json["entities"]?.array?.compactMap { $0["type"]?.string } == ["outcome", "task"])
        }
    }
}
