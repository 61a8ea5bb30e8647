import FHIR
import Foundation
import Storage
import StorageTestSupport
import TestSupport
import Testing

@testable import FHIRSearch
@testable import RecordStorage
@testable import SearchStatements

@Suite struct RecordStoreTests {
    @Test func theSameBytesMakeNoNewVersionAndOthersDo() async throws {
        let fixture = try await RecordsFixture()
        let first = try await fixture.put(observation("a"))
        #expect(first.became == [.created: 1])
        let again = try await fixture.put(observation("a"))
        #expect(again.became == [.unchanged: 1])
        let other = try await fixture.put(observation("a", code: "2708-6"))
        #expect(other.became == [.updated: 2])
        try await fixture.close()
    }

    @Test func aRecordIsReadWithItsDigitsAndTheServersVersion() async throws {
        let fixture = try await RecordsFixture()
        try await fixture.put(
            #"{"resourceType":"Observation","unknown":[1.50],"id":"a","meta":{"tag":[{"code":"x"}],"versionId":"9"}}"#)
        let (status, json) = try await fixture.get("/fhir/Observation/a")
        #expect(status == 200)
        #expect(json["unknown"]?.text() == "[1.50]")
        #expect(json["meta"]?["tag"] == [["code": "x"]])
        #expect(json["meta"]?["versionId"] == "1")
        #expect(json["meta"]?["lastUpdated"]?.string.flatMap { DateTime($0) }?.precision == .fraction)
        try await fixture.close()
    }

    @Test func membersOfTheServerComeFirstAndOthersKeepTheirOrder() async throws {
        let fixture = try await RecordsFixture()
        try await fixture.put(
            #"{"status":"final","_id":{"extension":[]},"meta":{"source":"s"},"resourceType":"Observation","id":"a","x":{"b":1e2,"a":0.10}}"#
        )
        let (_, json) = try await fixture.get("/fhir/Observation/a")
        #expect(json.object?.keys == ["resourceType", "id", "meta", "status", "_id", "x"])
        #expect(json["meta"]?.object?.keys == ["source", "versionId", "lastUpdated"])
        #expect(json["x"]?.text() == #"{"b":1e2,"a":0.10}"#)
        try await fixture.close()
    }

    @Test func contentIsStoredUnchangedWithItsProvenance() async throws {
        let fixture = try await RecordsFixture()
        let content = Data("{ \"resourceType\" : \"Observation\",\n\"id\":\"other\", \"value\" : 1.00 }".utf8)
        let original = OriginalContent(bytes: Data("{old}".utf8), fhirVersion: "1.0.2")
        let received = try #require(DateTime.init("2026-01-02T03:04:05.006Z")?.start())
        let provenance = RecordProvenance(submissionID: "s9", clientID: "c9", keyID: nil, receivedAt: received)
        let store = fixture.store
        let row = try await fixture.database.write { transaction in
            try store.put(
                try Resource(content), content: content, original: original, id: "mine", provenance: provenance,
                at: received, in: transaction)
            let record = try #require(try store.read(type: "Observation", id: "mine", in: transaction))
            #expect(record.content == content)
            #expect(record.provenance == provenance)
            #expect(try record.resource().id == "mine", "the id it is stored under, not the one inside")
            return try #require(try transaction.first("SELECT * FROM record_history"))
        }
        #expect(try row.blob("original") == original.bytes)
        #expect(try row.text("original_fhir_version") == "1.0.2")
        #expect(try row.blob("digest").count == 16)
        try await fixture.close()
    }

    @Test func damagedContentIsReportedAsCorrupt() async throws {
        let fixture = try await RecordsFixture()
        try await fixture.put(observation("a"))
        let store = fixture.store
        let error = await #expect(throws: StorageError.self) {
            try await fixture.database.write { transaction in
                let row = try #require(try transaction.first("SELECT content FROM record_version"))
                var content = try row.blob("content")
                #expect(content.range(of: Data("Observation".utf8)) == nil, "it is compressed")
                content[content.count - 5] ^= 1
                try transaction.execute("UPDATE record_version SET content = ?", [SQLValue(content)])
                _ = try store.read(type: "Observation", id: "a", in: transaction)
            }
        }
        #expect(error?.code == "storage-corrupt")
        try await fixture.close()
    }

