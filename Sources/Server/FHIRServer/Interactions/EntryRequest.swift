import Core
import FHIR
import FHIRHTTP
import Foundation
import HTTPTypes

/// A reading entry of a Bundle, as the equivalent single request.
package struct EntryRequest: Sendable {
    let head: HTTPRequest
    /// The body; nil where there is none.
    let body: Data?
    let address: EntryAddress
    /// The time after which a change is sent again (`ifModifiedSince`); nil where the entry has none.
    let modifiedSince: Date?

    /// - Throws: ``RecordsFailure`` for an invalid entry.
    init(
        _ entry: FHIR.Bundle.Entry, request: FHIR.Bundle.Entry.Request, address: EntryAddress, strict: Bool
    ) throws(RecordsFailure) {
        let isPost = request.method == .post
        var head = HTTPRequest(
            method: isPost ? .post : .get, scheme: nil, authority: nil, path: "/fhir" + Self.target(of: address))
        head.headerFields[.accept] = FHIRFormat.json.mediaType
        if strict { head.headerFields[.prefer] = "handling=strict" }
        if let tag = request.ifNoneMatch {
            guard tag.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else { throw .versionTagInvalid }
            head.headerFields[.ifNoneMatch] = tag
        }
        modifiedSince = isPost ? nil : request.ifModifiedSince?.start()
        var body: Data?
        if isPost, let resource = entry.resource {
            let isForm = address.path.last == "_search"
            let form = isForm ? try Self.form(resource) : nil
            head.headerFields[.contentType] =
                isForm ? "application/x-www-form-urlencoded" : FHIRFormat.json.mediaType
            body = form ?? resource.json.data()
        }
        self.head = head
        self.body = body
        self.address = address
    }

    /// Returns the path and the query, percent-encoded where necessary.
    private static func target(of address: EntryAddress) -> String {
        let path = address.path.map { "/" + $0 }.joined()
        let text = path + (address.query.map { "?" + $0 } ?? "")
        guard text.utf8.contains(where: { !(0x21...0x7E).contains($0) }) else { return text }
        return text.utf8.reduce(into: "") { output, byte in
            if (0x21...0x7E).contains(byte) {
                output.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                output += "%" + Hexadecimal.text([byte]).uppercased()
            }
        }
    }

    /// Reads the form of a search: a Binary with its bytes, or Parameters.
    private static func form(_ resource: Resource) throws(RecordsFailure) -> Data {
        if resource.resourceType == "Binary" {
            guard let data = resource["data"]?.string.flatMap({ Data(base64Encoded: $0) }) else { throw .entryInvalid }
            return data
        }
        guard let parameters = resource.as(Parameters.self) else { throw .entryInvalid }
        var fields: [String] = []
        for parameter in parameters.parameter {
            let value = parameter.object.members.first { $0.key.hasPrefix("value") }?.value
            guard let name = parameter.name,
                let text = value?.string ?? value?.number?.text ?? value?.bool.map({ $0 ? "true" : "false" })
            else { throw .entryInvalid }
            fields.append(PercentEncoding.encode(name) + "=" + PercentEncoding.encode(text))
        }
        return Data(fields.joined(separator: "&").utf8)
    }
}

/// The response to a reading entry.
struct EntryAnswer: Sendable {
    /// `200 OK` or `304 Not Modified`.
    let status: String
    let etag: String?
    /// The resource as JSON; empty where there is none.
    let body: [UInt8]
}

extension EntryRequest {
    /// The interaction of an entry with one resource.
    enum Interaction: Sendable, Hashable {
        case read
        case versionRead(String)
        case history
        /// A compartment or an operation.
        case other
    }

    /// The resource of the address and the interaction; nil where the address names no resource.
    var named: (type: String, id: String, interaction: Interaction)? {
        let path = address.path
        guard path.count > 1, Resource.isTypeName(path[0]), Resource.isID(path[1]),
            head.method != .post || path.count > 2
        else { return nil }
        let interaction: Interaction =
            switch (path.count, path.dropFirst(2).first) {
            case (2, _): .read
            case (3, "_history"): .history
            case (4, "_history"): .versionRead(path[3])
            default: .other
            }
        return (path[0], path[1], interaction)
    }

    /// Whether the response is one version of a resource, which no other entry changes.
    var isOfOneVersion: Bool {
        switch named?.interaction {
        case .read, .versionRead: true
        default: false
        }
    }
}
