import Core
import FHIR
import FHIRClient
import Foundation
import Testing

@Suite struct SearchTests {
    private static func bundle(_ entries: [String], next: String? = nil) -> String {
        let link = next.map { #","link":[{"relation":"self","url":"x"},{"relation":"next","url":"\#($0)"}]"# } ?? ""
        return #"{"resourceType":"Bundle","type":"searchset"\#(link),"entry":[\#(entries.joined(separator: ","))]}"#
    }

    private static func entry(_ type: String, _ id: String, mode: String? = nil) -> String {
        let search = mode.map { #","search":{"mode":"\#($0)"}"# } ?? ""
        return #"{"resource":{"resourceType":"\#(type)","id":"\#(id)"}\#(search)}"#
    }

    private static func ids(_ matches: FHIRSearchMatches<some ResourceView>) async throws -> [String] {
        try await matches.all().map { $0.id ?? "" }
    }

    @Test func matchesOfAllPagesAreReturnedInOrder() async throws {
        let server = StubServer { _, number in
            switch number {
            case 0:
                .json(
                    200,
                    Self.bundle(
                        [
                            Self.entry("Observation", "1", mode: "match"), Self.entry("Patient", "p", mode: "include"),
                            Self.entry("Observation", "x", mode: "include"),
                            Self.entry("OperationOutcome", "o", mode: "outcome"), Self.entry("Observation", "2"),
                        ],
                        next: "https://fhir.example/r4?page=2&x=%7C"))
            case 1: .json(200, Self.bundle([], next: "?page=3"))
            default: .json(200, Self.bundle([Self.entry("Observation", "3")]))
            }
        }
        var query: FHIRQuery = ["code": "http://loinc.org|8867-4", "date": "ge2026-01-01"]
        query.add("date", value: "lt2026-02-01T00:00:00+01:00")
        let matches = try server.connection().search(Observation.self, query)
        #expect(try await Self.ids(matches) == ["1", "2", "3"])
        #expect(
            await server.lines == [
                "GET https://fhir.example/r4/Observation?code=http%3A%2F%2Floinc.org%7C8867-4&date=ge2026-01-01"
                    + "&date=lt2026-02-01T00%3A00%3A00%2B01%3A00",
                "GET https://fhir.example/r4?page=2&x=%7C", "GET https://fhir.example/r4?page=3",
            ])
    }

    @Test func pagesAndResourcesOfAllTypesAreAvailable() async throws {
        let text = Self.bundle([Self.entry("Patient", "p"), Self.entry("Observation", "o", mode: "include")])
        let server = StubServer(200, text)
        let matches = try server.connection().search(Resource.self, ["_type": "Patient"])
        #expect(try await Self.ids(matches) == ["p", "o"])
        var entries = 0
        for try await page in matches.pages { entries += page.entry.count }
        #expect(entries == 2)
        #expect(await server.lines.first == "GET https://fhir.example/r4?_type=Patient")
    }

    @Test func pagesAreRequestedWhenTheyAreNeeded() async throws {
        let server = StubServer(200, Self.bundle([Self.entry("Patient", "1")], next: "https://fhir.example/r4?page=2"))
        let first = try await server.connection().search(Patient.self).first { _ in true }
        #expect(first?.id == "1")
        #expect(await server.lines == ["GET https://fhir.example/r4/Patient"])
    }

    @Test func endlessPagesEndWithAnError() async throws {
        let server = StubServer { _, number in
            .json(
                200, Self.bundle([Self.entry("Patient", "\(number)")], next: "https://fhir.example/r4?page=\(number)"))
        }
        let connection = try server.connection(limits: FHIRClientLimits(pages: 5))
        var seen = 0
        let error = await clientError { for try await _ in connection.search(Patient.self) { seen += 1 } }
        #expect(error?.code == "too-many-pages" && seen == 5)
        #expect(await server.requests.count == 5)
        // Empty pages end, too.
        let empty = StubServer(200, Self.bundle([], next: "?page=1"))
        let other = try empty.connection(limits: FHIRClientLimits(pages: 3))
        #expect(await clientError { _ = try await other.search(Patient.self).all() }?.reason == .tooManyPages)
        #expect(await empty.requests.count == 3)
    }

    @Test(arguments: [
        "https://evil.example/r4?page=2", "http://fhir.example:81/r4?page=2", "//evil.example/r4?page=2",
        "https://user:secret@evil.example/r4?page=2", "ftp://evil.example/r4?page=2",
    ])
    func linkToAnotherHostIsRequestedFromTheSameServer(link: String) async throws {
        let server = StubServer { _, number in
            .json(200, Self.bundle([Self.entry("Patient", "\(number)")], next: number == 0 ? link : nil))
        }
        let connection = try server.connection { _ in "secret" }
        #expect(try await Self.ids(connection.search(Patient.self)) == ["0", "1"])
        #expect(await server.lines.last == "GET https://fhir.example/r4?page=2")
        #expect(await server.requests.allSatisfy { $0.url.host() == "fhir.example" && $0.url.user() == nil })
    }

    @Test func laterPagesFailWithTheirOwnError() async throws {
        let answers: [(TransportResponse, String)] = [
            (.json(503, "", headers: ["Retry-After": "9"]), "server-unavailable"), (.json(200, "{"), "answer-invalid"),
            (.json(200, #"{"resourceType":"Patient","id":"p"}"#), "answer-type-mismatch"),
            (.json(401, ""), "token-refused"),
        ]
        for (answer, code) in answers {
            let server = StubServer { _, number in
                number == 0 ? .json(200, Self.bundle([Self.entry("Patient", "1")], next: "?page=2")) : answer
            }
            let connection = try server.connection()
            var seen = 0
            let error = await clientError { for try await _ in connection.search(Patient.self) { seen += 1 } }
            #expect(error?.code == code && seen == 1)
        }
    }

    @Test func entriesThatAreNoResourcesAreSkipped() async throws {
        let server = StubServer(
            200,
            #"{"resourceType":"Bundle","link":[{"relation":"next"},3],"entry":[3,{},{"resource":7},null,"#
                + Self.entry("Patient", "1") + "]}")
        #expect(try await Self.ids(server.connection().search(Patient.self)) == ["1"])
    }
}
