import FHIR
import Foundation
import Storage
import StorageTestSupport
import Testing

@testable import Records

@Suite struct RecordStoreTests {
    @Test func theSameBytesMakeNoNewVersionAndOthersDo() async throws {
        let fixture = try await RecordsFixture()
        let first = try await fixture.put(observation("a"))
        #expect(first.version == [.created: "Observation/a/_history/1"])
        let again = try await fixture.put(observation("a"))
        #expect(again.version == [.unchanged: "Observation/a/_history/1"])
        let other = try await fixture.put(observation("a", code: "2708-6"))
        #expect(other.version == [.updated: "Observation/a/_history/2"])
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

    @Test func theServersMembersComeFirstAndNothingElseMoves() async throws {
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

    @Test func theBytesAreKeptAsTheyCameWithWhereTheyCameFrom() async throws {
        let fixture = try await RecordsFixture()
        let content = Data("{ \"resourceType\" : \"Observation\",\n\"id\":\"other\", \"value\" : 1.00 }".utf8)
        let original = OriginalContent(bytes: Data("{old}".utf8), fhirVersion: "1.0.2")
        let received = try #require(DateTime("2026-01-02T03:04:05.006Z")?.start())
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
        #expect(try row.blob("digest").count == 32)
        try await fixture.close()
    }

    @Test func aDamagedContentIsAnErrorThatSaysSo() async throws {
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
        #expect(try await fixture.put(observation("a")).version == [.updated: "Observation/a/_history/3"])
        let last = try await fixture.put(observation("a"))
        #expect(last.version == [.unchanged: "Observation/a/_history/3"])
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

    /// JSON permits a zero byte in a text; no index can hold it, and the resource must not wait for ever.
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
    func everySearchGoesByAnIndex(query: String) async throws {
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

    @Test func presentVersionsAreReadByTheirNumbers() async throws {
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

    @Test func aPageOfVersionsBeginsWhereThatOfTheRecordsDoes() async throws {
        let fixture = try await RecordsFixture()
        let plan = try await fixture.database.read { transaction in
            // As PostgreSQL plans it for many records: both in the order of their numbers.
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
}
