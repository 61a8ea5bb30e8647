/// The references of one resource, each asked whether it is to a patient.
struct OwnerSearch {
    private let resource: Resource
    private var patients: Set<String> = []
    private var elsewhere: Set<String> = []
    private var hasUnresolved = false
    /// The contained resources by their ids, once they were asked for.
    private var contained: [String: Kind]?

    /// The target of a reference, as far as it is known.
    private enum Kind { case patient, other, unknown }

    init(in resource: Resource) { self.resource = resource }

    var owners: ResourceOwners {
        ResourceOwners(patients: patients, elsewhere: elsewhere, hasUnresolved: hasUnresolved)
    }

    mutating func look(along path: OwnerPaths.Path) {
        look(in: .object(resource.object), path.names[...], path)
    }

    private mutating func look(in json: JSON, _ names: ArraySlice<String>, _ path: OwnerPaths.Path) {
        switch json {
        case .null: break
        case .array(let items):
            // Every element of an array is looked at, also where FHIR wants none.
            for item in items { look(in: item, names, path) }
        case .object(let object):
            guard let name = names.first else {
                reference(Reference(object), path)
                return
            }
            if let inner = object[name] { look(in: inner, names.dropFirst(), path) }
            // A choice has its type behind the name.
            if names.count == 1, let inner = object[name + "Reference"] { look(in: inner, [], path) }
        default:
            // A text where a reference should be may name anybody.
            if names.isEmpty { hasUnresolved = true }
        }
    }

    // MARK: References

    private mutating func reference(_ reference: Reference, _ path: OwnerPaths.Path) {
        let stated = reference["type"].map(OwnerSearch.kind)
        if let json = reference["reference"], json != .null, json != .string("") {
            if let literal = json.string.flatMap({ LiteralReference($0) }),
                let kind = OwnerSearch.kind(ofType: literal.type)
            {
                if kind == .patient { patient(literal) } else if stated == .patient { hasUnresolved = true }
                return
            }
            let found = json.string.map { target(of: $0) } ?? .unknown
            // What it is said to be counts where nothing else tells it.
            if found == .patient || stated == .patient || found == .unknown && stated != .other { hasUnresolved = true }
            return
        }
        switch stated {
        case .patient?: hasUnresolved = true
        case .other?: break
        case .unknown?: hasUnresolved = true
        case nil:
            if path.isForPatients, let identifier = reference["identifier"], identifier != .null {
                hasUnresolved = true
            }
        }
    }

    /// A Patient of another server is another one than that of the same id here.
    private mutating func patient(_ literal: LiteralReference) {
        guard let base = literal.base else {
            patients.insert(literal.id)
            return
        }
        let address = "\(base)/\(literal.type)/\(literal.id)"
        // A longer one is no address that a store keeps.
        if address.utf8.count <= Self.longestAddress { elsewhere.insert(address) } else { hasUnresolved = true }
    }

    private static let longestAddress = 500

    /// Returns the target of `#id`; of all that is no `Type/id`, nothing is known.
    private mutating func target(of text: String) -> Kind {
        guard text.hasPrefix("#") else { return .unknown }
        // The resource itself, which is no Patient.
        guard text.count > 1 else { return .other }
        let kinds = contained ?? OwnerSearch.kinds(ofContainedIn: resource)
        contained = kinds
        return kinds[String(text.dropFirst())] ?? .unknown
    }

    private static func kinds(ofContainedIn resource: Resource) -> [String: Kind] {
        var kinds: [String: Kind] = [:]
        for item in resource["contained"]?.array ?? [] {
            guard let id = item["id"]?.string else { continue }
            // Some apps write the id with the # of the reference.
            let name = id.hasPrefix("#") ? String(id.dropFirst()) : id
            let kind = item["resourceType"].map(kind) ?? .unknown
            // Of two with the same id, either may be meant.
            kinds[name] = kinds[name].map { $0 == kind ? kind : .unknown } ?? kind
        }
        return kinds
    }

    /// Returns the type that a text names: by its name, or by the URL of its definition.
    private static func kind(_ json: JSON) -> Kind {
        guard let text = json.string else { return .unknown }
        return kind(ofType: Reference.typeName(stated: text)) ?? .unknown
    }

    /// nil where R4 has no resources of the type.
    private static func kind(ofType name: String) -> Kind? {
        guard let type = TypeModel.r4.type(name), TypeModel.r4.kind(of: type) == .resource else { return nil }
        return name == "Patient" ? .patient : TypeModel.r4.isAbstract(type) ? .unknown : .other
    }
}
