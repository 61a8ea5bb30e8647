import AccessPolicy
import FHIR
import Foundation
import HTTPTypes
import Storage
import StorageTestSupport
import TestSupport
import Testing

@testable import FHIRServer
@testable import RecordStorage

/// The history of a type and of all types: the versions in time, and only the permitted ones.
@Suite struct HistoryTests {
    private let start = Date(timeIntervalSince1970: 1_790_000_000)

    private func observation(_ id: String, of patient: String = "a", more: String = "") -> String {
        #"{"resourceType":"Observation","id":"\#(id)","subject":{"reference":"Patient/\#(patient)"}\#(more)}"#
    }

    private func versions(_ bundle: JSON) -> [String] {
        (bundle["entry"]?.array ?? []).map { entry in
            let url = entry["fullUrl"]?.string ?? ""
            let tag = entry["response"]?["etag"]?.string ?? ""
            return url.split(separator: "/").suffix(2).joined(separator: "/") + " " + tag.filter(\.isNumber)
        }
    }

    /// Follows the links to the end.
    private func all(_ path: String, token: String? = nil, in fixture: RecordsFixture) async throws -> [String] {
        var found: [String] = []
        var next: String? = path
        var pages = 0
        while let path = next, pages < 100 {
            let (status, bundle) = try await fixture.get(path, token: token)
            #expect(status == 200, "\(path): \(bundle)")
            found += versions(bundle)
            let links = bundle["link"]?.array ?? []
            next = links.first { $0["relation"]?.string == "next" }?["url"]?.string
                .flatMap { url in url.range(of: "/fhir/").map { String(url[$0.lowerBound...]) } }
            pages += 1
        }
        return found
    }

