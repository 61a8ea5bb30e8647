import FHIR

/// What a FHIR server says that it can (<https://hl7.org/fhir/R4/capabilitystatement.html>), as far as a store asks: what it
/// refuses all the same is taken from it.
struct FHIRServerAbilities: Sendable, Hashable {
    /// Several changes in one request, all or none.
    var hasTransactions = false
    /// Types of which a client names the ids of new resources.
    private var updateCreate: Set<String> = []
    /// Types that are created only where a search finds nothing.
    private var conditionalCreate: Set<String> = []
    /// Types of which one is changed only where it is as it was.
    private var versioned: Set<String> = []

    /// Nothing but what every server has.
    init() {}

    /// Reads what `/metadata` answered. What is not there, or is nothing that can be read, is not allowed.
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

    /// How a resource of a type comes to be there once.
    func creation(of type: String) -> FHIRCreation {
        if updateCreate.contains(type) { return .named }
        return conditionalCreate.contains(type) ? .conditional : .plain
    }

    /// Whether a version that a client names is looked at.
    func isVersioned(_ type: String) -> Bool { versioned.contains(type) }

    /// Takes the way from a server that refused it.
    mutating func lose(_ creation: FHIRCreation, of type: String) {
        switch creation {
        case .named: updateCreate.remove(type)
        case .conditional: conditionalCreate.remove(type)
        case .plain: break
        }
    }
}

/// The ways in which a resource comes to be on a server.
enum FHIRCreation: Sendable, Hashable {
    /// Under the id that the client names (<https://hl7.org/fhir/R4/http.html#upsert>): doing it twice makes no second.
    case named
    /// Unless a search finds it (<https://hl7.org/fhir/R4/http.html#ccreate>).
    case conditional
    /// After a search that found nothing.
    case plain
}
