import Core
import FHIR
import FHIRHTTP
import Foundation
import HTTPTypes
import Hummingbird
import RecordStorage
import ServerHTTP

/// Reads and writes of a Binary as its content (<https://hl7.org/fhir/R4/binary.html#rest>).
enum RawBinary {
    static let type = "Binary"
    /// The media type of a Binary without one, or with one that is not valid in a header.
    static let unknownType = "application/octet-stream"

    /// Whether a request's address is that of a Binary, or for a create that of the type.
    static func isAddressed(by request: Request) -> Bool {
        let parts = request.uri.path.split(separator: "/")
        guard parts.count >= 2, parts[1] == type else { return false }
        switch request.method {
        case .get, .head: return parts.count == 3 || parts.count == 5 && parts[3] == "_history"
        case .post: return parts.count == 2
        default: return true
        }
    }

    /// Returns the media type with which the content of a Binary is sent.
    static func contentType(of resource: Resource) -> String {
        guard let text = resource["contentType"]?.string, isMediaType(text) else { return unknownType }
        return text
    }

    /// Reads the resource in a body: a Binary in a FHIR format, or the content of one.
    ///
    /// Content of a FHIR media type that is another resource is the content of a Binary, too. Content of another media
    /// type may be anything, for example an XML document of another standard.
    ///
    /// - Parameters:
    ///   - id: the id in the address.
    ///   - maximumBytes: the maximum number of bytes of the resource.
    /// - Throws: ``RecordsFailure``
    static func resource(
        _ body: Data, of request: Request, id: String?, maximumBytes: Int
    ) throws(RecordsFailure) -> Resource {
        guard let header = request.headers[.contentType] else {
            return try FHIRFormat.json.resource(body).expected(type)
        }
        // FHIR's codes contain only single spaces (<https://hl7.org/fhir/R4/datatypes.html#code>).
        let mediaType = header.split { $0 == " " || $0 == "\t" }.joined(separator: " ")
        guard isMediaType(mediaType), let name = request.bodyType else { throw .contentTypeInvalid }
        guard !body.isEmpty else { throw .contentEmpty }
        if let format = FHIRFormat(name: name) {
            do throws(RecordsFailure) {
                let resource = try format.resource(body)
                if resource.resourceType == type { return resource }
            } catch {
                // Only FHIR's own media types guarantee a resource.
                guard !name.hasPrefix("application/fhir") else { throw .contentTypeFalse }
            }
        }
        guard (body.count + 2) / 3 * 4 <= maximumBytes - 1_024 else { throw .tooLarge }
        var object = JSONObject(resourceType: type)
        if let id { object["id"] = .string(id) }
        object["contentType"] = .string(mediaType)
        if let context = request.headers[.securityContext] {
            let reference = context.trimmingCharacters(in: .whitespaces)
            guard LiteralReference(reference) != nil else { throw .securityContextInvalid }
            object["securityContext"] = ["reference": .string(reference)]
        }
        object["data"] = .string(body.base64EncodedString())
        return Resource(object)
    }

    /// Whether a text is a media type with parameters (RFC 9110 section 8.3.1) that is valid in a header.
    static func isMediaType(_ text: String) -> Bool {
        guard text.utf8.count <= 256, text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) else { return false }
        let name = text.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces)
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        return parts.count == 2 && parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(isOfToken) && $0 != "*" }
    }

    /// RFC 9110 section 5.6.2.
    private static func isOfToken(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}

extension Resource {
    fileprivate func expected(_ type: String) throws(RecordsFailure) -> Resource {
        guard resourceType == type else { throw .otherType }
        return self
    }
}

extension Request {
    /// Whether the client gets the content of a Binary rather than the resource: it accepts no FHIR format, or prefers
    /// the content.
    ///
    /// `application/json` and `application/xml` request the resource only where nothing else is accepted.
    func acceptsRaw(contentType: String) -> Bool {
        if uri.query != nil, let format = uri.queryParameters["_format"], !format.isEmpty {
            return FHIRFormat(name: AcceptedValue(format).name) == nil
        }
        let accepted = AcceptedValue.all(of: headers[values: .accept])
        guard !accepted.isEmpty else { return true }
        let name = AcceptedValue(contentType[...]).name
        let group = name.prefix { $0 != "/" } + "/*"
        var (fhir, generic, exact, range, other) = (0.0, 0.0, 0.0, 0.0, 0.0)
        // Of two with the same weight, the first in the header is preferred.
        var isExactFirst = false
        for value in accepted {
            switch value.name {
            case name:
                if fhir == 0, value.weight > 0 { isExactFirst = true }
                exact = max(exact, value.weight)
            case String(group), "*/*", "*": range = max(range, value.weight)
            default:
                guard FHIRFormat(name: value.name) != nil else {
                    other = max(other, value.weight)
                    continue
                }
                if value.name.hasPrefix("application/fhir") {
                    fhir = max(fhir, value.weight)
                } else {
                    generic = max(generic, value.weight)
                }
            }
        }
        if fhir > 0 { return exact > fhir || exact == fhir && isExactFirst || range > fhir }
        if exact > 0 || range > 0 { return true }
        return generic == 0 && other > 0
    }
}

extension Response {
    /// Creates a response with the content of a Binary. A browser neither guesses another type nor executes it.
    ///
    /// - Throws: ``RecordsFailure`` where the data are not base64.
    package init(raw resource: Resource, of record: StoredRecord) throws {
        let text = resource["data"]?.string ?? ""
        guard let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters) else {
            throw RecordsFailure.contentInvalid
        }
        self = .bytes(ByteBuffer(bytes: data), mediaType: RawBinary.contentType(of: resource))
        for field in Response.headers(of: record) { headers[field.name] = field.value }
        headers[.contentTypeOptions] = "nosniff"
        headers[.contentSecurityPolicy] = "default-src 'none'; base-uri 'none'; form-action 'none'; sandbox"
        headers[.vary] = "Accept"
        if let context = resource["securityContext"]?["reference"]?.string,
            context.utf8.allSatisfy({ (0x21..<0x7F).contains($0) })
        {
            headers[.securityContext] = context
        }
    }
}

extension HTTPField.Name {
    /// The resource whose access rules apply to a Binary (<https://hl7.org/fhir/R4/binary.html#security>).
    package static let securityContext = HTTPField.Name(validated: "X-Security-Context")
}
