import AccessTestSupport
import Core
import Foundation
import HTTPTypes
import Testing

@testable import AccessPolicy
@testable import Permissions

/// The attack rows F01 to F08 with tokens of csis: Anna gave the app `write` access with the confidentiality N, and Bert
/// `read` access with V. Carl gave it nothing.
@Suite(.timeLimit(.minutes(10)))
struct CsiAttackTests {
    private static let restricted =
        #","meta":{"security":[{"system":"\#(SecurityLabels.confidentialitySystem)","code":"R"}]}"#

    private struct Attack {
        let fixture: TokenFixture
        let token: String

        func ask(_ path: String) async throws -> TokenReply { try await ask(.get, path) }

        func ask(_ method: HTTPRequest.Method, _ path: String, body: String? = nil, type: String? = nil)
            async throws -> TokenReply
        {
            try await fixture.ask(
                method, path, token: token, headers: type.map { [.contentType: $0] } ?? [:], body: body)
        }

        func ids(_ path: String) async throws -> [String] {
            let answer = try await ask(.get, path)
            #expect(answer.status == 200, "\(path): \(answer.text)")
            return answer.ids.sorted()
        }
    }

    private func with(_ scope: String? = nil, _ body: (Attack) async throws -> Void) async throws {
        try await TokenFixture.with { fixture async throws in
            try await fixture.put(patients: ["anna", "bert", "carl"])
            for patient in ["anna", "bert", "carl"] {
                let more = Self.restricted + #","focus":[{"reference":"Patient/carl"}]"#
                try await fixture.put(TokenFixture.observation("r-\(patient)", of: patient, more: more))
                try await fixture.put(
                    #"{"resourceType":"Condition","id":"c-\#(patient)","subject":{"reference":"Patient/\#(patient)"},"code":{"coding":[{"code":"secret-\#(patient)"}]},"evidence":[{"detail":[{"reference":"Observation/r-\#(patient)"}]}]}"#
                )
            }
            try await fixture.put(
                #"{"resourceType":"Consent","id":"consent","status":"active","scope":{"text":"s"},"category":[{"text":"c"}],"patient":{"reference":"Patient/anna"}}"#
            )
            let app = fixture.app.guid.text
            try await fixture.rows.permit(app, patients: ["anna"], terms: .with { $0.access = "write" })
            try await fixture.rows.permit(app, patients: ["bert"], terms: .with { $0.confidentiality = "V" })
            try await body(Attack(fixture: fixture, token: try await fixture.token(scope)))
        }
    }

    private func rows(_ fixture: TokenFixture) async throws -> String {
        try await fixture.database.contents(["record", "record_version", "access_permission"])
    }

