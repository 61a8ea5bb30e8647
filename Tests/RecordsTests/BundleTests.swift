import FHIR
import Foundation
import Testing
import Trust

@testable import Records

/// Batches and transactions.
@Suite struct BundleTests {
    private func fixture() async throws -> RecordsFixture {
        var fixture = try await RecordsFixture()
        try await fixture.addWriter()
        return fixture
    }

    private func bundle(_ type: String, _ entries: String...) -> String {
        #"{"resourceType":"Bundle","type":"\#(type)","entry":[\#(entries.joined(separator: ","))]}"#
    }

    private func entry(
        _ method: String, _ url: String, _ resource: String? = nil, fullURL: String? = nil, _ more: String = ""
    ) -> String {
        let body = resource.map { #","resource":\#($0)"# } ?? ""
        let full = fullURL.map { #""fullUrl":"\#($0)","# } ?? ""
        return #"{\#(full)"request":{"method":"\#(method)","url":"\#(url)"\#(more)}\#(body)}"#
    }

    @Test func aTransactionLinksItsEntriesAndAnswersInTheirOrder() async throws {
        let fixture = try await fixture()
        _ = try await fixture.send(.put, "/fhir/Basic/old", body: #"{"resourceType":"Basic","id":"old"}"#)
        let uuid = "urn:uuid:05efabf0-4be2-4561-91ce-51548425acb9"
        let answer = try await fixture.send(
            .post, "/fhir",
            body: bundle(
                "transaction", entry("GET", "Observation?code=8867-4"),
                entry(
                    "POST", "Observation",
                    observation("x", subject: "SELF").replacingOccurrences(of: "Patient/SELF", with: uuid)),
                entry("POST", "Patient", #"{"resourceType":"Patient","active":true}"#, fullURL: uuid),
                entry("DELETE", "Basic/old")))
        #expect(answer.status == 200 && answer.json["type"] == "transaction-response", "\(answer.json)")
        let entries = try #require(answer.json["entry"]?.array)
        #expect(entries.map { $0["response"]?["status"]?.string?.prefix(3) } == ["200", "201", "201", "204"])
        let patient = try #require(entries[2]["resource"]?["id"]?.string)
        #expect(entries[1]["resource"]?["subject"]?["reference"]?.string == "Patient/\(patient)")
        // What reads comes last.
        #expect(entries[0]["resource"]?["total"] == 1)
        #expect(try await fixture.ids("/fhir/Observation?subject=\(patient)").count == 1)
        try await fixture.close()
    }

    @Test func aTransactionIsDoneWholeOrNotAtAll() async throws {
        let fixture = try await fixture()
        _ = try await fixture.send(.put, "/fhir/Observation/a", body: observation("a"))
        let rows = try await fixture.rows
        let wrong = [
            entry("PUT", "Observation/a", observation("a", code: "y"), #","ifMatch":"W/\"9\"""#),
            entry("POST", "Observation", #"{"resourceType":"Patient"}"#),
            entry("PUT", "Observation/a", observation("b")),
            entry("POST", "AuditEvent", #"{"resourceType":"AuditEvent"}"#), entry("DELETE", "Observation/new"),
            entry("GET", "Observation/none"), entry("GET", "Observation/a/_history/7"), entry("GET", "Nothing"),
            entry("GET", "Patient/none/$everything"), entry("GET", "Observation/none/_history"),
            entry("GET", "Observation?code:nothing=x"), entry("POST", "Observation/_search?date=nonsense"),
            entry("GET", "Observation/a/b"), entry("PURGE", "Observation/a"),
            entry("POST", "Basic", #"{"resourceType":"Basic","subject":{"reference":"Patient?identifier=none"}}"#),
            entry("PUT", "Observation/new", observation("new")),
        ]
        for (place, wrong) in wrong.enumerated() {
            let answer = try await fixture.send(
                .post, "/fhir", body: bundle("transaction", entry("PUT", "Observation/new", observation("new")), wrong))
            #expect((400..<500).contains(answer.status), "\(place)")
            #expect(
                answer.json["issue"]?[0]?["diagnostics"]?.string?.contains("Entry 2") == true, "\(place) \(answer.json)"
            )
            #expect(try await fixture.rows == rows, "\(place)")
        }
        try await fixture.close()
    }

    @Test func whatASearchFindsIsReferredTo() async throws {
        let fixture = try await fixture()
        let patient = #"{"resourceType":"Patient","id":"p9","identifier":[{"system":"urn:s","value":"1"}]}"#
        _ = try await fixture.send(.put, "/fhir/Patient/p9", body: patient)
        let about = observation("x").replacingOccurrences(of: "Patient/p1", with: "Patient?identifier=urn:s|1")
        let condition = #","ifNoneExist":"identifier=urn:s|1""#
        let answer = try await fixture.send(
            .post, "/fhir",
            body: bundle(
                "transaction", entry("POST", "Observation", about),
                entry("POST", "Patient", patient, fullURL: "urn:uuid:1", condition),
                entry("POST", "Basic", #"{"resourceType":"Basic","subject":{"reference":"urn:uuid:1"}}"#)))
        let entries = answer.json["entry"]?.array ?? []
        #expect(
            entries.map { $0["response"]?["status"]?.string?.prefix(3) } == ["201", "200", "201"], "\(answer.json)")
        #expect(entries.first?["resource"]?["subject"]?["reference"] == "Patient/p9")
        #expect(entries.last?["resource"]?["subject"]?["reference"] == "Patient/p9")
        try await fixture.close()
    }

    @Test func aBatchDoesWhatItCan() async throws {
        let fixture = try await fixture()
        let answer = try await fixture.send(
            .post, "/fhir",
            body: bundle(
                "batch", entry("PUT", "Observation/a", observation("a")), entry("GET", "Observation/none"),
                entry("POST", "Observation", "{}"), entry("GET", "Observation/a"),
                entry(
                    "PATCH", "Observation/a",
                    #"{"resourceType":"Binary","contentType":"application/json","data":"eyJzdGF0dXMiOiJhbWVuZGVkIn0="}"#
                ),
                entry("GET", "Observation/a/_history/1")))
        let entries = answer.json["entry"]?.array ?? []
        #expect(
            entries.map { $0["response"]?["status"]?.string?.prefix(3) } == ["201", "404", "400", "200", "200", "200"],
            "\(answer.json)")
        #expect(entries[1]["response"]?["outcome"]?["resourceType"] == "OperationOutcome")
        #expect(entries[4]["resource"]?["status"] == "amended")
        try await fixture.close()
    }

    /// An entry is answered as a request that comes alone.
    @Test(arguments: [
        "Observation/a", "Observation/a/_history/1", "Observation?code=8867-4", "?_type=Patient,Observation&_count=1",
        "Patient/p1/Observation?_count=1", "Patient/p1/*", "_history", "Observation/_history?_count=1",
        "Observation/a/_history", "Observation/a?_summary=true", "Observation/a?_elements=code,status",
        "Observation/a/_history/1?_format=json", "Patient/p1/$everything",
        "Patient/p1/$everything?_type=Observation&_count=1",
        "Observation/a/_history?_count=1", "Observation?_summary=count", "Observation?code=http://loinc.org|8867-4",
        "StructureDefinition/grip", "StructureDefinition?url=urn:example:grip",
    ])
    func whatReadsIsAnsweredAtAnyAddress(url: String) async throws {
        var fixture = try await fixture()
        fixture.published = [PublishedResourcesTests.definition.object]
        _ = try await fixture.send(.put, "/fhir/Patient/p1", body: #"{"resourceType":"Patient","id":"p1"}"#)
        for id in ["a", "b"] { _ = try await fixture.send(.put, "/fhir/Observation/\(id)", body: observation(id)) }
        let alone = try await fixture.send(
            .get, "/fhir" + (url.hasPrefix("?") ? "" : "/") + url.replacingOccurrences(of: "|", with: "%7C"))
        for (kind, prefix) in [("batch", ""), ("batch", "/"), ("transaction", ""), ("batch", "http://localhost/fhir/")]
        {
            if prefix.hasSuffix("/"), url.hasPrefix("?") { continue }
            let answer = try await fixture.send(.post, "/fhir", body: bundle(kind, entry("GET", prefix + url)))
            #expect(
                alone.status == 200 && answer.json["entry"]?[0]?["response"]?["status"] == "200 OK",
                "\(prefix + url) \(answer.json)")
            #expect(answer.json["entry"]?[0]?["resource"] == alone.json)
            #expect(answer.json["entry"]?[0]?["response"]?["etag"]?.string == alone.headers[.eTag])
        }
        try await fixture.close()
    }

    @Test func conditionalReadsAndPostsAreAnsweredAsAlone() async throws {
        let fixture = try await fixture()
        for id in ["a", "b"] { _ = try await fixture.send(.put, "/fhir/Observation/\(id)", body: observation(id)) }
        let form = Data("code=8867-4&_count=1".utf8).base64EncodedString()
        let parameters =
            #"{"resourceType":"Parameters","parameter":[{"name":"code","valueString":"8867-4"},{"name":"_count","valueInteger":1}]}"#
        let answer = try await fixture.send(
            .post, "/fhir",
            body: bundle(
                "batch", entry("GET", "Observation/a", nil, #","ifNoneMatch":"W/\"1\"""#),
                entry("GET", "Observation/a", nil, #","ifNoneMatch":"W/\"2\"""#),
                entry("GET", "Observation/a", nil, #","ifModifiedSince":"2000-01-01T00:00:00Z""#),
                entry("GET", "Observation/a", nil, #","ifModifiedSince":"2100-01-01T00:00:00Z""#),
                entry("POST", "Observation/_search?code=8867-4&_count=1"),
                entry("POST", "Observation/_search", parameters),
                entry(
                    "POST", "Observation/_search",
                    #"{"resourceType":"Binary","contentType":"application/x-www-form-urlencoded","data":"\#(form)"}"#),
                entry("POST", "Observation/$validate", observation("x")), entry("POST", "_search?_type=Observation"),
                entry("HEAD", "Observation/b")))
        let entries = answer.json["entry"]?.array ?? []
        #expect(
            entries.map { $0["response"]?["status"]?.string?.prefix(3) }
                == ["304", "200", "200", "304", "200", "200", "200", "200", "200", "200"], "\(answer.json)")
        #expect(entries[0]["resource"] == nil && entries[0]["response"]?["etag"] == "W/\"1\"")
        for place in 4...6 { #expect(entries[place]["resource"]?["entry"]?.array?.count == 1, "\(place)") }
        #expect(entries[7]["resource"]?["resourceType"] == "OperationOutcome")
        #expect(entries[1]["response"]?["lastModified"]?.string?.isEmpty == false)
        // Alone, too.
        let later = try await fixture.send(
            .get, "/fhir/Observation/a", headers: [.ifModifiedSince: "Fri, 01 Jan 2100 00:00:00 GMT"])
        #expect(later.status == 304)
        try await fixture.close()
    }

    /// Strict handling holds for entries as it does for a request that comes alone.
    @Test func entriesAreReadAsStrictlyAsTheBundle() async throws {
        let fixture = try await fixture()
        for (prefer, status) in [("handling=strict", "400"), ("handling=lenient", "200")] {
            let answer = try await fixture.send(
                .post, "/fhir", body: bundle("batch", entry("GET", "Observation?nonsense=1")),
                headers: [.contentType: "application/fhir+json", .prefer: prefer])
            #expect(
                answer.json["entry"]?[0]?["response"]?["status"]?.string?.prefix(3) == status[...], "\(answer.json)")
        }
        try await fixture.close()
    }

    @Test(arguments: [
        "/Patient/p1", "Observation/a/Patient", "a/b/c/d/e", "Patient/p1/$everything", "//", "Patient//_history/1", "x",
        "http://elsewhere.example/fhir/Patient", "Patient/p1/$nothing", "$export", "Patient/../metadata",
        "openapi.json",
    ])
    func whatNobodyReadsThereIsRefusedAtItsPlace(url: String) async throws {
        let fixture = try await fixture()
        let answer = try await fixture.send(
            .post, "/fhir", body: bundle("batch", entry("GET", url), entry("GET", "Patient")))
        let statuses = answer.json["entry"]?.array?.map { $0["response"]?["status"]?.string?.prefix(1) }
        #expect(answer.status == 400 || statuses == ["4", "2"], "\(url): \(answer.json)")
        try await fixture.close()
    }

    @Test func aBundleIsBounded() async throws {
        let fixture = try await fixture()
        let many = repeatElement(entry("DELETE", "Basic/a"), count: BundleEntry.most + 1).joined(separator: ",")
        let answer = try await fixture.send(.post, "/fhir", body: bundle("batch", many))
        #expect(answer.status == 413 && code(answer.json) == "too-many-entries")
        #expect(try await fixture.send(.post, "/fhir", body: bundle("collection")).status == 400)
        #expect(try await fixture.send(.post, "/fhir", body: observation("a")).status == 400)
        try await fixture.close()
    }
}
