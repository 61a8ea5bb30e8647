import FHIR

/// The declared abilities of a FHIR server (<https://hl7.org/fhir/R4/capabilitystatement.html>) that a store uses. An
/// ability that the server refuses in practice is removed.
struct FHIRServerAbilities: Sendable, Hashable {
    /// Whether several changes can be made in one request, all or none.
    var hasTransactions = false
    /// Types whose new resources may have ids assigned by the client.
    private var updateCreate: Set<String> = []
    /// Types that support conditional create.
    private var conditionalCreate: Set<String> = []
    /// Types whose versions are checked before a change.
    private var versioned: Set<String> = []

    /// Creates the abilities of every server.
    init() {}

    /// Reads a CapabilityStatement. A missing or unreadable element counts as not supported.
    init(_ statement: JSON) {
        guard statement["resourceType"]?.string == "CapabilityStatement",
            let rest = statement["rest"]?.array?.first(where: { $0["mode"]?.string == "server" })
        else { return }
        hasTransactions = rest["interaction"]?.array?.contains { $0["code"]?.string == "transaction" } ?? false
        for resource in rest["resource"]?.array?.prefix(1_000) ?? [] {
            guard let type = resource["type"]?.string else { continue }
            let codes = Set(resource["interaction"]?.array?.compactMap { $0["code"]?.string } ?? [])
            if resource["updateCreate"]?.bool == true, codes.contains("update") { updateCreate.insert(type) }
            if resource["conditionalCreate"]?.bool == true { conditionalCreate.insert(type) }
            if resource["versioning"]?.string.map({ $0 != "no-version" }) ?? false { versioned.insert(type) }
        }
    }

    /// Returns the way to create a resource of a type only once.
    func creation(of type: String) -> FHIRCreation {
        if updateCreate.contains(type) { return .named }
        return conditionalCreate.contains(type) ? .conditional : .plain
    }

    /// Returns whether the server checks the version that a client names.
    func isVersioned(_ type: String) -> Bool { versioned.contains(type) }

    /// Removes a way of creation that the server refused.
    mutating func lose(_ creation: FHIRCreation, of type: String) {
        switch creation {
        case .named: updateCreate.remove(type)
        case .conditional: conditionalCreate.remove(type)
        case .plain: break
        }
    }
}

/// The ways to create a resource on a server.
enum FHIRCreation: Sendable, Hashable {
    /// Under an id that the client assigns (<https://hl7.org/fhir/R4/http.html#upsert>). Repeating it creates no
    /// duplicate.
    case named
    /// Conditional create: only if a search has no match (<https://hl7.org/fhir/R4/http.html#ccreate>).
    case conditional
    /// After a separate search without a match.
    case plain
}
