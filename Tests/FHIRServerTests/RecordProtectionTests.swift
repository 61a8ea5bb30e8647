import FHIR
import Foundation
import Storage
import StorageTestSupport
import TestSupport
import Testing

@testable import AccessPolicy
@testable import FHIRHTTP
@testable import FHIRSearch
@testable import FHIRServer
@testable import RecordStorage
@testable import SearchStatements

/// Access by the rows that are stored with the records.
@Suite struct RecordProtectionTests {
    private static let types = ["Observation", "Device", "Contract", "Patient"]
    private static let patients = ["a", "b", "c"]
    private static let sensitivities = ["ETH", "SUD", "ETHUD", "PSY", "HIV", "DEMO"]
    /// Queries that limit scopes; some of them match no record, since they cannot be answered.
    private static let queries = [
        "?subject=Patient/a", "?patient=b", "?_id=r4,r5,r6,r7,r8", "?subject:missing=true", "?_security=urn:other|x",
        "?performer=Patient/c&subject=Patient/a", "?_lastUpdated=lt2000", "?nonsense=1", "?code:in=http://x",
    ]
    private let now = Date(timeIntervalSince1970: 1_790_000_000)

    // MARK: Random records and grants

    private func subset(_ values: [String], oneIn: Int, _ random: inout Seeded) -> [String] {
        values.filter { _ in Int.random(in: 0..<oneIn, using: &random) == 0 }
    }

