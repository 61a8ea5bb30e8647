import Core
import FHIR
import FHIRHTTP
import FHIRPatch
import Foundation
import HTTPTypes

/// A parsed entry of a batch or a transaction (<https://hl7.org/fhir/R4/http.html#transaction>).
package enum BundleEntry: Sendable {
    case write(WriteRequest)
    /// A read, a search or an operation; the routes of single requests process it.
    case request(EntryRequest)

    /// Maximum number of entries of a Bundle.
    package static let maximumCount = 500
    /// Maximum number of resources that the entries of one Bundle read; then no further entry begins.
    package static let maximumRead = 1_000

    /// - Parameters:
    ///   - url: the base URL of this server as the client reaches it; an address may begin with it.
    ///   - strict: whether an unknown search parameter is an error.
    /// - Throws: ``RecordsFailure``
    package init(_ entry: FHIR.Bundle.Entry, url base: String, strict: Bool) throws(RecordsFailure) {
        guard let request = entry.request, let method = request.method, let url = request.url else {
            throw .entryInvalid
        }
        let address = try EntryAddress(url, base: base)
        if method == .get || method == .head || method == .post && address.isOfOperation {
            self = .request(try EntryRequest(entry, request: request, address: address, strict: strict))
            return
        }
        self = .write(try Self.write(entry, request: request, method: method, address: address))
    }

    private static func write(
        _ entry: FHIR.Bundle.Entry, request: FHIR.Bundle.Entry.Request, method: HTTPVerb, address: EntryAddress
    ) throws(RecordsFailure) -> WriteRequest {
        try address.requireWritten()
        func resource() throws(RecordsFailure) -> Resource {
            guard let resource = entry.resource else { throw .entryInvalid }
            guard resource.resourceType == address.type else { throw .otherType }
            return resource
        }
        let destination: WriteRequest.Destination = address.id.map { .id($0) } ?? .found(address.criteria)
        var write: WriteRequest
        switch method {
        case .post:
            guard address.id == nil else { throw .entryInvalid }
            let condition = request.ifNoneExist
            var criteria = try condition.map { text throws(RecordsFailure) in try WriteRequest.criteria(text) }
            // Some clients write them into the address, as in a single request.
            if criteria == nil, !address.criteria.isEmpty { criteria = address.criteria }
            write = WriteRequest(
                type: address.type, destination: criteria.map { .newUnless($0) } ?? .new,
                change: .create(try resource()))
        case .put:
            let resource = try resource()
            if let id = address.id {
                guard let own = resource.id else { throw .idMissing }
                guard own == id else { throw .otherID }
            }
            write = WriteRequest(type: address.type, destination: destination, change: .update(resource))
        case .patch:
            guard let resource = entry.resource else { throw .entryInvalid }
            write = WriteRequest(
                type: address.type, destination: destination, change: .patch(try ResourcePatch(ofEntry: resource)))
        case .delete: write = WriteRequest(type: address.type, destination: destination, change: .delete)
        default: throw .entryInvalid
        }
        write.ifMatch = try WriteRequest.condition(request.ifMatch)
        write.ifNoneMatch = try WriteRequest.condition(request.ifNoneMatch)
        write.fullURL = entry.fullUrl ?? ""
        return write
    }
}

/// The address of an entry, relative to the base URL of the API.
struct EntryAddress: Sendable {
    /// Empty for the root itself.
    let path: [String]
    /// As written; nil without one.
    let query: String?
    /// The parameters of the query, except those for the response format.
    let criteria: WriteRequest.Criteria

    /// Reads `Type/id` or `/Type/id`, also after the base URL of this server.
    ///
    /// - Throws: ``RecordsFailure`` for an invalid address.
    init(_ url: String, base: String) throws(RecordsFailure) {
        var url = url[...]
        if url.hasPrefix(base), url.dropFirst(base.count).first.map({ "/?".contains($0) }) ?? true {
            url = url.dropFirst(base.count)
        }
        guard url.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else { throw .entryInvalid }
        if url.hasPrefix("/") { url.removeFirst() }
        let parts = url.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let path = parts[0].isEmpty ? [] : parts[0].split(separator: "/", omittingEmptySubsequences: false)
        guard !path.contains("") else { throw .entryInvalid }
        self.path = path.map(String.init)
        query = parts.count > 1 ? String(parts[1]) : nil
        guard let fields = query.map({ PercentEncoding.fields($0) }) ?? [] else { throw .entryInvalid }
        criteria = fields.filter { !["_format", "_pretty"].contains($0.name) }
    }

    var type: String { path.first ?? "" }
    var id: String? { path.count > 1 ? path[1] : nil }

    /// Whether a POST to it is a search or an operation, rather than a create.
    var isOfOperation: Bool { path.last.map { $0 == "_search" || $0.hasPrefix("$") } ?? false }

    /// Requires the address of a type, or that of a resource without a query, for a write.
    func requireWritten() throws(RecordsFailure) {
        guard Resource.isTypeName(type), path.count == 1 || path.count == 2 && criteria.isEmpty else {
            throw .entryInvalid
        }
    }
}

extension ResourcePatch {
    /// Reads the patch of an entry: Parameters are a FHIRPath Patch, a JSON Patch is in a Binary
    /// (<https://hl7.org/fhir/R4/http.html#jsonpatch>).
    fileprivate init(ofEntry resource: Resource) throws(RecordsFailure) {
        if resource.resourceType == Parameters.resourceType {
            do throws(PatchError) { self = .fhirPath(try FHIRPathPatch(resource)) } catch {
                throw RecordsFailure(error)
            }
            return
        }
        guard resource.resourceType == "Binary", let type = resource["contentType"]?.string,
            let data = resource["data"]?.string.flatMap({ Data(base64Encoded: $0) })
        else { throw .formUnknown }
        try self.init(data, mediaType: type)
    }
}
