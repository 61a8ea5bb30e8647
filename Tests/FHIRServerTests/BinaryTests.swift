import FHIR
import FHIRXML
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import ServerHTTP
import Testing

@testable import FHIRServer

/// A Binary is read and written as its content (<https://hl7.org/fhir/R4/binary.html#rest>).
@Suite struct BinaryTests {
    private struct Answer {
        let status: Int
        let headers: HTTPFields
        let bytes: [UInt8]

        var type: String? { headers[.contentType] }
        var json: JSON { (try? JSON(bytes)) ?? .null }
    }

    private static let pdf = Array("%PDF-1.7\u{0}\r\n".utf8) + [0xFF, 0xFE, 0x00, 0x80]

    private func ask(
        _ fixture: RecordsFixture, method: HTTPRequest.Method, path: String, headers: HTTPFields = [:],
        body: [UInt8]? = nil, token: String = "writer"
    ) async throws -> Answer {
        var headers = headers
        headers[.authorization] = "Bearer \(fixture.tokens[token] ?? token)"
        return try await fixture.application.test(.router) { [headers] client in
            try await client.execute(
                uri: path, method: method, headers: headers, body: body.map { ByteBuffer(bytes: $0) }
            ) {
                Answer(
                    status: Int($0.status.code), headers: $0.headers, bytes: Array($0.body.readableBytesView))
            }
        }
    }

    private func fixture() async throws -> RecordsFixture {
        var fixture = try await RecordsFixture()
        try await fixture.addWriter()
        return fixture
    }

    private func put(_ fixture: RecordsFixture, id: String, contentType: String, data: [UInt8]) async throws {
        try await fixture.put(
            """
            {"resourceType":"Binary","id":"\(id)","contentType":"\(contentType)",\
            "data":"\(Data(data).base64EncodedString())"}
            """)
    }

    @Test(arguments: [
        ("application/pdf", true), ("*/*", true), (nil, true), ("application/*", true), ("text/plain", true),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", true),
        ("application/json, text/plain, */*", true), ("application/pdf, application/fhir+json;q=0.5", true),
        ("application/fhir+json", false), ("application/fhir+xml", false), ("application/json", false),
        ("application/fhir+json, */*", false), ("application/fhir+json;q=0.9, application/fhir+xml;q=0.8", false),
        ("text/plain, application/fhir+json;q=0.5", false),
    ])
    func aBinaryIsReadAsTheClientAccepts(accept: String?, isRaw: Bool) async throws {
        let fixture = try await fixture()
        try await put(fixture, id: "b", contentType: "application/pdf", data: Self.pdf)
        var headers: HTTPFields = [:]
        headers[.accept] = accept
        for path in ["/fhir/Binary/b", "/fhir/Binary/b/_history/1"] {
            let answer = try await ask(fixture, method: .get, path: path, headers: headers)
            #expect(answer.status == 200)
            if isRaw {
                #expect(answer.type == "application/pdf" && answer.bytes == Self.pdf)
            } else {
                #expect(answer.type?.hasPrefix("application/fhir+") == true)
                let json = answer.type?.contains("xml") == true ? try ResourceXML.read(answer.bytes) : answer.json
                #expect(json["resourceType"] == "Binary" && json["contentType"] == "application/pdf")
            }
        }
        try await fixture.close()
    }

    @Test func aFormatInTheAddressCountsBeforeTheHeader() async throws {
        let fixture = try await fixture()
        try await put(fixture, id: "b", contentType: "application/pdf", data: Self.pdf)
        let resource = try await ask(
            fixture, method: .get, path: "/fhir/Binary/b?_format=json", headers: [.accept: "application/pdf"])
        #expect(resource.json["resourceType"] == "Binary")
        let raw = try await ask(
            fixture, method: .get, path: "/fhir/Binary/b?_format=application/pdf",
            headers: [.accept: "application/fhir+json"])
        #expect(raw.bytes == Self.pdf)
        // Its elements are those of the resource.
        let part = try await ask(
            fixture, method: .get, path: "/fhir/Binary/b?_elements=contentType", headers: [.accept: "*/*"])
        #expect(part.json["contentType"] == "application/pdf" && part.json["data"] == nil)
        try await fixture.close()
    }

    /// A Binary with JSON content is sent unchanged to clients that accept JSON, and as a resource to those that accept
    /// FHIR.
    @Test func contentThatIsJSONIsNotTheResource() async throws {
        let fixture = try await fixture()
        let content = Array(#"{"a":1}"#.utf8)
        let made = try await ask(
            fixture, method: .put, path: "/fhir/Binary/j", headers: [.contentType: "application/json"], body: content)
        #expect(made.status == 201)
        #expect(
            try await ask(fixture, method: .get, path: "/fhir/Binary/j", headers: [.accept: "application/json"]).bytes
                == content)
        let resource = try await ask(
            fixture, method: .get, path: "/fhir/Binary/j", headers: [.accept: "application/fhir+json"])
        #expect(resource.json["contentType"] == "application/json")
        try await fixture.close()
    }

