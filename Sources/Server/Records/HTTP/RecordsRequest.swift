import Core
import Foundation
import Hummingbird

/// What a request for records says in its headers, its address and its form.
struct RecordsRequest {
    private let request: Request
    private let scheme: String

    init(_ request: Request, scheme: String) {
        self.request = request
        self.scheme = scheme
    }

    /// The parameters of the address.
    var parameters: [(name: String, value: String)] {
        request.uri.queryParameters.map { (name: String($0.key), value: String($0.value)) }
    }

    /// Where the client finds this API, as it wrote it itself.
    var url: String {
        let authority = request.head.authority ?? ""
        let isPlain = authority.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: "-._~:[]".utf8.contains(byte)
            }
        }
        return "\(scheme)://\(isPlain && !authority.isEmpty ? authority : "localhost")/fhir"
    }

    /// Whether the client takes JSON: `_format` overrides the header (<https://hl7.org/fhir/R4/http.html#mime-type>).
    var acceptsJSON: Bool {
        if let format = request.uri.queryParameters["_format"], !format.isEmpty {
            // The plus sign of a media type is a space where it was not escaped.
            return ["json", "application/json", "text/json", "application/fhir+json", "application/fhir json"]
                .contains(Self.mediaType(format.lowercased()[...]).type)
        }
        let accepted = request.headers[values: .accept].flatMap { $0.split(separator: ",") }
            .map { Self.mediaType($0.lowercased()[...]) }
        guard !accepted.isEmpty else { return true }
        let ours = ["application/fhir+json", "application/json", "application/*", "text/json", "*/*", "*"]
        return accepted.contains { ours.contains($0.type) && !$0.isRefused }
    }

    /// Whether a parameter that is not known is an error (<https://hl7.org/fhir/R4/search.html#errors>).
    var isStrict: Bool {
        guard let prefer = HTTPFields.Element.Name("Prefer") else { return false }
        return request.headers[values: prefer].contains { value in
            value.lowercased().split { $0 == "," || $0 == ";" }
                .contains { $0.filter { !$0.isWhitespace } == "handling=strict" }
        }
    }

    /// Whether the client has the version already.
    func knows(version: Int64) -> Bool {
        request.headers[values: .ifNoneMatch].flatMap { $0.split(separator: ",") }.contains { tag in
            let tag = tag.trimmingCharacters(in: .whitespaces)
            // The weak comparison of RFC 9110, 8.8.3.2.
            return tag == "*" || (tag.hasPrefix("W/") ? String(tag.dropFirst(2)) : tag) == "\"\(version)\""
        }
    }

    /// The parameters of the form in the body.
    func form() async throws -> [(name: String, value: String)] {
        if let type = request.headers[.contentType] {
            guard Self.mediaType(type.lowercased()[...]).type == "application/x-www-form-urlencoded" else {
                throw RecordsFailure.unsupportedForm
            }
        }
        var request = request
        guard let buffer = try? await request.collectBody(upTo: 64 << 10) else { throw RecordsFailure.tooLarge }
        guard let fields = PercentEncoding.fields(String(buffer: buffer)) else {
            throw RecordsFailure.invalid("The form", "percent-encoded UTF-8")
        }
        return fields
    }

    private static func mediaType(_ text: Substring) -> (type: String, isRefused: Bool) {
        let parts = text.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
        let isRefused = parts.dropFirst().contains { part in
            part.hasPrefix("q=") && Double(part.dropFirst(2)) == 0
        }
        return (parts.first ?? "", isRefused)
    }
}
