import FHIR
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing

@testable import FHIRSearch
@testable import FHIRServer

/// Search parameters in the form that clients write into URLs and forms.
@Suite struct SearchParameterTests {
    private static let form: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
    private static let strict = HTTPFields([HTTPField(name: .prefer, value: "handling=strict")])

    private func filled() async throws -> RecordsFixture {
        var fixture = try await RecordsFixture()
        try await fixture.addWriter()
        try await fixture.put(
            #"{"resourceType":"Patient","id":"x","name":[{"family":"van der Berg"}],"identifier":[{"value":"a+b"}]}"#)
        try await fixture.put(#"{"resourceType":"Patient","id":"y","name":[{"family":"vanderBerg"}]}"#)
        try await fixture.put(observation("a"))
        try await fixture.put(observation("b", date: "2026-02-01T12:00:00+02:00"))
        return fixture
    }

    private func link(_ relation: String, _ bundle: JSON) -> String? {
        (bundle["link"]?.array ?? []).first { $0["relation"]?.string == relation }?["url"]?.string
    }

    // MARK: Plus signs

    /// <https://url.spec.whatwg.org/#urlencoded-serializing>: forms and common client libraries write a space in this
    /// way.
    @Test func plusSignIsASpaceInEverySearch() async throws {
        let fixture = try await filled()
        #expect(try await fixture.ids("/fhir/Patient?family=van+der+Berg") == ["x"])
        #expect(try await fixture.ids("/fhir/Patient?family:exact=van+der%20Berg") == ["x"])
        #expect(try await fixture.ids("/fhir/Patient?identifier=a%2Bb") == ["x"])
        #expect(try await fixture.ids("/fhir/Patient?identifier=a+b") == [])
        let posted = try await fixture.send(
            .post, "/fhir/Patient/_search?family=van+der+Berg", body: "_id=x", headers: Self.form)
        #expect(posted.json["total"] == 1)
        // The links have the same meaning.
        let (_, page) = try await fixture.get("/fhir/Patient?name=van+der,vander&_count=1")
        let next = try #require(link("next", page))
        #expect(next.contains("van%20der"))
        #expect(try await fixture.ids(String(next[try #require(next.range(of: "/fhir/")).lowerBound...])) == ["y"])
        // Conditions of writes, and of the entries of a Bundle.
        let found = try await fixture.send(
            .put, "/fhir/Patient?family:exact=van+der+Berg",
            body: #"{"resourceType":"Patient","name":[{"family":"van der Berg"}],"active":true}"#)
        #expect(found.status == 200 && found.json["id"]?.string == "x")
        let batch = try await fixture.send(
            .post, "/fhir",
            body:
                #"{"resourceType":"Bundle","type":"batch","entry":[{"request":{"method":"GET","url":"Patient?family=van+der+Berg"}}]}"#
        )
        #expect(batch.json["entry"]?[0]?["resource"]?["total"] == 1)
        try await fixture.close()
    }

    /// An unencoded time offset, or the sign of an exponent, can have no other meaning.
    @Test func unencodedPlusSignIsReadWhereASpaceIsInvalid() async throws {
        let fixture = try await filled()
        for date in ["2026-02-01T12:00:00+02:00", "2026-02-01T10:00:00%2B00:00", "lt2026-02-02T05:00:00+14:00"] {
            #expect(try await fixture.ids("/fhir/Observation?date=\(date)") == ["b"], "\(date)")
        }
        #expect(try await fixture.ids("/fhir/Observation?value-quantity=7.2e+1") == ["a", "b"])
        for path in [
            "Observation/_history?_since=2026-01-01T00:00:00+02:00",
            "Observation/a/_history?_at=2026-01-01T00:00:00+02:00",
            "Patient/x/$everything?_since=2020-01-01T00:00:00+02:00", "Patient?_format=application/fhir+json",
        ] {
            #expect(try await fixture.get("/fhir/" + path).0 == 200, "\(path)")
        }
        #expect(try await fixture.get("/fhir/Observation?date=2026-02-01T12:00:00++02:00").0 == 400)
        try await fixture.close()
    }

    // MARK: Unknown parameters

    private func outcomes(_ bundle: JSON) -> [JSON] {
        (bundle["entry"]?.array ?? []).filter { $0["search"]?["mode"] == "outcome" }.compactMap { $0["resource"] }
    }

    @Test func unknownParameterIsReportedInTheBundle() async throws {
        let fixture = try await filled()
        for (path, names, total) in [
            ("Observation?foo=1&code=8867-4", ["foo"], 2), ("Observation?_filter=x&_id=a", ["_filter"], 1),
            ("Observation?foo=1&bar:exact=2&foo=3", ["foo", "bar:exact"], 2),
            ("Observation?subject:Patient.nothing=1", ["subject:Patient.nothing"], 2),
            ("Patient?_has:Observation:patient:nothing=1", ["_has:Observation:patient:nothing"], 2),
            ("Observation?_sort=nothing", ["_sort"], 2), ("Observation?_id=none&foo=1", ["foo"], 0),
            ("Patient/x/Observation?foo=1", ["foo"], 0), ("?_type=Patient,Observation&foo=1", ["foo"], 4),
        ] as [(String, [String], Int)] {
            let (status, bundle) = try await fixture.get("/fhir/" + path)
            #expect(status == 200 && bundle["total"]?.integer == total, "\(path)")
            let found = outcomes(bundle)
            try #require(found.count == 1, "\(path)")
            #expect(bundle["entry"]?.array?.count == total + 1, "\(path)")
            let issues = found[0]["issue"]?.array ?? []
            #expect(issues.count == names.count, "\(path)")
            for (issue, name) in zip(issues, names) {
                #expect(issue["severity"] == "warning" && issue["code"] == "not-supported")
                #expect(issue["details"]?["text"] == "parameter-unknown")
                #expect(issue["diagnostics"]?.string?.contains(" \(name) ") == true, "\(path): \(issue)")
            }
            #expect(link("self", bundle)?.contains("foo") == false)
            // With strict handling nothing is returned.
            let strict = try await fixture.get("/fhir/" + path, headers: Self.strict)
            #expect(strict.0 == 400 && code(strict.1) == "parameter-unknown", "\(path)")
            #expect(strict.1["issue"]?[0]?["diagnostics"]?.string?.contains(names[0]) == true, "\(strict.1)")
        }
        #expect(outcomes(try await fixture.get("/fhir/Observation?code=8867-4").1).isEmpty)
        // A misinterpreted parameter would find other resources: always an error.
        for path in ["Observation?code:nonsense=1", "Observation?date=x", "Observation?code.name=x"] {
            #expect(try await fixture.get("/fhir/" + path).0 == 400, "\(path)")
        }
        try await fixture.close()
    }

    @Test func unknownParameterIsReportedInBatchesFormsAndXML() async throws {
        let fixture = try await filled()
        let body =
            #"{"resourceType":"Bundle","type":"batch","entry":[{"request":{"method":"GET","url":"Observation?foo=1"}}]}"#
        let lenient = try await fixture.send(.post, "/fhir", body: body)
        #expect(outcomes(lenient.json["entry"]?[0]?["resource"] ?? .null).count == 1)
        var headers = Self.strict
        headers[.contentType] = "application/fhir+json"
        let strict = try await fixture.send(.post, "/fhir", body: body, headers: headers)
        #expect(strict.json["entry"]?[0]?["response"]?["status"]?.string?.hasPrefix("400") == true)
        let form = try await fixture.send(.post, "/fhir/Observation/_search", body: "foo=1", headers: Self.form)
        #expect(outcomes(form.json).count == 1)
        let xml = try await fixture.text("/fhir/Observation?foo=1&_format=xml").text
        #expect(xml.contains("<mode value=\"outcome\"/>") && xml.contains("<OperationOutcome"))
        let everything = try await fixture.get("/fhir/Patient/x/$everything?foo=1").1
        #expect(outcomes(everything).count == 1)
        try await fixture.close()
    }

    /// The name comes from the client: the message limits its length and removes characters that pages or logs could
    /// misinterpret.
    @Test func parameterNameIsShortenedInMessages() {
        #expect(ParameterName.shown("foo") == "foo")
        #expect(ParameterName.shown("a\u{7}\u{202E}\nb") == "ab...")
        let long = ParameterName.shown(String(repeating: "x", count: 1_000))
        #expect(long == String(repeating: "x", count: 64) + "...")
        let many = OperationOutcome(ignored: (0..<100).map { "p\($0)" })
        #expect(many?.issue.count == 20 && OperationOutcome(ignored: []) == nil)
    }

    @Test func searchOfSeveralTypesAcceptsOnlyCommonParameters() async throws {
        let fixture = try await filled()
        for path in ["?_type=Patient,Encounter&birthdate=1900", "?birthdate=1900", "Patient/x/*?birthdate=1900"] {
            let (status, outcome) = try await fixture.get("/fhir/" + path)
            #expect(status == 400 && code(outcome) == "parameter-not-common", "\(path)")
            #expect(outcome["issue"]?[0]?["diagnostics"]?.string?.contains("birthdate") == true)
        }
        #expect(try await fixture.ids("/fhir?_type=Patient&birthdate=1900") == [])
        #expect(try await fixture.ids("/fhir?_type=Patient,Observation&_id=x,a") == ["x", "a"])
        try await fixture.close()
    }
}