    /// Returns a resource of one, several or no patients, with labels in itself and in its contained resources.
    private func resource(_ id: String, type: String, _ random: inout Seeded) -> String {
        var labels = subset(Self.sensitivities, oneIn: 8, &random).map {
            #"{"system":"\#(SecurityLabels.sensitivitySystem)","code":"\#($0)"}"#
        }
        if Int.random(in: 0..<12, using: &random) == 0 { labels.append(#"{"system":"urn:other","code":"x"}"#) }
        if Int.random(in: 0..<3, using: &random) == 0 {
            let code = "ULMNRV".randomElement(using: &random) ?? "N"
            labels.append(#"{"system":"\#(SecurityLabels.confidentialitySystem)","code":"\#(code)"}"#)
        }
        let meta = #""meta":{"security":[\#(labels.joined(separator: ","))]}"#
        let protected =
            labels.isEmpty
            ? "" : Bool.random(using: &random) ? "," + meta : #","contained":[{"resourceType":"Group",\#(meta)}]"#
        let owners = subset(Self.patients, oneIn: 2, &random).map { #"{"reference":"Patient/\#($0)"}"# }
        var references = ""
        switch type {
        case "Observation":
            if let first = owners.first { references = #","subject":\#(first)"# }
            if owners.count > 1 { references += #","performer":[\#(owners.dropFirst().joined(separator: ","))]"# }
            // A reference without an id names no patient.
            if owners.isEmpty, Bool.random(using: &random) { references = #","subject":{"identifier":{"value":"7"}}"# }
        case "Device": if let first = owners.first { references = #","patient":\#(first)"# }
        case "Contract": if !owners.isEmpty { references = #","subject":[\#(owners.joined(separator: ","))]"# }
        default: break
        }
        return #"{"resourceType":"\#(type)","id":"\#(id)"\#(references)\#(protected)}"#
    }

    /// Returns a grant of one to four parts.
    private func grant(_ random: inout Seeded) throws -> AccessGrant {
        var parts: [AccessPart] = []
        for _ in 0..<([1, 1, 2, 3, 4].randomElement(using: &random) ?? 1) { parts.append(try part(&random)) }
        if let first = parts.first, first.patients != .all, Bool.random(using: &random) {
            // The same scopes for other patients and for another time.
            for number in 1...3 {
                parts.append(
                    AccessPart(
                        patients: .only(Set(subset(Self.patients, oneIn: 2, &random))), scopes: first.scopes,
                        end: now.addingTimeInterval(Double(number) - 1)))
            }
        }
        return try AccessGrant(client: "app", role: .practitioner, parts: parts)
    }

    private func part(_ random: inout Seeded) throws -> AccessPart {
        let seesAll = Int.random(in: 0..<3, using: &random) == 0
        var scopes = (0..<Int.random(in: 1...3, using: &random)).map { _ in
            let type = Bool.random(using: &random) ? "*" : Self.types.randomElement(using: &random) ?? "*"
            let context = seesAll ? "user" : ["patient", "user"].randomElement(using: &random) ?? "user"
            let query =
                Int.random(in: 0..<3, using: &random) == 0 ? Self.queries.randomElement(using: &random) ?? "" : ""
            return "\(context)/\(type)." + (["rs", "s", "r", "cruds"].randomElement(using: &random) ?? "rs") + query
        }
        if Bool.random(using: &random) {
            scopes.append("conf/" + String("ULMNRV".randomElement(using: &random) ?? "N"))
        }
        scopes += subset(Self.sensitivities, oneIn: 3, &random).map { "sens/" + $0 }
        if Int.random(in: 0..<4, using: &random) == 0 { scopes.append("sens/*") }
        return AccessPart(
            patients: seesAll ? .all : .only(Set(subset(Self.patients, oneIn: 2, &random))),
            scopes: try AccessScopes(scopes.joined(separator: " ")),
            start: Int.random(in: 0..<8, using: &random) == 0 ? now.addingTimeInterval(1) : nil)
    }

    private func ids(
        _ type: String, by grant: AccessGrant, interaction: RecordInteraction, in fixture: RecordsFixture
    ) async throws -> [String] {
        let query = try SearchQuery(type: type, parameters: [("_count", "500")], strict: true, now: now)
        return try await fixture.database.read { transaction in
            let statement = try SearchStatement(
                query, showing: Policy().filter(grant, interaction, at: now),
                in: transaction)
            let page = try #require(statement.records(limit: 500))
            let rows = try transaction.query(page.sql, page.parameters)
            let total = try transaction.first(statement.totals()[0].sql, statement.totals()[0].parameters)
            #expect(try total?.integer("total") == Int64(rows.count))
            return try rows.map { try $0.text("id") }
        }
    }

    /// The statement selects the rows that the policy permits, row by row.
    @Test func statementAgreesWithThePolicy() async throws {
        let fixture = try await RecordsFixture()
        var random = Seeded.fresh()
        var records: [(id: String, resource: Resource)] = []
        for number in 0..<120 {
            let type = Self.types[number % Self.types.count]
            let id = type == "Patient" && number < 12 ? Self.patients[number / 4] : "r\(number)"
            // Some have had another owner and other labels before.
            for _ in 0...Int.random(in: 0...1, using: &random) {
                let json = resource(id, type: type, &random)
                try await fixture.put(json)
                records.removeAll { $0.id == id && $0.resource.resourceType == type }
                records.append((id, try Resource(Array(json.utf8))))
            }
        }
        var shown = 0
        var hidden = 0
        for _ in 0..<80 {
            let grant = try grant(&random)
            for type in Self.types {
                for interaction in [RecordInteraction.read, .searchType] {
                    let ofType = records.filter { $0.resource.resourceType == type }
                    let permitted = ofType.filter { record in
                        let facts = RecordFacts(
                            record.resource, storedAs: record.id, subject: nil, asking: grant.queries(of: type))
                        return Policy().decide(grant, interaction, record: facts, at: now).isPermitted
                    }
                    let found = try await ids(type, by: grant, interaction: interaction, in: fixture)
                    #expect(found.sorted() == permitted.map(\.id).sorted(), "seed \(random.seed) \(grant)")
                    shown += found.count
                    hidden += ofType.count - found.count
                }
            }
        }
        #expect(shown > 1000 && hidden > 1000)
        // The facts read from the rows are those that were written.
        for record in records {
            let stored = try await fixture.database.read {
                try RecordStore().facts(
                    ofType: record.resource.resourceType, id: record.id, asking: [], in: $0)?.facts
            }
            #expect(stored == RecordFacts(record.resource), "seed \(random.seed) \(record)")
        }
        try await fixture.close()
    }

    /// Its row still has its time and owner.
    @Test(arguments: [
        "date=ge2026", "patient=a", "subject=Patient/a", "_id=gone,kept", "_lastUpdated=ge2020", "code:not=y",
    ])
    func deletedRecordMatchesNoQueryOfAScope(query: String) async throws {
        var fixture = try await RecordsFixture()
        try await fixture.addWriter()
        for id in ["gone", "kept"] {
            try await fixture.put(FHIRServerTests.observation(id, subject: "a"))
        }
        #expect(try await fixture.send(.delete, "/fhir/Observation/gone").status == 204)
        let grant = try grant("user/Observation.rs?" + query, ["a"])
        let (found, facts) = try await fixture.database.read { transaction in
            let filter = try SQLFragment(
                showing: Policy().filter(grant, .read, at: now), type: "Observation", in: transaction)
            let rows = try transaction.query(
                "SELECT r.id AS id FROM record r WHERE r.type = 'Observation' AND " + filter.sql, filter.parameters)
            let facts = try RecordStore().facts(
                ofType: "Observation", id: "gone", asking: grant.queries(of: "Observation"), in: transaction)
            return (try rows.map { try $0.text("id") }, facts?.facts)
        }
        #expect(found == ["kept"])
        #expect(!Policy().decide(grant, .read, record: try #require(facts), at: now).isPermitted)
        try await fixture.close()
    }

    // MARK: Access of an app

    private static let restricted =
        #""meta":{"security":[{"system":"\#(SecurityLabels.confidentialitySystem)","code":"R"}]}"#

    private func observation(_ id: String, of patient: String, more: String = "") -> String {
        #"{"resourceType":"Observation","id":"\#(id)","subject":{"reference":"Patient/\#(patient)"}\#(more)}"#
    }

    private func grant(_ scopes: String, _ patients: Set<String>) throws -> AccessGrant {
        try AccessGrant(client: "app", role: .practitioner, patients: .only(patients), scopes: AccessScopes(scopes))
    }

    /// A hidden record is handled like a missing one: in a search, by its id, in its history.
    @Test func recordsOutsideTheGrantAreReportedAsMissing() async throws {
        let fixture = try await RecordsFixture()
        try await fixture.put(observation("mine", of: "a"))
        try await fixture.put(observation("other", of: "b"))
        try await fixture.put(observation("restricted", of: "a", more: "," + Self.restricted))
        let service = RecordsService(database: fixture.database, access: fixture.access, clock: { Date() })
        let mine = try grant("user/Observation.rs", ["a"])
        let found = try await service.search(
            .type("Observation"), parameters: [("_count", "1")], strict: true, url: "u", by: AuthenticatedCaller(mine)
        ).bundle
        #expect(found.total == 1 && found.entry.compactMap(\.resource?.id) == ["mine"])
        #expect(found.link.map(\.relation) == ["self"])
        #expect(try await service.read(type: "Observation", id: "mine", by: AuthenticatedCaller(mine)).id == "mine")
        for id in ["other", "restricted", "missing"] {
            let read = await #expect(throws: RecordsFailure.self) {
                try await service.read(type: "Observation", id: id, by: AuthenticatedCaller(mine))
            }
            let version = await #expect(throws: RecordsFailure.self) {
                try await service.read(type: "Observation", id: id, version: "1", by: AuthenticatedCaller(mine))
            }
            let history = await #expect(throws: RecordsFailure.self) {
                try await service.history(
                    type: "Observation", id: id, page: try HistoryPage([], strict: true), url: "u", by: mine)
            }
            for failure in [read, version, history] { #expect(failure?.code == "record-unknown") }
        }
        let wider = try grant("user/Observation.rs conf/R", ["a"])
        #expect(
            try await service.read(type: "Observation", id: "restricted", by: AuthenticatedCaller(wider)).id
                == "restricted")
        let noScope = await #expect(throws: RecordsFailure.self) {
            try await service.read(type: "Device", id: "d", by: AuthenticatedCaller(mine))
        }
        #expect(noScope?.status == .forbidden)
        try await fixture.close()
    }

    /// A version is shown if it and the newest version are permitted, so that the history of a reassigned or hidden
    /// record is not readable.
    @Test func versionIsVisibleOnlyIfTheNewestIs() async throws {
        let fixture = try await RecordsFixture()
        for (id, versions) in [
            ("moved", [observation("moved", of: "b"), observation("moved", of: "a")]),
            ("raised", [observation("raised", of: "a"), observation("raised", of: "a", more: "," + Self.restricted)]),
            (
                "lowered",
                [observation("lowered", of: "a", more: "," + Self.restricted), observation("lowered", of: "a")]
            ),
        ] {
            for (number, json) in versions.enumerated() {
                try await fixture.put(
                    json, received: now.addingTimeInterval(Double(number)), submission: "\(id)\(number)")
            }
        }
        let service = RecordsService(database: fixture.database, access: fixture.access, clock: { Date() })
        let mine = try grant("user/Observation.rs", ["a"])
        func versions(_ id: String) async throws -> [String] {
            try await service.history(
                type: "Observation", id: id, page: try HistoryPage([], strict: true), url: "u", by: mine
            )
            .bundle.entry.compactMap(\.resource?.meta?.versionId)
        }
        #expect(try await versions("moved") == ["2"])
        #expect(try await versions("lowered") == ["2"])
        for (id, version) in [("moved", "1"), ("lowered", "1"), ("raised", "1"), ("raised", "2")] {
            await #expect(throws: RecordsFailure.self) {
                try await service.read(type: "Observation", id: id, version: version, by: AuthenticatedCaller(mine))
            }
        }
        let staff = try await service.grant(bearer: fixture.token)
        let all = try await service.history(
            type: "Observation", id: "raised", page: try HistoryPage([], strict: true), url: "u", by: staff)
        #expect(all.head.total == 2 && all.entries.count == 2)
        try await fixture.close()
    }

    // MARK: Rows

    /// Shared records of a deleted participant are deleted too, and rows that name the participant next to others.
    @Test func deletingAParticipantLeavesNoRowOfTheirs() async throws {
        let fixture = try await RecordsFixture()
        let together = #","performer":[{"reference":"Patient/b"}]"#
        try await fixture.put(observation("both", of: "a", more: together))
        try await fixture.put(observation("mine", of: "a", more: "," + Self.restricted))
        try await fixture.put(observation("theirs", of: "b", more: "," + Self.restricted))
        let (theirs, removed) = try await fixture.database.write { transaction in
            let theirs = RecordStore.numbers(of: "a", "Observation")
            return (
                try transaction.query(theirs.sql, theirs.parameters).map { try $0.integer("number") },
                try RecordStore().delete(about: "a", keeping: [], in: transaction).removed
            )
        }
        #expect(theirs.sorted() == [1, 2])
        #expect(removed["record"]?.count == 2 && removed["record_protection"]?.count == 3)
        let left = try await fixture.database.read { try $0.query("SELECT kind, value FROM record_protection") }
        #expect(try left.map { try $0.text("kind") + $0.text("value") } == ["confidentiality4"])
        try await fixture.close()
    }

    @Test func theRowsOfARecordAreFoundByTheIndex() async throws {
        let fixture = try await RecordsFixture()
        let grant = try grant("user/*.rs", ["a"])
        let query = try SearchQuery(type: "Device", parameters: [("_count", "5")], strict: true, now: now)
        let statement = try await fixture.database.read {
            try SearchStatement(
                query, showing: Policy().filter(grant, .searchType, at: now), in: $0)
        }
        let page = try #require(statement.records(limit: 5))
        for (sql, parameters) in [
            (page.sql, page.parameters), (statement.totals()[0].sql, statement.totals()[0].parameters),
            (RecordProtection.rowsSQL, [SQLValue(1)]),
            (RecordStore.subjectSQL, [RecordKey.value(type: "Device", id: "d")]),
        ] {
            let plan = try await fixture.database.read { try QueryPlan(sql, parameters, in: $0) }
            #expect(!plan.readsAll, "\(plan)")
        }
        try await fixture.close()
    }
}
