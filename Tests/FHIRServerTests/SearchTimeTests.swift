import FHIR
import Foundation
import HTTPTypes
import Testing

/// Time limits of searches: no request uses the database for longer than its limit.
@Suite struct SearchTimeTests {
    private func fixture() async throws -> RecordsFixture {
        var fixture = try await RecordsFixture()
        try await fixture.addWriter()
        _ = try await fixture.send(.put, "/fhir/Observation/a", body: observation("a"))
        return fixture
    }

    @Test(arguments: [
        "Observation?code=8867-4", "Patient?_has:Observation:patient:code=x", "_history", "Observation/_history",
        "Observation/a/_history",
    ])
    func aRequestThatTakesTooLongIsTooCostly(path: String) async throws {
        var fixture = try await fixture()
        #expect(try await fixture.get("/fhir/\(path)", token: "writer").0 == 200)
        fixture.searchTime = .zero
        let (status, outcome) = try await fixture.get("/fhir/\(path)", token: "writer")
        #expect(status == 400 && outcome["issue"]?[0]?["code"] == "too-costly" && code(outcome) == "too-costly")
        // A request with an id needs no search.
        #expect(try await fixture.get("/fhir/Observation/a", token: "writer").0 == 200)
        try await fixture.close()
    }

    @Test func entriesOfABundleHaveItsTimeTogether() async throws {
        var fixture = try await fixture()
        fixture.searchTime = .zero
        let entries = ["Observation?code=8867-4", "Observation/a", "Observation/_history"].map {
            #"{"request":{"method":"GET","url":"\#($0)"}}"#
        }
        let bundle = #"{"resourceType":"Bundle","type":"batch","entry":[\#(entries.joined(separator: ","))]}"#
        let answer = try await fixture.send(.post, "/fhir", body: bundle)
        let statuses = answer.json["entry"]?.array?.map { $0["response"]?["status"]?.string?.prefix(3) }
        #expect(answer.status == 200 && statuses == ["400", "200", "400"], "\(answer.json)")
        let whole = try await fixture.send(
            .post, "/fhir", body: bundle.replacingOccurrences(of: "batch", with: "transaction"))
        #expect(whole.status == 400 && code(whole.json) == "too-costly", "\(whole.json)")
        try await fixture.close()
    }

    /// For any short time that each of them takes.
    @Test func conditionalWritesOfABatchShareItsTime() async throws {
        var fixture = try await fixture()
        fixture.searchTime = .milliseconds(20)
        let searched = (0..<300).map { number in
            let body = #"{"resourceType":"Basic","identifier":[{"system":"urn:s","value":"\#(number)"}]}"#
            return #"{"request":{"method":"PUT","url":"Basic?identifier=urn:s|\#(number)"},"resource":\#(body)}"#
        }
        let batch =
            #"{"resourceType":"Bundle","type":"batch","entry":[\#(searched.joined(separator: ","))]}"#
        let answer = try await fixture.send(.post, "/fhir", body: batch)
        let responses = answer.json["entry"]?.array?.compactMap { $0["response"] } ?? []
        let refused = responses.filter { $0["status"]?.string?.hasPrefix("400") == true }
        #expect(answer.status == 200 && responses.count == 300)
        #expect(!refused.isEmpty && refused.allSatisfy { code($0["outcome"] ?? .null) == "too-costly" })
        fixture.searchTime = .seconds(3_600)
        let (status, stored) = try await fixture.get("/fhir/Basic?_summary=count", token: "writer")
        #expect(status == 200 && stored["total"]?.number?.text == String(300 - refused.count))
        try await fixture.close()
    }

    @Test func aConditionalWriteThatTakesTooLongWritesNothing() async throws {
        var fixture = try await fixture()
        fixture.searchTime = .zero
        let rows = try await fixture.rows
        let answer = try await fixture.send(
            .put, "/fhir/Observation?code=8867-4", body: observation("a", code: "another"))
        #expect(answer.status == 400 && code(answer.json) == "too-costly")
        #expect(try await fixture.rows == rows)
        try await fixture.close()
    }
}
