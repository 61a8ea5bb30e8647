import FHIR
import Foundation
import Testing

@testable import FHIRServer

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
        _ method: String, url: String, resource: String? = nil, fullURL: String? = nil, more: String = ""
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
                "transaction", entry("GET", url: "Observation?code=8867-4"),
                entry(
                    "POST", url: "Observation",
                    resource: observation("x", subject: "SELF").replacingOccurrences(of: "Patient/SELF", with: uuid)),
                entry("POST", url: "Patient", resource: #"{"resourceType":"Patient","active":true}"#, fullURL: uuid),
                entry("DELETE", url: "Basic/old")))
        #expect(answer.status == 200 && answer.json["type"] == "transaction-response", "\(answer.json)")
        let entries = try #require(answer.json["entry"]?.array)
        #expect(entries.map { $0["response"]?["status"]?.string?.prefix(3) } == ["200", "201", "201", "204"])
        let patient = try #require(entries[2]["resource"]?["id"]?.string)
        #expect(entries[1]["resource"]?["subject"]?["reference"]?.string == "Patient/\(patient)")
        // Reading entries are processed last.
        #expect(entries[0]["resource"]?["total"] == 1)
        #expect(try await fixture.ids("/fhir/Observation?subject=\(patient)").count == 1)
        try await fixture.close()
    }

    @Test func transactionIsAtomic() async throws {
        let fixture = try await fixture()
        _ = try await fixture.send(.put, "/fhir/Observation/a", body: observation("a"))
        let rows = try await fixture.rows
        let wrong = [
            entry("PUT", url: "Observation/a", resource: observation("a", code: "y"), more: #","ifMatch":"W/\"9\"""#),
            entry("POST", url: "Observation", resource: #"{"resourceType":"Patient"}"#),
            entry("PUT", url: "Observation/a", resource: observation("b")),
            entry("POST", url: "AuditEvent", resource: #"{"resourceType":"AuditEvent"}"#),
            entry("DELETE", url: "Observation/new"),
            entry("GET", url: "Observation/none"), entry("GET", url: "Observation/a/_history/7"),
            entry("GET", url: "Nothing"),
            entry("GET", url: "Patient/none/$everything"), entry("GET", url: "Observation/none/_history"),
            entry("GET", url: "Observation?code:nothing=x"), entry("POST", url: "Observation/_search?date=nonsense"),
            entry("GET", url: "Observation/a/b"), entry("PURGE", url: "Observation/a"),
            entry(
                "POST", url: "Basic",
                resource: #"{"resourceType":"Basic","subject":{"reference":"Patient?identifier=none"}}"#),
            entry("PUT", url: "Observation/new", resource: observation("new")),
        ]
        for (index, wrong) in wrong.enumerated() {
            let answer = try await fixture.send(
                .post, "/fhir",
                body: bundle("transaction", entry("PUT", url: "Observation/new", resource: observation("new")), wrong))
            #expect((400..<500).contains(answer.status), "\(index)")
            #expect(
                answer.json["issue"]?[0]?["diagnostics"]?.string?.contains("Entry 2") == true, "\(index) \(answer.json)"
            )
            #expect(try await fixture.rows == rows, "\(index)")
        }
        try await fixture.close()
    }

    @Test func resultOfAConditionalReferenceIsReferenced() async throws {
        let fixture = try await fixture()
        let patient = #"{"resourceType":"Patient","id":"p9","identifier":[{"system":"urn:s","value":"1"}]}"#
        _ = try await fixture.send(.put, "/fhir/Patient/p9", body: patient)
        let about = observation("x").replacingOccurrences(of: "Patient/p1", with: "Patient?identifier=urn:s|1")
        let condition = #","ifNoneExist":"identifier=urn:s|1""#
        let answer = try await fixture.send(
            .post, "/fhir",
            body: bundle(
                "transaction", entry("POST", url: "Observation", resource: about),
                entry("POST", url: "Patient", resource: patient, fullURL: "urn:uuid:1", more: condition),
                entry("POST", url: "Basic", resource: #"{"resourceType":"Basic","subject":{"reference":"urn:uuid:1"}}"#)
            ))
        let entries = answer.json["entry"]?.array ?? []
        #expect(
            entries.map { $0["response"]?["status"]?.string?.prefix(3) } == ["201", "200", "201"], "\(answer.json)")
        #expect(entries.first?["resource"]?["subject"]?["reference"] == "Patient/p9")
        #expect(entries.last?["resource"]?["subject"]?["reference"] == "Patient/p9")
        try await fixture.close()
    }

    @Test func batchPerformsTheEntriesThatSucceed() async throws {
        let fixture = try await fixture()
        let answer = try await fixture.send(
            .post, "/fhir",
            body: bundle(
                "batch", entry("PUT", url: "Observation/a", resource: observation("a")),
                entry("GET", url: "Observation/none"),
                entry("POST", url: "Observation", resource: "{}"), entry("GET", url: "Observation/a"),
                entry(
                    "PATCH", url: "Observation/a",
                    resource:
                        #"{"resourceType":"Binary","contentType":"application/json","data":"eyJzdGF0dXMiOiJhbWVuZGVkIn0="}"#
                ),
                entry("GET", url: "Observation/a/_history/1")))
        let entries = answer.json["entry"]?.array ?? []
        #expect(
            entries.map { $0["response"]?["status"]?.string?.prefix(3) } == ["201", "404", "400", "200", "200", "200"],
            "\(answer.json)")
        #expect(entries[1]["response"]?["outcome"]?["resourceType"] == "OperationOutcome")
        #expect(entries[4]["resource"]?["status"] == "amended")
        try await fixture.close()
    }

    /// An entry has the same response as a separate request.
    @Test(arguments: [
        "Observation/a", "Observation/a/_history/1", "Observation?code=8867-4", "?_type=Patient,Observation&_count=1",
        "Patient/p1/Observation?_count=1", "Patient/p1/*", "_history", "Observation/_history?_count=1",
        "Observation/a/_history", "Observation/a?_summary=true", "Observation/a?_elements=code,status",
        "Observation/a/_history/1?_format=json", "Patient/p1/$everything",
        "Patient/p1/$everything?_type=Observation&_count=1",
        "Observation/a/_history?_count=1", "Observation?_summary=count", "Observation?code=http://loinc.org|8867-4",
        "StructureDefinition/grip", "StructureDefinition?url=urn:example:grip",
    ])
    func readingEntriesAreAnsweredForEveryFormOfURL(url: String) async throws {
        var fixture = try await fixture()
        fixture.published = [PublishedResourcesTests.definition.object]
        _ = try await fixture.send(.put, "/fhir/Patient/p1", body: #"{"resourceType":"Patient","id":"p1"}"#)
        for id in ["a", "b"] { _ = try await fixture.send(.put, "/fhir/Observation/\(id)", body: observation(id)) }
        let alone = try await fixture.send(
            .get, "/fhir" + (url.hasPrefix("?") ? "" : "/") + url.replacingOccurrences(of: "|", with: "%7C"))
        for (kind, prefix) in [("batch", ""), ("batch", "/"), ("transaction", ""), ("batch", "http://localhost/fhir/")]
        {
            if prefix.hasSuffix("/"), url.hasPrefix("?") { continue }
            let answer = try await fixture.send(.post, "/fhir", body: bundle(kind, entry("GET", url: prefix + url)))
            #expect(
                alone.status == 200 && answer.json["entry"]?[0]?["response"]?["status"] == "200 OK",
                "\(prefix + url) \(answer.json)")
            #expect(answer.json["entry"]?[0]?["resource"] == alone.json)
            #expect(answer.json["entry"]?[0]?["response"]?["etag"]?.string == alone.headers[.eTag])
        }
        try await fixture.close()
    }

    @Test func conditionalReadsAndPostsOfABatchAreAnsweredAsSingleRequests() async throws {
        let fixture = try await fixture()
        for id in ["a", "b"] { _ = try await fixture.send(.put, "/fhir/Observation/\(id)", body: observation(id)) }
        let form = Data("code=8867-4&_count=1".utf8).base64EncodedString()
        let parameters =
            #"{"resourceType":"Parameters","parameter":[{"name":"code","valueString":"8867-4"},{"name":"_count","valueInteger":1}]}"#
        let answer = try await fixture.send(
            .post, "/fhir",
            body: bundle(
                "batch", entry("GET", url: "Observation/a", resource: nil, more: #","ifNoneMatch":"W/\"1\"""#),
                entry("GET", url: "Observation/a", resource: nil, more: #","ifNoneMatch":"W/\"2\"""#),
                entry("GET", url: "Observation/a", resource: nil, more: #","ifModifiedSince":"2000-01-01T00:00:00Z""#),
                entry("GET", url: "Observation/a", resource: nil, more: #","ifModifiedSince":"2100-01-01T00:00:00Z""#),
                entry("POST", url: "Observation/_search?code=8867-4&_count=1"),
                entry("POST", url: "Observation/_search", resource: parameters),
                entry(
                    "POST", url: "Observation/_search",
                    resource:
                        #"{"resourceType":"Binary","contentType":"application/x-www-form-urlencoded","data":"\#(form)"}"#
                ),
                entry("POST", url: "Observation/$validate", resource: observation("x")),
                entry("POST", url: "_search?_type=Observation"),
                entry("HEAD", url: "Observation/b")))
        let entries = answer.json["entry"]?.array ?? []
        #expect(
            entries.map { $0["response"]?["status"]?.string?.prefix(3) }
                == ["304", "200", "200", "304", "200", "200", "200", "200", "200", "200"], "\(answer.json)")
        #expect(entries[0]["resource"] == nil && entries[0]["response"]?["etag"] == "W/\"1\"")
        for index in 4...6 { #expect(entries[index]["resource"]?["entry"]?.array?.count == 1, "\(index)") }
        #expect(entries[7]["resource"]?["resourceType"] == "OperationOutcome")
        #expect(entries[1]["response"]?["lastModified"]?.string?.isEmpty == false)
        // The same for a separate request.
        let later = try await fixture.send(
            .get, "/fhir/Observation/a", headers: [.ifModifiedSince: "Fri, 01 Jan 2100 00:00:00 GMT"])
        #expect(later.status == 304)
        try await fixture.close()
    }

    /// Strict handling applies to entries as to a separate request.
    @Test func entriesAreReadAsStrictlyAsTheBundle() async throws {
        let fixture = try await fixture()
        for (prefer, status) in [("handling=strict", "400"), ("handling=lenient", "200")] {
            let answer = try await fixture.send(
                .post, "/fhir", body: bundle("batch", entry("GET", url: "Observation?nonsense=1")),
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
    func unsupportedURLsAreRefusedInTheirEntry(url: String) async throws {
        let fixture = try await fixture()
        let answer = try await fixture.send(
            .post, "/fhir", body: bundle("batch", entry("GET", url: url), entry("GET", url: "Patient")))
        let statuses = answer.json["entry"]?.array?.map { $0["response"]?["status"]?.string?.prefix(1) }
        #expect(answer.status == 400 || statuses == ["4", "2"], "\(url): \(answer.json)")
        try await fixture.close()
    }

    @Test func aBundleIsBounded() async throws {
        let fixture = try await fixture()
        let many = repeatElement(entry("DELETE", url: "Basic/a"), count: BundleEntry.maximumCount + 1).joined(
            separator: ",")
        let answer = try await fixture.send(.post, "/fhir", body: bundle("batch", many))
        #expect(answer.status == 413 && code(answer.json) == "too-many-entries")
        #expect(try await fixture.send(.post, "/fhir", body: bundle("collection")).status == 400)
        #expect(try await fixture.send(.post, "/fhir", body: observation("a")).status == 400)
        try await fixture.close()
    }
}
