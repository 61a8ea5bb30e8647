import FHIR
import Foundation
import Storage
import Testing

@testable import Records

@Suite struct RecordStoreTests {
    @Test func theSameBytesMakeNoNewVersionAndOthersDo() async throws {
        let fixture = try await RecordsFixture()
        #expect(try await fixture.put(observation("a")) == .created(versionID: "Observation/a/_history/1"))
        #expect(try await fixture.put(observation("a")) == .unchanged(versionID: "Observation/a/_history/1"))
        #expect(
            try await fixture.put(observation("a", code: "2708-6")) == .updated(versionID: "Observation/a/_history/2"))
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

    @Test(arguments: [
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
        let statement = SearchStatement(search)
        let plan = try await fixture.database.read { transaction in
            try transaction.query(
                "EXPLAIN QUERY PLAN " + statement.page,
                statement.parameters + [SQLValue(Int64(0)), SQLValue(Int64(10))]
            ).map { try $0.text("detail") }
        }
        #expect(!plan.contains { $0.hasPrefix("SCAN") }, "\(plan)")
        try await fixture.close()
    }
}
