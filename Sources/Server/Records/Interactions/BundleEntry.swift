import Core
import FHIR
import Foundation

/// An entry of a batch or a transaction, read (<https://hl7.org/fhir/R4/http.html#transaction>).
enum BundleEntry: Sendable {
    case write(WriteRequest)
    /// `Type/id` or `Type/id/_history/version`.
    case read(type: String, id: String, version: String?)
    /// A search at any address that has one.
    case search(SearchQuery.Scope, WriteRequest.Criteria)
    /// `Type/id/_history`, `Type/_history` or `_history`.
    case history(type: String?, id: String?, WriteRequest.Criteria)

    /// Entries beyond which a Bundle is refused.
    static let most = 500
    /// So many resources are read by the entries of one Bundle, and no more are begun.
    static let mostRead = 1_000

    /// - Throws: ``RecordsFailure``
    init(_ entry: FHIR.Bundle.Entry) throws(RecordsFailure) {
        guard let request = entry.request, let method = request.method, let url = request.url else {
            throw .entryInvalid
        }
        let address = try Address(url)
        if method == .get || method == .head {
            try self.init(reading: address)
            return
        }
        try address.requireWritten()
        func resource() throws(RecordsFailure) -> Resource {
            guard let resource = entry.resource else { throw .entryInvalid }
            guard resource.resourceType == address.type else { throw .otherType }
            return resource
        }
        let place: WriteRequest.Place = address.id.map { .id($0) } ?? .found(address.criteria)
        var write: WriteRequest
        switch method {
        case .post:
            guard address.id == nil else { throw .entryInvalid }
            let condition = request.ifNoneExist
            var criteria = try condition.map { text throws(RecordsFailure) in try WriteRequest.criteria(text) }
            // Some clients write them into the address, as for a request that comes alone.
            if criteria == nil, !address.criteria.isEmpty { criteria = address.criteria }
            write = WriteRequest(
                type: address.type, place: criteria.map { .newUnless($0) } ?? .new, change: .create(try resource()))
        case .put:
            let resource = try resource()
            if let id = address.id {
                guard let own = resource.id else { throw .idMissing }
                guard own == id else { throw .otherID }
            }
            write = WriteRequest(type: address.type, place: place, change: .update(resource))
        case .patch:
            guard let resource = entry.resource else { throw .entryInvalid }
            write = WriteRequest(
                type: address.type, place: place, change: .patch(try ResourcePatch(ofEntry: resource)))
        case .delete: write = WriteRequest(type: address.type, place: place, change: .delete)
        default: throw .entryInvalid
        }
        write.ifMatch = try request.ifMatch.map { tag throws(RecordsFailure) in try WriteRequest.version(ofTag: tag) }
        if let tag = request.ifNoneMatch {
            guard tag == "*" else { throw .versionTagInvalid }
            write.ifNoneMatch = true
        }
        write.fullURL = entry.fullUrl ?? ""
        self = .write(write)
    }

    /// What reads, by its address.
    private init(reading address: Address) throws(RecordsFailure) {
        let (path, criteria) = (address.path, address.criteria)
        let isOfAll = path.count == 1 && ["", "_history"].contains(path[0])
        guard isOfAll || Resource.isTypeName(path[0]) else { throw .entryInvalid }
        switch (path.count, path.last) {
        case (1, ""): self = .search(.system, criteria)
        case (1, "_history"): self = .history(type: nil, id: nil, criteria)
        case (1, _): self = .search(.type(path[0]), criteria)
        case (2, "_history"): self = .history(type: path[0], id: nil, criteria)
        case (2, _) where criteria.isEmpty: self = .read(type: path[0], id: path[1], version: nil)
        case (3, "_history"): self = .history(type: path[0], id: path[1], criteria)
        case (3, let member?):
            guard let compartment = SearchCompartment(type: path[0], id: path[1]),
                member == "*" || Resource.isTypeName(member)
            else { throw .entryInvalid }
            self = .search(.compartment(compartment, type: member == "*" ? nil : member), criteria)
        case (4, let version?) where path[2] == "_history" && criteria.isEmpty:
            self = .read(type: path[0], id: path[1], version: version)
        default: throw .entryInvalid
        }
    }

    /// An address from the root of the API.
    private struct Address {
        /// At least one part, which may be empty.
        let path: [String]
        /// Whether it asks for something, be it nothing.
        let hasQuery: Bool
        let criteria: WriteRequest.Criteria

        init(_ url: String) throws(RecordsFailure) {
            let parts = url.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
            path = parts[0].split(separator: "/", omittingEmptySubsequences: false).map(String.init)
            hasQuery = parts.count > 1
            guard let fields = hasQuery ? PercentEncoding.fields(parts[1]) : [] else { throw .entryInvalid }
            criteria = fields
        }

        var type: String { path[0] }
        var id: String? { path.count > 1 ? path[1] : nil }

        /// What is written stands at a type's address, or at that of a resource, which takes no query.
        func requireWritten() throws(RecordsFailure) {
            guard Resource.isTypeName(type), path.count == 1 || path.count == 2 && !hasQuery else {
                throw .entryInvalid
            }
        }
    }
}

extension ResourcePatch {
    /// The patch in an entry: Parameters are a FHIRPath Patch, a JSON Patch stands in a Binary (<https://hl7.org/fhir/R4/http.html#jsonpatch>).
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