    @Test func newestVersionComesFirstFromEachTable() async throws {
        let fixture = try await RecordsFixture()
        for (second, json) in [
            (1, observation("o1")), (2, #"{"resourceType":"Device","id":"d1"}"#), (3, observation("o2")),
            (4, observation("o1", more: #","status":"final""#)), (5, #"{"resourceType":"Device","id":"d2"}"#),
        ] {
            try await fixture.put(json, at: start.addingTimeInterval(Double(second)), submission: "s\(second)")
        }
        // A version received before the current one is stored directly as history.
        try await fixture.put(
            observation("o1", more: #","status":"amended""#), at: start.addingTimeInterval(6),
            received: start, submission: "late")
        let whole = [
            "Observation/o1 3", "Device/d2 1", "Observation/o1 2", "Observation/o2 1", "Device/d1 1",
            "Observation/o1 1",
        ]
        #expect(try await all("/fhir/_history", in: fixture) == whole)
        for count in 1...4 { #expect(try await all("/fhir/_history?_count=\(count)", in: fixture) == whole) }
        let ofType = whole.filter { $0.hasPrefix("Observation") }
        #expect(try await all("/fhir/Observation/_history", in: fixture) == ofType)
        #expect(try await all("/fhir/_history?_type=Observation&_count=1", in: fixture) == ofType)
        let (_, first) = try await fixture.get("/fhir/_history?_count=2")
        #expect(first["total"]?.integer == 6 && first["type"]?.string == "history")
        func time(_ second: Double) -> String { DateTime(start.addingTimeInterval(second)).text }
        #expect(try await all("/fhir/_history?_since=\(time(4))", in: fixture) == Array(whole.prefix(3)))
        // At an instant: the versions that were current then.
        #expect(
            try await all("/fhir/Observation/_history?_at=\(time(3))", in: fixture) == [
                "Observation/o2 1", "Observation/o1 1",
            ])
        #expect(
            try await all("/fhir/_history?_at=\(time(6))", in: fixture) == [
                "Device/d2 1", "Observation/o1 2", "Observation/o2 1", "Device/d1 1",
            ])
        for path in [
            "/fhir/_history?_cursor=n1", "/fhir/_history?_since=x", "/fhir/_history?_type=Nothing",
            "/fhir/Observation/_history?_count=-1",
        ] {
            #expect(try await fixture.get(path).0 == 400, "\(path)")
        }
        #expect(try await fixture.get("/fhir/Nothing/_history").0 == 404)
        try await fixture.close()
    }

    /// <https://hl7.org/fhir/R4/http.html#history>: the parameters apply to all three histories.
    @Test func theHistoryOfOneResourceIsNarrowedByTime() async throws {
        let fixture = try await RecordsFixture()
        for second in 1...5 {
            try await fixture.put(
                observation("o", more: #","valueInteger":\#(second)"#),
                at: start.addingTimeInterval(Double(second * 10)),
                submission: "s\(second)")
        }
        // A version received before the current one is stored directly as history.
        try await fixture.put(
            observation("o", more: #","valueInteger":0"#), at: start.addingTimeInterval(60), received: start,
            submission: "late")
        func time(_ second: Double) -> String { DateTime(start.addingTimeInterval(second)).text }
        func found(_ query: String) async throws -> ([Int], Int?) {
            let (status, bundle) = try await fixture.get("/fhir/Observation/o/_history?" + query)
            #expect(status == 200, "\(query)")
            let versions = versions(bundle).compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }
            return (versions, bundle["total"]?.integer.map { Int($0) })
        }
        #expect(try await found("").1 == 6)
        #expect(try await found("_since=2099-01-01T00:00:00Z") == ([], 0))
        #expect(try await found("_since=\(time(40))").0.sorted() == [4, 5, 6])
        #expect(try await found("_since=\(time(40))").1 == 3)
        #expect(try await found("_since=\(time(0))").1 == 6)
        #expect(try await found("_at=\(time(35))") == ([3], 1))
        #expect(try await found("_at=\(time(5))") == ([], 0))
        #expect(try await found("_at=2099") == ([5], 1))
        #expect(try await found("_since=\(time(20))&_at=\(time(35))") == ([3], 1))
        // The pages continue within the requested range.
        let since = try await all("/fhir/Observation/o/_history?_since=\(time(20))&_count=1", in: fixture)
        #expect(since.count == 5 && Set(since).count == 5)
        for wrong in ["_since=notatime", "_at=x", "_count=x", "_cursor=x"] {
            #expect(try await fixture.get("/fhir/Observation/o/_history?" + wrong).0 == 400, "\(wrong)")
        }
        let strict = HTTPFields([HTTPField(name: .prefer, value: "handling=strict")])
        #expect(try await fixture.get("/fhir/Observation/o/_history?foo=1", headers: strict).0 == 400)
        #expect(try await fixture.get("/fhir/Observation/o/_history?_since=2099", headers: strict).0 == 200)
        try await fixture.close()
    }

    /// `_elements` applies to a version as to the current resource.
    @Test func aPartOfAVersionIsRead() async throws {
        let fixture = try await RecordsFixture()
        try await fixture.put(observation("o", more: #","status":"final","note":[{"text":"n"}]"#))
        for (query, has) in [
            ("", true), ("?_summary=true", false), ("?_elements=status", false), ("?_elements=note", true),
        ] {
            let (status, resource) = try await fixture.get("/fhir/Observation/o/_history/1" + query)
            #expect(status == 200 && (resource["note"] != nil) == has, "\(query)")
            #expect((resource["meta"]?["tag"] != nil) == !query.isEmpty)
        }
        #expect(try await fixture.get("/fhir/Observation/o/_history/1?_summary=most").0 == 400)
        try await fixture.close()
    }

    @Test func timeRangeOfAHistoryUsesTheKeys() async throws {
        let fixture = try await RecordsFixture()
        let page = try HistoryPage([("_since", "2020"), ("_at", "2021")], strict: true)
        let address = RecordKey.value(type: "Observation", id: "o")
        for (sql, parameters) in [
            (HistoryPage.formerSQL(2), [address, 1, 2]),
            (page.totalSQL, page.totalParameters(type: "Observation", id: "o")),
        ] {
            let plan = try await fixture.database.read { try QueryPlan(sql, parameters, in: $0) }
            #expect(plan.uses(index: "record_by_address"), "\(plan)")
            for table in ["SCAN r", "SCAN f", "Seq Scan"] { #expect(!"\(plan)".contains(table), "\(plan)") }
        }
        try await fixture.close()
    }

    @Test func aDeletionHasNoContent() async throws {
        var fixture = try await RecordsFixture()
        try await fixture.addWriter()
        _ = try await fixture.send(.put, "/fhir/Observation/o", body: observation("o"))
        _ = try await fixture.send(.delete, "/fhir/Observation/o")
        let (_, bundle) = try await fixture.get("/fhir/Observation/_history")
        let entries = bundle["entry"]?.array ?? []
        #expect(entries.map { $0["request"]?["method"]?.string } == ["DELETE", "POST"])
        #expect(entries.map { $0["resource"] == nil } == [true, false])
        #expect(bundle["total"]?.integer == 2)
        try await fixture.close()
    }

    /// A deletion is shown to the callers to whom the deleted version is shown.
    @Test func deletionIsShownWithTheVersionThatItDeleted() async throws {
        var fixture = try await RecordsFixture()
        try await fixture.addWriter()
        try await fixture.addGrant("a", scopes: "patient/*.rs", patients: .only(["a"]))
        _ = try await fixture.send(.put, "/fhir/Observation/o", body: observation("o", of: "b"))
        _ = try await fixture.send(.delete, "/fhir/Observation/o")
        _ = try await fixture.send(.put, "/fhir/Observation/o", body: observation("o", of: "a"))
        _ = try await fixture.send(.delete, "/fhir/Observation/o")
        _ = try await fixture.send(.put, "/fhir/Observation/o", body: observation("o", of: "a"))
        for path in ["/fhir/Observation/o/_history", "/fhir/Observation/_history", "/fhir/_history"] {
            let (status, bundle) = try await fixture.get(path, token: "a")
            #expect(status == 200)
            #expect(versions(bundle) == [5, 4, 3].map { "Observation/o \($0)" }, "\(path)")
            #expect(versions(try await fixture.get(path).1).count == 5)
        }
        for (version, status) in [(1, 404), (2, 404), (3, 200), (4, 410)] {
            #expect(try await fixture.get("/fhir/Observation/o/_history/\(version)", token: "a").0 == status)
        }
        try await fixture.close()
    }

    /// A write between two pages neither hides a version nor shows one twice.
    @Test func aChangeBetweenTwoPagesLosesNothing() async throws {
        let fixture = try await RecordsFixture()
        for number in 0..<6 {
            try await fixture.put(
                observation("o\(number)"), at: start.addingTimeInterval(Double(number)), submission: "s\(number)")
        }
        let (_, first) = try await fixture.get("/fhir/Observation/_history?_count=2")
        try await fixture.put(
            observation("o1", more: #","status":"final""#), at: start.addingTimeInterval(9), submission: "s9")
        let next = try #require(
            first["link"]?.array?.first { $0["relation"]?.string == "next" }?["url"]?.string)
        let path = String(next[try #require(next.range(of: "/fhir/")).lowerBound...])
        let rest = try await all(path, in: fixture)
        #expect(versions(first) + rest == (0..<6).reversed().map { "Observation/o\($0) 1" })
        try await fixture.close()
    }

    // MARK: Access

    /// With random data: the versions found are those that the policy permits.
    @Test func visibleVersionsAreThoseThatThePolicyPermits() async throws {
        let fixture = try await RecordsFixture()
        var random = Seeded.fresh()
        struct Made {
            let name: String
            let facts: RecordFacts?
        }
        var made: [String: [Made]] = [:]
        var order: [String] = []
        for number in 0..<80 {
            let type = ["Observation", "Device"].randomElement(using: &random) ?? ""
            let id = "r\(Int.random(in: 0..<25, using: &random))"
            let owner = ["a", "b", "c"].randomElement(using: &random) ?? ""
            let label = ["N", "N", "R"].randomElement(using: &random) ?? ""
            let reference = type == "Device" ? "patient" : "subject"
            let isOwned = Int.random(in: 0..<5, using: &random) > 0
            let json =
                #"{"resourceType":"\#(type)","id":"\#(id)","meta":{"security":[{"system":"#
                + #""\#(SecurityLabels.confidentialitySystem)","code":"\#(label)"}]},"language":"x\#(number)""#
                + (isOwned ? #","\#(reference)":{"reference":"Patient/\#(owner)"}}"# : "}")
            let at = start.addingTimeInterval(Double(number / 3))
            let put = try await fixture.put(json, at: at, received: at, number: Int64(number), submission: "s\(number)")
            let name = "\(type)/\(id) \(put.version)"
            made["\(type)/\(id)", default: []].append(
                Made(name: name, facts: RecordFacts(try Resource(Array(json.utf8)))))
            order.append(name)
        }
        var shown = 0
        var hidden = 0
        for _ in 0..<60 {
            var parts: [AccessPart] = []
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let scopes =
                    (["user/*.rs", "user/Observation.s", "user/Device.rs"].randomElement(using: &random) ?? "")
                    + (Bool.random(using: &random) ? " conf/R" : "")
                let patients = Set(["a", "b", "c"].filter { _ in Bool.random(using: &random) })
                parts.append(
                    AccessPart(
                        patients: Int.random(in: 0..<3, using: &random) == 0 ? .all : .only(patients),
                        scopes: try AccessScopes(scopes)))
            }
            let grant = try AccessGrant(client: "app", role: .practitioner, parts: parts)
            let service = RecordsService(database: fixture.database, access: fixture.access, clock: { Date() })
            var found: [String] = []
            var cursor: String?
            repeat {
                let parameters = [("_count", "7")] + (cursor.map { [("_cursor", $0)] } ?? [])
                let bundle = try await service.history(
                    ofType: nil, HistoryQuery(type: nil, parameters: parameters, strict: true), url: "u", by: grant
                ).bundle
                found += versions(bundle.json)
                cursor = bundle.link.first { $0.relation == "next" }?.url?.split(separator: "=").last.map(String.init)
            } while cursor != nil
            let permitted = made.values.flatMap { versions in
                versions.filter { version in
                    guard let own = version.facts, let newest = versions.last?.facts else { return false }
                    return Policy().decide(grant, .historyOfSystem, version: own, newest: newest, at: Date())
                        .isPermitted
                }
            }.map(\.name)
            #expect(found.sorted() == permitted.sorted(), "seed \(random.seed) \(grant)")
            shown += found.count
            hidden += order.count - found.count
        }
        #expect(shown > 300 && hidden > 300)
        try await fixture.close()
    }

    @Test func aHiddenDeletionChangesNoStatusOfALaterVersion() async throws {
        var fixture = try await RecordsFixture()
        try await fixture.addWriter()
        try await fixture.addGrant("plain", scopes: "user/*.rs")
        let label = #"{"system":"\#(SecurityLabels.confidentialitySystem)","code":"R"}"#
        let restricted = observation("o", more: #","meta":{"security":[\#(label)]}"#)
        #expect(try await fixture.send(.put, "/fhir/Observation/o", body: restricted).status == 201)
        #expect(try await fixture.send(.delete, "/fhir/Observation/o").status == 204)
        #expect(try await fixture.send(.put, "/fhir/Observation/o", body: observation("o")).status == 201)
        for path in ["/fhir/Observation/o/_history", "/fhir/Observation/_history", "/fhir/_history"] {
            for (token, expected) in [("plain", ["200"]), (nil, ["201", "200", "201"])] {
                let (status, bundle) = try await fixture.get(path, token: token)
                #expect(status == 200)
                let statuses = bundle["entry"]?.array?.map { $0["response"]?["status"]?.string ?? "" }
                #expect(statuses == expected, "\(path) \(token ?? "team")")
            }
        }
        try await fixture.close()
    }

    @Test func callerWithoutSearchPermissionIsRefused() async throws {
        var fixture = try await RecordsFixture()
        try await fixture.put(observation("o"))
        try await fixture.addGrant("reads", scopes: "user/Observation.r")
        try await fixture.addGrant("devices", scopes: "user/Device.rs")
        for path in ["/fhir/_history", "/fhir/Observation/_history"] {
            #expect(try await fixture.get(path, token: "reads").0 == 403)
        }
        #expect(try await fixture.get("/fhir/Observation/_history", token: "devices").0 == 403)
        let (status, bundle) = try await fixture.get("/fhir/_history", token: "devices")
        #expect(status == 200 && versions(bundle).isEmpty && bundle["total"] == nil)
        #expect(try await fixture.get("/fhir/_history", token: "nobody").0 == 401)
        try await fixture.close()
    }

    // MARK: Rows

    @Test func historyQueriesUseAnIndexInItsOrder() async throws {
        let fixture = try await RecordsFixture()
        let grant = try AccessGrant(
            client: "app", role: .practitioner, patients: .only(["a"]), scopes: AccessScopes("user/*.rs"))
        let filter = Policy().filter(grant, .historyOfType, at: start)
        let query = try HistoryQuery(
            type: "Observation", parameters: [("_since", "2026-01-01"), ("_at", "2026-02")], strict: true)
        for shown in [filter, .everything] {
            let statement = try await fixture.database.read {
                try HistoryStatement(type: "Observation", query, showing: shown, in: $0)
            }
            let queries = statement.queries(before: .end, limit: 5)
            for (query, index) in zip(queries, ["record_by_update", "record_former_by_update"]) {
                let plan = try await fixture.database.read { try QueryPlan(query.sql, query.parameters, in: $0) }
                #expect(plan.uses(index: index) && !plan.readsAll, "\(plan)")
                if TestEngine.chosen == .sqlite { #expect(!plan.sorts, "\(plan)") }
            }
            for query in statement.totals {
                let plan = try await fixture.database.read { try QueryPlan(query.sql, query.parameters, in: $0) }
                #expect(!plan.readsAll, "\(plan)")
            }
        }
        let plan = try await fixture.database.read {
            try QueryPlan(HistoryStatement.versionSQL, [SQLValue(1), SQLValue(1)], in: $0)
        }
        #expect(!plan.readsAll, "\(plan)")
        try await fixture.close()
    }

    @Test func aLoadOfFirstVersionsWritesNoRow() async throws {
        let fixture = try await RecordsFixture()
        for number in 0..<20 { try await fixture.put(observation("o\(number)")) }
        let rows = try await fixture.database.read { try $0.rowTexts(of: "record_former") }
        #expect(rows.isEmpty)
        try await fixture.close()
    }

    @Test func versionsOfADeletedParticipantAreRemoved() async throws {
        let fixture = try await RecordsFixture()
        for status in ["final", "amended"] {
            for patient in ["a", "b"] {
                try await fixture.put(
                    observation("o-\(patient)", of: patient, more: #","status":"\#(status)""#),
                    submission: status + patient)
            }
        }
        _ = try await fixture.database.write { try RecordStore().delete(about: "a", keeping: [], in: $0) }
        #expect(try await all("/fhir/_history", in: fixture).count == 2)
        try await fixture.close()
    }
}
