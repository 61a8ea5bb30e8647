import FHIR
import FHIRSearch
import Foundation

/// Read-only resources that everyone may read: definitions of extensions and code systems. Each has one version.
struct PublishedResources: Sendable {
    /// A definition with its search values.
    private struct Definition: Sendable {
        let resource: Resource
        let values: SearchValues?
    }

    private let byType: [String: [Definition]]

    /// - Parameter objects: resources with types and ids.
    init(_ objects: [JSONObject]) {
        byType = Dictionary(grouping: objects.map { Resource($0) }, by: \.resourceType).mapValues { resources in
            resources.map { Definition(resource: $0, values: SearchValues(indexing: $0)) }
        }
    }

    /// The types, in the order of their names.
    var types: [String] { byType.keys.sorted() }

    /// Published types of which resources may be stored as well.
    static let storedTypes: Set<String> = ["CodeSystem"]

    /// The types that have only published resources.
    var definedTypes: [String] { types.filter { !Self.storedTypes.contains($0) } }

    /// Whether a write leaves the ids and the canonical URLs of the published resources alone.
    func mayBeWritten(_ request: WriteRequest) -> Bool {
        var ids: Set<String> = []
        if case .id(let id) = request.destination { ids.insert(id) }
        var url: String?
        switch request.change {
        case .create(let resource): url = resource["url"]?.string
        case .update(let resource):
            url = resource["url"]?.string
            if let id = resource.id { ids.insert(id) }
        case .patch, .delete: break
        }
        return mayBeWritten(type: request.type, ids: ids, url: url)
    }

    /// Whether a resource of a type may be stored with an id and a canonical URL.
    func mayBeWritten(type: String, id: String, url: String?) -> Bool {
        mayBeWritten(type: type, ids: [id], url: url)
    }

    private func mayBeWritten(type: String, ids: Set<String>, url: String?) -> Bool {
        guard let published = byType[type] else { return true }
        guard Self.storedTypes.contains(type) else { return false }
        return !published.contains { definition in
            definition.resource.id.map(ids.contains) ?? false
                || url != nil && definition.resource["url"]?.string == url
        }
    }

    /// Whether a resource that a patch made has the canonical URL of a published one.
    func defines(_ resource: Resource) -> Bool {
        guard let url = resource["url"]?.string else { return false }
        return byType[resource.resourceType]?.contains { $0.resource["url"]?.string == url } ?? false
    }

    func read(type: String, id: String) -> Resource? { byType[type]?.first { $0.resource.id == id }?.resource }

    /// The search parameters that the CapabilityStatement names
    /// (<https://hl7.org/fhir/R4/structuredefinition.html#search>). A search accepts all R4 parameters of the type.
    static let parameters: [(name: String, kind: SearchParamType)] = [
        ("_id", .token), ("name", .string), ("url", .uri),
    ]

    /// Returns a page of a search, with the same parameters as a search of records. Definitions have a fixed order and
    /// refer to no records: a search with chains, `_include` or `_sort` is refused.
    ///
    /// - Throws: ``SearchConditionError``; ``RecordsFailure``.
    func search(
        type: String, parameters: [(name: String, value: String)], strict: Bool, now: Date, url: String
    ) throws -> FHIR.Bundle {
        let query = try SearchQuery(type: type, parameters: parameters, strict: strict, now: now, ownBases: [url])
        let conditions = query.conditions
        guard query.includes.isEmpty, query.order.keys.isEmpty,
            conditions.count == query.parts.reduce(0, { $0 + $1.criteria.count })
        else { throw SearchConditionError.definitionsAlone }
        if let asked = conditions.first(where: \.needsTerminology) {
            throw SearchConditionError.terminologyUnknown(
                asked.parameter.code, "definitions are not searched by value sets or the hierarchy of codes.")
        }
        let found = (byType[type] ?? []).filter { definition in
            conditions.allSatisfy { condition in definition.values.map { condition.matches($0) } ?? false }
        }
        var bundle = FHIR.Bundle(type: .searchset)
        if query.total != SearchQuery.Total.none { bundle.total = found.count }
        bundle.link = [
            FHIR.Bundle.Link(relation: "self", url: RecordsService.address(url, path: type, parameters: query.used))
        ]
        let start = min(Int(query.after?.number ?? 0), found.count)
        let page = query.isCountOnly ? [] : found[start...].prefix(query.count)
        if !query.isCountOnly, page.endIndex < found.count {
            let next =
                query.used.filter { $0.name != "_count" } + [
                    ("_count", String(query.count)),
                    ("_cursor", PageCursor(values: [], number: Int64(page.endIndex)).text),
                ]
            bundle.link.append(
                FHIR.Bundle.Link(relation: "next", url: RecordsService.address(url, path: type, parameters: next)))
        }
        bundle.entry = page.map { definition in
            let resource = query.subset?.of(definition.resource) ?? definition.resource
            return RecordsService.match(resource, at: "\(url)/\(type)/\(definition.resource.id ?? "")")
        }
        if let outcome = OperationOutcome(ignored: query.ignored) { bundle.entry.append(outcome.searchEntry) }
        return bundle
    }
}

extension SearchConditionError {
    static let definitionsAlone = SearchConditionError(
        code: "parameter-invalid",
        message: "Definitions of this server are searched by their own parameters, without _sort, _include and chains.")
}
