/// The paths of the references that determine a resource's patients, for each type: compiled once from the expressions
/// of the search parameters of R4's Patient compartment.
struct OwnerPaths: Sendable {
    static let r4 = OwnerPaths(.r4)

    /// A path to references.
    struct Path: Sendable, Hashable {
        /// The names of the members, outermost first. The last name may be followed by the type of a choice.
        let names: [String]
        /// Whether a reference with neither type nor id is assumed to be to a patient: one with only an identifier.
        let isForPatients: Bool
    }

    private var byType: [String: [Path]] = [:]
    /// Expressions that were not understood. A test ensures that there are none.
    private(set) var unread: [String] = []

    private init(_ table: SearchParameterTable) {
        var types = Set(table.parameters.filter { ["subject", "patient"].contains($0.code) }.flatMap(\.bases))
        types.formUnion(table.types(in: "Patient"))
        for type in types where TypeModel.r4.type(type) != nil {
            var names: [[String]] = OwnerPaths.always
            for code in OwnerPaths.codes(of: type, table) {
                guard let expression = table.parameter(code, of: type)?.expression,
                    let found = OwnerPaths.compiled(expression, of: type), !found.isEmpty
                else {
                    unread.append(type + "." + code)
                    continue
                }
                for path in found where !names.contains(path) { names.append(path) }
            }
            byType[type] = names.map { Path(names: $0, isForPatients: OwnerPaths.isForPatients($0, of: type)) }
        }
        // Access to a Binary is access to the resource in `securityContext` (<https://hl7.org/fhir/R4/binary.html>).
        byType["Binary"] = OwnerPaths.unknown + [Path(names: ["securityContext"], isForPatients: false)]
    }

    /// Returns the paths of a type; of a type that R4 does not define, those that apply to every type.
    func paths(of type: String) -> [Path] { byType[type] ?? OwnerPaths.unknown }

    /// The members that apply to every type.
    private static let always = [["subject"], ["patient"]]
    private static let unknown = always.map { Path(names: $0, isForPatients: true) }

    /// Returns the codes of the parameters that lead from a type to patients.
    static func codes(of type: String, _ table: SearchParameterTable = .r4) -> [String] {
        if type == "Contract" { return ["subject", "signer"] }
        let codes = table.compartmentParameters("Patient", of: type).filter { $0 != "{def}" }
        if !codes.isEmpty { return codes }
        return ["subject", "patient"].filter { table.parameter($0, of: type)?.kind == .reference }
    }

    // MARK: Expressions

    /// Returns the paths of an expression that begin with the type; nil if it contains anything but paths, unions,
    /// casts and the test whether a reference is to a Patient.
    static func compiled(_ expression: String, of type: String) -> [[String]]? {
        var paths: [[String]] = []
        for part in expression.split(separator: "|") {
            guard let names = path(String(part)) else { return nil }
            if names.first == type { paths.append(Array(names.dropFirst())) }
        }
        return paths
    }

    /// Returns the names in `A.b.where(resolve() is Patient)`, `(A.b as Reference)`, `A.b.as(Reference)`,
    /// `A.b.ofType(Reference)`.
    private static func path(_ text: String) -> [String]? {
        var text = text.filter { !$0.isWhitespace || $0 == " " }[...]
        func trim() {
            text = text.drop { $0 == " " }
            while text.last == " " { text.removeLast() }
        }
        trim()
        while text.first == "(", text.last == ")" {
            text = text.dropFirst().dropLast()
            trim()
        }
        for ending in [
            ".where(resolve() is Patient)", " as Reference", ".as(Reference)", ".ofType(Reference)",
        ] where text.hasSuffix(ending) {
            text = text.dropLast(ending.count)
        }
        let names = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let isPlain = names.allSatisfy { name in
            !name.isEmpty && name.utf8.allSatisfy { (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) }
        }
        return isPlain && names.count > 1 ? names : nil
    }

    /// Whether an element usually refers to a patient: by its name, or because R4 allows a Patient, but no Practitioner
    /// and no Organization.
    private static func isForPatients(_ names: [String], of type: String) -> Bool {
        if names == ["subject"] || names == ["patient"] { return true }
        let model = TypeModel.r4
        guard var inside = model.type(type) else { return true }
        var targets: [String] = []
        for name in names {
            guard let number = model.elementIndex(named: name, of: inside) else { return true }
            let types = model.declaration(number).types
            targets = types.first { $0.type == model.referenceType }?.targets ?? []
            inside = types.first?.type ?? .unknown
        }
        return targets.contains("Patient") && !targets.contains("Practitioner") && !targets.contains("Organization")
    }
}

extension SearchParameterTable {
    /// Returns the resource types that have parameters in a compartment.
    func types(in compartment: String) -> [String] {
        TypeModel.r4.resourceTypes.filter { !compartmentParameters(compartment, of: $0).isEmpty }
    }
}
