import FHIR
import FHIRXML
import Foundation
import Hummingbird
import HummingbirdTesting
import Testing

/// Resources are read and written in XML like in JSON, with equal content (<https://hl7.org/fhir/R4/xml.html>).
@Suite(.timeLimit(.minutes(10)))
struct RecordsFormatTests {
    private struct Answer {
        let status: Int
        let type: String?
        let bytes: [UInt8]
        let location: String?
    }

    private func ask(
        _ fixture: RecordsFixture, method: HTTPRequest.Method, path: String, accept: String? = nil,
        body: [UInt8]? = nil, type: String? = nil
    ) async throws -> Answer {
        var headers: HTTPFields = [.authorization: "Bearer \(fixture.tokens["writer"] ?? "")"]
        headers[.accept] = accept
        headers[.contentType] = type
        return try await fixture.application.test(.router) { [headers] client in
            try await client.execute(
                uri: path, method: method, headers: headers, body: body.map { ByteBuffer(bytes: $0) }
            ) { response in
                Answer(
                    status: Int(response.status.code), type: response.headers[.contentType],
                    bytes: Array(response.body.readableBytesView), location: response.headers[.location])
            }
        }
    }

    private func fixture() async throws -> RecordsFixture {
        var fixture = try await RecordsFixture()
        try await fixture.addWriter()
        return fixture
    }

    @Test func resourceWrittenAsXMLIsReadInBothFormats() async throws {
        let fixture = try await fixture()
        let json = try JSON(Array(observation("a").utf8))
        let written = try await ask(
            fixture, method: .put, path: "/fhir/Observation/a", accept: "application/fhir+xml",
            body: try ResourceXML.write(json),
            type: "application/fhir+xml; charset=utf-8")
        #expect(written.status == 201 && written.type == "application/fhir+xml; charset=utf-8")
        #expect(written.location?.hasSuffix("/fhir/Observation/a/_history/1") == true)
        for (accept, format) in [
            ("application/fhir+xml", ""), (nil, "?_format=xml"), ("text/html", "?_format=text/xml"),
        ] {
            let read = try await ask(fixture, method: .get, path: "/fhir/Observation/a" + format, accept: accept)
            let back = try ResourceXML.read(read.bytes)
            #expect(back["code"] == json["code"] && back["valueQuantity"] == json["valueQuantity"])
        }
        let plain = try await ask(fixture, method: .get, path: "/fhir/Observation/a")
        // Numbers keep the digits that were sent.
        #expect(String(decoding: plain.bytes, as: UTF8.self).contains("72.00"))
        try await fixture.close()
    }

    @Test func allResponsesHaveTheRequestedFormat() async throws {
        let fixture = try await fixture()
        try await fixture.put(observation("a"))
        for (path, type) in [
            ("/fhir/Observation?code=8867-4", "Bundle"), ("/fhir/Observation/a/_history", "Bundle"),
            ("/fhir/metadata", "CapabilityStatement"), ("/fhir/Observation/none", "OperationOutcome"),
        ] {
            let answer = try await ask(fixture, method: .get, path: path, accept: "application/xml;q=0.9,*/*;q=0.1")
            #expect(answer.type == "application/fhir+xml; charset=utf-8", "\(path)")
            #expect(try ResourceXML.read(answer.bytes)["resourceType"]?.string == type)
        }
        let bundle = try JSON(
            Array(
                #"{"resourceType":"Bundle","type":"transaction","entry":[{"request":{"method":"PUT","url":"Observation/b"},"resource":\#(observation("b"))}]}"#
                    .utf8))
        let done = try await ask(
            fixture, method: .post, path: "/fhir", accept: "text/xml", body: try ResourceXML.write(bundle),
            type: "text/xml")
        #expect(done.status == 200)
        #expect(try ResourceXML.read(done.bytes)["type"] == "transaction-response")
        #expect(try await fixture.ids("/fhir/Observation") == ["a", "b"])
        try await fixture.close()
    }

    @Test func preferredFormatIsServed() async throws {
        let fixture = try await fixture()
        for (accept, type) in [
            ("application/fhir+xml;q=0.5, application/fhir+json", "json"),
            ("application/fhir+json;q=0.5, application/fhir+xml", "xml"),
            ("application/fhir+xml, application/fhir+json", "xml"), ("*/*, application/fhir+xml", "json"),
            ("application/fhir+xml;q=0, */*;q=0.1", "json"),
        ] {
            let answer = try await ask(fixture, method: .get, path: "/fhir/Observation", accept: accept)
            #expect(answer.type == "application/fhir+\(type); charset=utf-8", "\(accept)")
        }
        try await fixture.close()
    }

    @Test(arguments: [
        "", "<", "<Observation xmlns='http://hl7.org/fhir'>", "<!DOCTYPE x [<!ENTITY e 'x'>]><Observation/>",
        "<Patient xmlns='urn:other'/>", "\u{0}", "{}",
    ])
    func invalidXMLIsRefused(body: String) async throws {
        let fixture = try await fixture()
        let rows = try await fixture.rows
        let answer = try await ask(
            fixture, method: .post, path: "/fhir/Observation", body: Array(body.utf8), type: "application/fhir+xml")
        #expect(answer.status == 400)
        #expect(try JSON(answer.bytes)["resourceType"] == "OperationOutcome")
        #expect(try await fixture.rows == rows)
        try await fixture.close()
    }

    @Test func contentThatXMLCannotRepresentIsReported() async throws {
        let fixture = try await fixture()
        try await fixture.put(observation("a").replacingOccurrences(of: "\"/min\"", with: "\"\\u0001\""))
        let answer = try await ask(fixture, method: .get, path: "/fhir/Observation/a", accept: "application/fhir+xml")
        #expect(answer.status == 406)
        #expect(String(decoding: answer.bytes, as: UTF8.self).contains("format-impossible"))
        #expect(try await ask(fixture, method: .get, path: "/fhir/Observation/a").status == 200)
        try await fixture.close()
    }
}
