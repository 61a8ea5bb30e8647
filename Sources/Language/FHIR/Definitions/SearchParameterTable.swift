/// The search parameters and compartments of FHIR R4 (<https://hl7.org/fhir/R4/searchparameter-registry.html>).
///
/// Each line of the text has one of two forms, with fields separated by tabs:
/// - a parameter: code, type, base types (separated by commas), target types, expression, components
///   (`code expression`, separated by `;`), last segment of its canonical URL
/// - a rule of a compartment: `>Compartment`, resource type, codes of the parameters that lead to the compartment
public struct SearchParameterTable: Sendable {
    /// The parameters and compartments of R4.
    public static let r4 = SearchParameterTable(r4Text)

    /// One search parameter.
    public struct Parameter: Sendable {
        /// The code in a search: `birthdate`.
        public let code: String
        /// The type, which determines how values are written and compared.
        public let kind: SearchParamType
        /// The resource types to which it applies.
        public let bases: [String]
        /// The resource types that a reference may refer to.
        public let targets: [String]
        /// The FHIRPath expression; empty for the few parameters without one.
        public let expression: String
        /// The components of a composite parameter: the id of the component's parameter and its expression.
        public let components: [(id: String, expression: String)]
        /// The last segment of `http://hl7.org/fhir/SearchParameter/...`.
        public let id: String

        /// The canonical URL.
        public var url: String { "http://hl7.org/fhir/SearchParameter/" + id }
    }

    /// All parameters; their canonical URLs are unique.
    public let parameters: [Parameter]
    private let byBase: [String: [Int]]
    private let byID: [String: Int]
    private let compartmentCodes: [String: [String: [String]]]

    init(_ text: StaticString) {
        var parameters: [Parameter] = []
        var byBase: [String: [Int]] = [:]
        var compartments: [String: [String: [String]]] = [:]
        for line in text.description.split(separator: "\n") {
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
            if line.hasPrefix(">") {
                guard fields.count == 3 else { continue }
                compartments[String(fields[0].dropFirst()), default: [:]][String(fields[1])] =
                    fields[2].split(separator: ",").map(String.init)
                continue
            }
            guard fields.count == 7 else { continue }
            let bases = fields[2].split(separator: ",").map(String.init)
            for base in bases { byBase[base, default: []].append(parameters.count) }
            parameters.append(
                Parameter(
                    code: String(fields[0]), kind: SearchParamType(rawValue: String(fields[1])), bases: bases,
                    targets: fields[3].split(separator: ",").map(String.init), expression: String(fields[4]),
                    components: fields[5].split(separator: ";").compactMap { part in
                        guard let space = part.firstIndex(of: " ") else { return nil }
                        return (String(part[..<space]), String(part[space...].dropFirst()))
                    },
                    id: String(fields[6])))
        }
        self.parameters = parameters
        self.byBase = byBase
        byID = Dictionary(parameters.enumerated().map { ($1.id, $0) }) { first, _ in first }
        compartmentCodes = compartments
    }

    /// Returns the parameters of a resource type, including those of `Resource` and `DomainResource`.
    public func parameters(of type: String) -> [Parameter] {
        let inherited =
            (byBase["Resource"] ?? []) + (TypeModel.r4.isDomainResource(type) ? byBase["DomainResource"] ?? [] : [])
        return (inherited + (byBase[type] ?? [])).map { parameters[$0] }
    }

    /// Returns the parameter of a resource type with the code.
    public func parameter(_ code: String, of type: String) -> Parameter? {
        parameters(of: type).last { $0.code == code }
    }

    /// Returns the parameter with the id, as in the components of composite parameters.
    public func parameter(id: String) -> Parameter? { byID[id].map { parameters[$0] } }

    /// Returns the codes of the parameters by which a resource belongs to a compartment, such as `Patient`
    /// (<https://hl7.org/fhir/R4/compartmentdefinition.html>); empty if it belongs to none. `{def}`, which means the
    /// resource itself in HL7's definitions, is returned unchanged.
    public func compartmentParameters(_ compartment: String, of type: String) -> [String] {
        compartmentCodes[compartment]?[type] ?? []
    }

    /// The names of the compartments, in alphabetical order.
    public var compartments: [String] { compartmentCodes.keys.sorted() }
}

extension TypeModel {
    func isDomainResource(_ name: String) -> Bool {
        type(name).map { isSubtype($0, of: domainResourceType) } ?? false
    }
}
