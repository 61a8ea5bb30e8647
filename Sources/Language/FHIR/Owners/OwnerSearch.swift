/// Collects the patients to which the references of one resource refer.
struct OwnerSearch {
    private let resource: Resource
    private var patients: Set<String> = []
    private var elsewhere: Set<String> = []
    private var hasUnresolved = false
    /// The contained resources by their ids; nil until they are needed.
    private var contained: [String: Kind]?

    /// The kind of a reference's target, as far as it is known.
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
            // Every element of an array is searched, also if FHIR does not allow an array.
            for item in items { look(in: item, names, path) }
        case .object(let object):
            guard let name = names.first else {
                reference(Reference(object), path)
                return
            }
            if let inner = object[name] { look(in: inner, names.dropFirst(), path) }
            // The name of a choice is followed by its type.
            if names.count == 1, let inner = object[name + "Reference"] { look(in: inner, [], path) }
        default:
            // A text instead of a reference could name any patient.
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
            // The stated type is used only if nothing else determines the type.
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

    /// Adds a patient. A Patient of another server is not the one with the same id on this server.
    private mutating func patient(_ literal: LiteralReference) {
        guard let base = literal.base else {
            patients.insert(literal.id)
            return
        }
        let address = "\(base)/\(literal.type)/\(literal.id)"
        // A store does not keep a longer address.
        if address.utf8.count <= Self.maximumAddressLength { elsewhere.insert(address) } else { hasUnresolved = true }
    }

    private static let maximumAddressLength = 500

    /// Returns the kind of the target of `#id`; unknown for everything else that is not `Type/id`.
    private mutating func target(of text: String) -> Kind {
        guard text.hasPrefix("#") else { return .unknown }
        // A reference to the resource itself, which is not a Patient.
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
            // If two have the same id, either can be the target.
            kinds[name] = kinds[name].map { $0 == kind ? kind : .unknown } ?? kind
        }
        return kinds
    }

    /// Returns the type in a text: its name, or the URL of its definition.
    private static func kind(_ json: JSON) -> Kind {
        guard let text = json.string else { return .unknown }
        return kind(ofType: Reference.typeName(stated: text)) ?? .unknown
    }

    /// Returns nil if R4 has no resources of the type.
    private static func kind(ofType name: String) -> Kind? {
        guard let type = TypeModel.r4.type(name), TypeModel.r4.kind(of: type) == .resource else { return nil }
        return name == "Patient" ? .patient : TypeModel.r4.isAbstract(type) ? .unknown : .other
    }
}