    @Test func f01_foreignRecordLooksLikeAMissingOne() async throws {
        try await with { attack async throws in
            let before = try await rows(attack.fixture)
            for id in ["o-carl", "r-carl", "r-anna"] {
                for (method, end, body) in [
                    (HTTPRequest.Method.get, "", nil), (.get, "/_history", nil), (.get, "/_history/1", nil),
                    (.delete, "", nil), (.patch, "", #"{"status":"amended"}"#),
                ] {
                    let type = body == nil ? nil : "application/json"
                    let hidden = try await attack.ask(method, "/fhir/Observation/\(id)\(end)", body: body, type: type)
                    let none = try await attack.ask(method, "/fhir/Observation/none\(end)", body: body, type: type)
                    #expect(hidden.status == none.status && hidden.json == none.json, "\(method) \(id)\(end)")
                    #expect([403, 404].contains(hidden.status), "\(method) \(id)\(end) \(hidden.status)")
                }
            }
            #expect(try await rows(attack.fixture) == before)
        }
    }

    @Test func f02_searchesFindOnlyWhatEachPermissionGives() async throws {
        try await with { attack async throws in
            #expect(try await attack.ids("/fhir/Observation") == ["o-anna", "o-bert", "r-bert"])
            for query in ["patient=carl", "subject:Patient=carl", "_id=o-carl", "patient=anna&_id=r-anna"] {
                #expect(try await attack.ids("/fhir/Observation?\(query)").isEmpty, "\(query)")
            }
            let compartment = try await attack.ask("/fhir/Patient/carl/Observation")
            #expect(compartment.ids.isEmpty)
            #expect(try await attack.ids("/fhir/Patient") == ["anna", "bert"])
            #expect(try await attack.ask("/fhir/Consent/consent").status == 403)
            #expect(try await attack.ask("/fhir/Consent").status == 403)
            #expect(try await attack.ask("/fhir/AuditEvent?patient=anna").status == 403)
        }
    }

    @Test func f03_whatComesAlongIsNeverHidden() async throws {
        try await with { attack async throws in
            #expect(
                try await attack.ids("/fhir/Condition?_include=Condition:evidence-detail")
                    == ["c-anna", "c-bert", "r-bert"])
            #expect(try await attack.ids("/fhir/Observation?_id=r-bert&_include=Observation:focus") == ["r-bert"])
            #expect(
                try await attack.ids("/fhir/Patient?_revinclude=Observation:patient&_id=anna") == ["anna", "o-anna"])
            for query in [
                "_has:Condition:patient:code=secret-carl", "_has:Observation:patient:_id=r-anna",
                "_has:Observation:patient:_id=o-carl",
            ] {
                #expect(try await attack.ids("/fhir/Patient?\(query)").isEmpty, "\(query)")
            }
            #expect(try await attack.ids("/fhir/Condition?evidence-detail:Observation._id=r-anna").isEmpty)
            #expect(try await attack.ids("/fhir/Observation?focus:Patient.name=Fcarl").isEmpty)
            let count = try await attack.ask("/fhir/Observation?_summary=count")
            #expect(count.json["total"]?.integer == 3)
        }
    }

    @Test func f04_eachEntryAndOperationIsDecidedByItself() async throws {
        try await with { attack async throws in
            let before = try await rows(attack.fixture)
            func bundle(_ type: String, method: String, url: String, resource: String) -> String {
                #"{"resourceType":"Bundle","type":"\#(type)","entry":[{"request":{"method":"\#(method)","url":"\#(url)"},"resource":\#(resource)}]}"#
            }
            for (url, resource) in [
                ("Observation/o-carl", TokenFixture.observation("o-carl", of: "carl")),
                ("Observation/o-bert", TokenFixture.observation("o-bert", of: "bert")),
                ("Observation/new", TokenFixture.observation("new", of: "carl")),
                ("Observation/o-anna", TokenFixture.observation("o-anna", of: "bert")),
            ] {
                let answer = try await attack.ask(
                    .post, "/fhir", body: bundle("transaction", method: "PUT", url: url, resource: resource))
                #expect([403, 404].contains(answer.status), "\(url) \(answer.text)")
            }
            #expect(try await rows(attack.fixture) == before)
            #expect(try await attack.ask("/fhir/Patient/carl/$everything").status == 404)
            let everything = try await attack.ask("/fhir/Patient/anna/$everything").ids
            #expect(!everything.contains { $0.hasSuffix("carl") || $0 == "r-anna" || $0 == "consent" }, "\(everything)")
        }
    }

    @Test func f05_labelsAreNotLowered() async throws {
        try await with { attack async throws in
            let low = Self.restricted.replacingOccurrences(of: #""R""#, with: #""U""#)
            for (path, body) in [
                ("o-anna", TokenFixture.observation("o-anna", of: "anna", more: low)),
                ("new", TokenFixture.observation("new", of: "anna", more: low)),
                ("r-anna", TokenFixture.observation("r-anna", of: "anna")),
            ] {
                let answer = try await attack.ask(.put, "/fhir/Observation/\(path)", body: body)
                #expect([403, 404].contains(answer.status), "\(path) \(answer.text)")
            }
            let higher = TokenFixture.observation("o-anna", of: "anna", more: Self.restricted)
            #expect(try await attack.ask(.put, "/fhir/Observation/o-anna", body: higher).status == 200)
            #expect(try await attack.ask("/fhir/Observation/o-anna").status == 404, "it is above the permission")
        }
    }

    @Test func f06_pageOfAnotherTokenShowsNothingMore() async throws {
        try await with { attack async throws in
            let page = try await attack.ask("/fhir/Observation?_count=1")
            let link = page.json["link"]?.array?.first { $0["relation"]?.string == "next" }
            let next = try #require(link?["url"]?.string).replacingOccurrences(of: TokenFixture.base, with: "")
            try await attack.fixture.rows.permit(
                attack.fixture.other.guid.text, patients: ["carl"], prefix: "other-")
            let other = try await attack.fixture.token(by: attack.fixture.other)
            let found = try await attack.fixture.ask(next, token: other)
            #expect(found.ids.allSatisfy { $0.hasSuffix("carl") })
        }
    }

    @Test func f07_conditionsAreNoOracle() async throws {
        try await with { attack async throws in
            let new = TokenFixture.observation("x", of: "anna").replacingOccurrences(of: #""id":"x","#, with: "")
            for query in ["_id=o-carl", "_id=r-anna", "_id=none"] {
                let answer = try await attack.ask(.put, "/fhir/Observation?\(query)", body: new)
                let expected = try await attack.ask(.put, "/fhir/Observation?_id=free", body: new)
                #expect(answer.status == expected.status, "\(query) \(answer.text)")
            }
            let known = try await attack.fixture.ask(
                "/fhir/Observation/o-carl", token: attack.token, headers: [.ifNoneMatch: "W/\"1\""])
            #expect(known.status == 404)
        }
    }

    @Test func f08_onlyTheServerWritesTheAuditAndPermissionsAreForOneActor() async throws {
        try await with { attack async throws in
            for method in [HTTPRequest.Method.post, .put] {
                let path = method == .post ? "/fhir/AuditEvent" : "/fhir/AuditEvent/1"
                let answer = try await attack.ask(method, path, body: #"{"resourceType":"AuditEvent","id":"1"}"#)
                #expect([403, 405].contains(answer.status), "\(method) \(answer.status)")
            }
            let provenance =
                #"{"resourceType":"Provenance","target":[{"reference":"Observation/o-anna"}],"recorded":"2026-01-01T00:00:00Z","agent":[{"who":{"reference":"Patient/anna"}}]}"#
            #expect(try await attack.ask(.post, "/fhir/Provenance", body: provenance).status == 403)
            let consent =
                #"{"resourceType":"Consent","status":"active","scope":{"text":"s"},"category":[{"text":"c"}],"patient":{"reference":"Patient/anna"}}"#
            #expect(try await attack.ask(.post, "/fhir/Consent", body: consent).status == 403)
        }
    }

    /// The `write` access of Anna does not count for Bert, and the confidentiality of Bert not for Anna.
    @Test func permissionsAreNotCombined() async throws {
        try await with { attack async throws in
            let own = TokenFixture.observation("o-anna", of: "anna", more: #","comment":"x""#)
                .replacingOccurrences(of: #","comment":"x""#, with: #","note":[{"text":"x"}]"#)
            #expect(try await attack.ask(.put, "/fhir/Observation/o-anna", body: own).status == 200)
            let theirs = TokenFixture.observation("o-bert", of: "bert", more: #","note":[{"text":"x"}]"#)
            #expect(try await attack.ask(.put, "/fhir/Observation/o-bert", body: theirs).status == 403)
            #expect(try await attack.ask("/fhir/Observation/r-bert").status == 200)
            #expect(try await attack.ask("/fhir/Observation/r-anna").status == 404)
        }
        // A narrower request.
        try await with("user/Observation.rs") { attack async throws in
            #expect(try await attack.ids("/fhir/Observation") == ["o-anna", "o-bert"])
            #expect(try await attack.ask("/fhir/Patient/anna").status == 403)
        }
        try await with("patient/*.rs conf/V") { attack async throws in
            #expect(try await attack.ids("/fhir/Observation") == ["o-anna"])
            #expect(try await attack.ask("/fhir/Patient/bert").status == 404)
        }
    }
}