    @Test func goingBackToAnEarlierContentIsANewVersion() async throws {
        let fixture = try await RecordsFixture()
        try await fixture.put(observation("a"))
        try await fixture.put(observation("a", code: "2708-6"))
        #expect(try await fixture.put(observation("a")).became == [.updated: 3])
        let last = try await fixture.put(observation("a"))
        #expect(last.became == [.unchanged: 3])
        try await fixture.close()
    }

    @Test(arguments: [
        (#"{"resourceType":"Patient","id":"x"}"#, "x"),
        (#"{"resourceType":"Consent","id":"x","patient":{"reference":"Patient/p1"}}"#, "p1"),
        (
            #"{"resourceType":"Contract","id":"x","subject":[{"reference":"Group/g"}],"signer":[{"party":{"reference":"Organization/o"}},{"party":{"reference":"Patient/p1"}}]}"#,
            "p1"
        ),
        (#"{"resourceType":"Device","id":"x","patient":{"reference":"Patient/p1"}}"#, "p1"),
        (#"{"resourceType":"Observation","id":"x","subject":{"reference":"Group/g"}}"#, ""),
        (#"{"resourceType":"Observation","id":"x"}"#, ""),
    ])
    func aResourceBelongsToThePersonItIsAbout(json: String, subject: String) async throws {
        let fixture = try await RecordsFixture()
        try await fixture.put(json)
        let store = fixture.store
        let type = try Resource(Data(json.utf8)).resourceType
        for participant in ["p1", "x"] {
            let isFree = try await fixture.database.read { try store.areFree([(type, "x")], for: participant, in: $0) }
            #expect(isFree == (participant == subject))
        }
        try await fixture.close()
    }

    /// JSON permits a NUL character in a text; no index can store it, and the resource must not wait forever.
    @Test func aTextWithAZeroByteIsStored() async throws {
        let fixture = try await RecordsFixture()
        let zero = "\\u0000"
        try await fixture.put(
            #"{"resourceType":"Observation","id":"a","identifier":[{"value":"x\#(zero)"},{"value":"y"}],"code":{"coding":[{"system":"\#(zero)","code":"z"}]}}"#
        )
        #expect(try await fixture.ids("/fhir/Observation?identifier=y") == ["a"])
        #expect(try await fixture.get("/fhir/Observation/a").1["identifier"]?[0]?["value"] == "x\u{0}")
        try await fixture.close()
    }

    @Test func everyVersionStaysReadable() async throws {
        let fixture = try await RecordsFixture()
        try await fixture.put(observation("a"))
        try await fixture.put(observation("a", code: "2708-6"))
        let first = try await fixture.get("/fhir/Observation/a/_history/1").1
        let second = try await fixture.get("/fhir/Observation/a/_history/2").1
        #expect(first["code"] != second["code"])
        let history = try await fixture.get("/fhir/Observation/a/_history").1
        #expect(history["total"] == 2)
        #expect(history["entry"]?[0]?["resource"]?["meta"]?["versionId"] == "2")
        #expect(try await fixture.get("/fhir/Observation/a/_history/3").0 == 404)
        try await fixture.close()
    }

    @Test(
        arguments: [
            "_id=a", "code=http://loinc.org|8867-4", "code=|8867-4", "identifier=urn:x|a%5C%7Cv", "subject=Patient/p1",
            "patient=p1", "date=2026", "date=ge2026-01-01&date=lt2027", "_lastUpdated=gt2020-01-01",
            "code=8867-4&subject=p1&date=2026-03-01",
        ])
    func everySearchUsesAnIndex(query: String) async throws {
        let fixture = try await RecordsFixture()
        let parameters = query.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1)
            return (name: String(parts[0]), value: String(parts[1]).removingPercentEncoding ?? "")
        }
        let search = try SearchQuery(type: "Observation", parameters: parameters, strict: true, now: Date())
        let plan = try await fixture.database.read {
            let statement = try SearchStatement(
                search, showing: .everything, in: $0)
            let page = try #require(statement.records(limit: 10))
            return try QueryPlan(page.sql, page.parameters, in: $0)
        }
        #expect(!plan.readsAll, "\(plan)")
        try await fixture.close()
    }

    @Test func currentVersionsAreReadByTheirNumbers() async throws {
        let fixture = try await RecordsFixture()
        let plans = try await fixture.database.read {
            [
                try QueryPlan(RecordStore.presentSQL, [1, 1, 500], in: $0),
                try QueryPlan(RecordStore.presentVersionsSQL, [1, 500], in: $0),
            ]
        }
        for plan in plans { #expect(!plan.readsAll, "\(plan)") }
        try await fixture.close()
    }

    @Test func pageOfVersionsBeginsAtTheNumberOfTheRecords() async throws {
        let fixture = try await RecordsFixture()
        let plan = try await fixture.database.read { transaction in
            // With PostgreSQL's plan for many records: both in the order of their numbers.
            if transaction.dialect == .postgresql {
                for way in ["nestloop", "hashjoin"] { try transaction.execute("SET LOCAL enable_\(way) = off") }
            }
            return (transaction.dialect, try QueryPlan(RecordStore.presentSQL, [1, 1, 500], in: transaction))
        }
        if plan.0 == .postgresql {
            #expect(plan.1.lines.count { $0.contains("Index Cond: (") && $0.contains("number > ") } == 2, "\(plan.1)")
        }
        try await fixture.close()
    }

    // MARK: Several records at once

    private static func numbered(_ number: Int, value: Int = 1) throws -> NewRecord {
        let content = Data(
            #"{"resourceType":"Observation","id":"o\#(number)","subject":{"reference":"Patient/p"},"valueInteger":\#(value)}"#
                .utf8)
        return try NewRecord(Resource(content), id: "o\(number)", content: content)
    }

    /// Also if ids are known or occur twice.
    @Test func resourcesOfAnArrayAreStoredLikeSingleOnes() async throws {
        var random = Seeded.fresh()
        let seed = random.seed
        let first = try (0..<25).map { try Self.numbered($0 * 3) }
        let then = try (0..<120).map { _ in
            try Self.numbered(.random(in: 0..<90, using: &random), value: .random(in: 1...3, using: &random))
        }
        var stored: [[String]] = []
        for isTogether in [false, true] {
            let fixture = try await RecordsFixture()
            var results: [String] = []
            for (submission, new) in [("a", first), ("b", then)] {
                let at = Date(timeIntervalSince1970: submission == "a" ? 1_790_000_000 : 1_790_000_060)
                results += try await fixture.database.write { transaction in
                    let provenance = RecordProvenance(
                        submissionID: submission, clientID: "c", keyID: nil, receivedAt: at)
                    return try RecordStore().write(provenance, at: at, in: transaction) { writer in
                        let stored = try isTogether ? writer.put(contentsOf: new) : new.map { try writer.put($0) }
                        return zip(new, stored).map { "\($0.id) \($1.outcome) \($1.version)" }
                    }
                }
            }
            results += try await fixture.database.read { transaction in
                try transaction.query(
                    """
                    SELECT r.id, r.version, v.version AS one, v.digest FROM record r
                    JOIN record_version v ON v.number = r.number ORDER BY r.id, v.version
                    """
                ).map {
                    "\(try $0.text("id")) \(try $0.integer("version")) \(try $0.integer("one")) \(try $0.blob("digest"))"
                }
            }
            let entries = try await fixture.database.read {
                try $0.first("SELECT count(*) AS n FROM record_term")?.integer("n")
            }
            results.append("\(entries ?? 0) terms")
            stored.append(results)
            try await fixture.close()
        }
        #expect(stored[0] == stored[1], "seed \(seed)")
        #expect(stored[0].count > 250)
    }
}
