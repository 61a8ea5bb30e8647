import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing

@testable import ServerHTTP

/// Long responses are sent as gzip to clients that accept it. `test_fhir_rest` shows from outside that they are
/// readable.
@Suite struct CompressionTests {
    private func ask(
        _ fixture: RecordsFixture, path: String, method: HTTPRequest.Method = .get, accepting encoding: String?
    ) async throws -> (status: Int, headers: HTTPFields, bytes: [UInt8]) {
        var headers: HTTPFields = [.authorization: "Bearer \(fixture.token)"]
        headers[.acceptEncoding] = encoding
        return try await fixture.application.test(.router) { [headers] client in
            try await client.execute(uri: path, method: method, headers: headers) { response in
                (Int(response.status.code), response.headers, Array(response.body.readableBytesView))
            }
        }
    }

    @Test func pageIsCompressedForClientsThatAcceptGzip() async throws {
        let fixture = try await RecordsFixture()
        for number in 0..<40 { try await fixture.put(observation("o\(number)")) }
        let path = "/fhir/Observation?_count=40"
        let plain = try await ask(fixture, path: path, accepting: nil)
        #expect(plain.status == 200 && plain.headers[.contentEncoding] == nil && plain.bytes.first == UInt8(ascii: "{"))
        #expect(plain.headers[.vary]?.contains("Accept-Encoding") == true, "a cache must not give one to the other")
        let packed = try await ask(fixture, path: path, accepting: "br, gzip;q=0.8")
        #expect(packed.status == 200 && packed.headers[.contentEncoding] == "gzip")
        #expect(packed.bytes.starts(with: [0x1F, 0x8B]) && packed.bytes.count * 4 < plain.bytes.count)
        // A short response, an error, and a response without a body are not compressed.
        for (path, method) in [
            ("/fhir/Observation/o1", HTTPRequest.Method.get), ("/fhir/Nothing/1", .get), (path, .head),
        ] {
            #expect(
                try await ask(fixture, path: path, method: method, accepting: "gzip").headers[.contentEncoding] == nil,
                "\(path)")
        }
        try await fixture.close()
    }

    @Test(arguments: [
        ("gzip", true), ("GZIP", true), ("deflate, gzip;q=1.0", true), ("gzip;q=0", false), ("gzip; q=0.0", false),
        ("gzip;q=", false), ("identity", false), ("*", false), ("", false), ("gzipped", false),
    ])
    func acceptEncodingDecidesTheUseOfGzip(value: String, isTaken: Bool) {
        #expect(CompressionMiddleware.takesGzip([value]) == isTaken)
    }
}