    @Test func browserDoesNotRunTheContent() async throws {
        let fixture = try await fixture()
        try await put(fixture, id: "b", contentType: "text/html", data: Array("<script>alert(1)</script>".utf8))
        let answer = try await ask(fixture, method: .get, path: "/fhir/Binary/b", headers: [.accept: "text/html"])
        #expect(answer.status == 200 && answer.type == "text/html")
        #expect(answer.headers[.contentTypeOptions] == "nosniff")
        let policy = answer.headers[.contentSecurityPolicy] ?? ""
        #expect(policy.contains("default-src 'none'") && policy.contains("sandbox") && !policy.contains("allow-"))
        try await fixture.close()
    }

    @Test func binarySupportsHEADAndETag() async throws {
        let fixture = try await fixture()
        try await put(fixture, id: "b", contentType: "application/pdf", data: Self.pdf)
        let head = try await ask(fixture, method: .head, path: "/fhir/Binary/b", headers: [.accept: "application/pdf"])
        #expect(head.status == 200 && head.bytes.isEmpty && head.type == "application/pdf")
        #expect(head.headers[.contentLength] == String(Self.pdf.count) && head.headers[.eTag] == "W/\"1\"")
        #expect(head.headers[.lastModified] != nil)
        let known = try await ask(
            fixture, method: .get, path: "/fhir/Binary/b",
            headers: [.accept: "application/pdf", .ifNoneMatch: "W/\"1\""])
        #expect(known.status == 304 && known.bytes.isEmpty)
        #expect(
            try await ask(fixture, method: .get, path: "/fhir/Binary/none", headers: [.accept: "application/pdf"]).json[
                "resourceType"]
                == "OperationOutcome")
        try await fixture.close()
    }

    @Test func contentIsStoredUnchanged() async throws {
        let fixture = try await fixture()
        let context = HTTPField.Name.securityContext
        let made = try await ask(
            fixture, method: .post, path: "/fhir/Binary",
            headers: [.contentType: "application/pdf", context: "Patient/p1", .accept: "application/fhir+json"],
            body: Self.pdf)
        #expect(made.status == 201 && made.json["data"]?.string == Data(Self.pdf).base64EncodedString())
        #expect(made.json["securityContext"]?["reference"] == "Patient/p1")
        let id = try #require(made.json["id"]?.string)
        let read = try await ask(
            fixture, method: .get, path: "/fhir/Binary/\(id)", headers: [.accept: "application/pdf"])
        #expect(read.bytes == Self.pdf && read.headers[context] == "Patient/p1")
        // A new version, under a condition.
        let text: HTTPFields = [.contentType: "text/plain;  charset=utf-8", .ifMatch: "W/\"1\""]
        let changed = try await ask(
            fixture, method: .put, path: "/fhir/Binary/\(id)", headers: text, body: Array("abc".utf8))
        #expect(changed.status == 200)
        #expect(
            try await ask(fixture, method: .put, path: "/fhir/Binary/\(id)", headers: text, body: Array("abcd".utf8))
                .status == 412)
        let newest = try await ask(fixture, method: .get, path: "/fhir/Binary/\(id)")
        #expect(newest.bytes == Array("abc".utf8) && newest.type == "text/plain; charset=utf-8")
        #expect(try await ask(fixture, method: .get, path: "/fhir/Binary/\(id)/_history/1").bytes == Self.pdf)
        try await fixture.close()
    }

    @Test func contentIsWrittenUnderConditions() async throws {
        let fixture = try await fixture()
        var headers: HTTPFields = [.contentType: "image/png"]
        headers[.ifNoneMatch] = "*"
        #expect(
            try await ask(fixture, method: .put, path: "/fhir/Binary/n", headers: headers, body: [1, 2]).status == 201)
        #expect(
            try await ask(fixture, method: .put, path: "/fhir/Binary/n", headers: headers, body: [1, 3]).status == 412)
        let found = try await ask(
            fixture, method: .put, path: "/fhir/Binary?_id=n", headers: [.contentType: "image/png"], body: [4])
        #expect(found.status == 200)
        #expect(try await ask(fixture, method: .get, path: "/fhir/Binary/n").bytes == [4])
        let exists = try await ask(
            fixture, method: .post, path: "/fhir/Binary", headers: [.contentType: "image/png", .ifNoneExist: "_id=n"],
            body: [5])
        #expect(exists.status == 200)
        #expect(try await ask(fixture, method: .get, path: "/fhir/Binary/n").bytes == [4])
        try await fixture.close()
    }

    /// FHIR's own media types require FHIR. A Binary in one of them is the resource; any other resource is content.
    @Test func fhirContentIsAResourceOrTheContentOfABinary() async throws {
        let fixture = try await fixture()
        let resource = Array(#"{"resourceType":"Binary","id":"r","contentType":"text/plain","data":"eA=="}"#.utf8)
        for type in ["application/fhir+json", "application/json; charset=utf-8"] {
            let answer = try await ask(
                fixture, method: .put, path: "/fhir/Binary/r", headers: [.contentType: type], body: resource)
            #expect(answer.status == 201 || answer.status == 200)
            #expect(try await ask(fixture, method: .get, path: "/fhir/Binary/r").bytes == Array("x".utf8))
        }
        let document = Array(#"{"resourceType":"Patient","id":"p9"}"#.utf8)
        let made = try await ask(
            fixture, method: .put, path: "/fhir/Binary/d", headers: [.contentType: "application/fhir+json"],
            body: document)
        #expect(made.status == 201)
        #expect(try await ask(fixture, method: .get, path: "/fhir/Binary/d").bytes == document)
        let clinical = Array("<ClinicalDocument xmlns=\"urn:hl7-org:v3\"/>".utf8)
        #expect(
            try await ask(
                fixture, method: .put, path: "/fhir/Binary/c", headers: [.contentType: "text/xml"], body: clinical
            ).status == 201)
        #expect(try await ask(fixture, method: .get, path: "/fhir/Binary/c").bytes == clinical)
        try await fixture.close()
    }

    @Test(arguments: [
        ("application/pdf", "", 400, "content-empty"), ("application/fhir+json", "", 400, "content-empty"),
        ("pdf", "x", 415, "content-type-invalid"), ("*/*", "x", 415, "content-type-invalid"),
        ("application/", "x", 415, "content-type-invalid"), ("a b/c", "x", 415, "content-type-invalid"),
        ("application/fhir+json", "no json", 400, "content-type-false"),
        ("application/fhir+xml", "<a", 400, "content-type-false"),
    ])
    func invalidContentHasACodeAndIsNotWritten(type: String, body: String, status: Int, expected: String) async throws {
        let fixture = try await fixture()
        let before = try await fixture.rows
        for (method, path) in [(HTTPRequest.Method.post, "/fhir/Binary"), (.put, "/fhir/Binary/z")] {
            let answer = try await ask(
                fixture, method: method, path: path, headers: [.contentType: type], body: Array(body.utf8))
            #expect(answer.status == status && code(answer.json) == expected, "\(method)")
        }
        #expect(try await fixture.rows == before)
        try await fixture.close()
    }

    @Test func binaryWithoutUsableContentOrTypeIsRead() async throws {
        let fixture = try await fixture()
        // One without data, one with a type that is not valid in a header, one with invalid data.
        try await fixture.put(#"{"resourceType":"Binary","id":"empty","contentType":"text/plain"}"#)
        try await fixture.put(
            #"{"resourceType":"Binary","id":"odd","contentType":"x\r\nSet-Cookie: a=b","data":"eA=="}"#)
        try await fixture.put(#"{"resourceType":"Binary","id":"broken","contentType":"text/plain","data":"x"}"#)
        let empty = try await ask(fixture, method: .get, path: "/fhir/Binary/empty")
        #expect(empty.status == 200 && empty.bytes.isEmpty && empty.type == "text/plain")
        let odd = try await ask(fixture, method: .get, path: "/fhir/Binary/odd")
        #expect(odd.type == "application/octet-stream" && odd.bytes == Array("x".utf8))
        let broken = try await ask(fixture, method: .get, path: "/fhir/Binary/broken")
        #expect(broken.status == 500 && code(broken.json) == "content-invalid")
        try await fixture.close()
    }

    /// The size of the stored resource is limited, not that of the received bytes.
    @Test func contentThatMakesATooLargeResourceIsRefused() async throws {
        let fixture = try await fixture()
        let largest = [UInt8](repeating: 0, count: 4 << 20)
        let answer = try await ask(
            fixture, method: .post, path: "/fhir/Binary", headers: [.contentType: "image/png"], body: largest)
        #expect(answer.status == 413 && code(answer.json) == "body-too-large")
        try await fixture.close()
    }

    @Test func patientsAppReadsAndWritesBinariesOfThePatient() async throws {
        var fixture = try await fixture()
        try await fixture.addGrant("app", scopes: "patient/Binary.crus", patients: .only(["p1"]))
        try await fixture.addGrant("other", scopes: "patient/Binary.rs", patients: .only(["p2"]))
        let context = HTTPField.Name.securityContext
        let own = try await ask(
            fixture, method: .put, path: "/fhir/Binary/own",
            headers: [.contentType: "image/png", context: "Patient/p1"], body: [1],
            token: "app")
        #expect(own.status == 201)
        #expect(try await ask(fixture, method: .get, path: "/fhir/Binary/own", token: "app").bytes == [1])
        #expect(try await ask(fixture, method: .get, path: "/fhir/Binary/own", token: "other").status == 404)
        for reference in ["Patient/p2", "DocumentReference/d"] {
            let headers: HTTPFields = [.contentType: "image/png", context: reference]
            #expect(
                try await ask(fixture, method: .post, path: "/fhir/Binary", headers: headers, body: [1], token: "app")
                    .status == 403)
        }
        let odd = try await ask(
            fixture, method: .post, path: "/fhir/Binary", headers: [.contentType: "image/png", context: "nobody"],
            body: [1])
        #expect(odd.status == 400 && code(odd.json) == "security-context-invalid")
        try await fixture.close()
    }
}
