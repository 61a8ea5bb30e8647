import FHIR

/// Resources that everybody may read and nobody writes: definitions of extensions and code systems. They have one version.
struct PublishedResources: Sendable {
    private let byType: [String: [Resource]]

    /// - Parameter objects: resources with types and ids.
    init(_ objects: [JSONObject]) {
        byType = Dictionary(grouping: objects.map { Resource($0) }, by: \.resourceType)
    }

    /// The types, in the order of their names.
    var types: [String] { byType.keys.sorted() }

    func read(type: String, id: String) -> Resource? { byType[type]?.first { $0.id == id } }

    /// The parameters that search knows (<https://hl7.org/fhir/R4/structuredefinition.html#search>).
    static let parameters: [(name: String, kind: SearchParamType)] = [
        ("_id", .token), ("name", .string), ("url", .uri),
    ]

    /// The resources that all parameters match: `_id` and `url` are equal to one of the values, `name` begins with one,
    /// whatever the case.
    ///
    /// - Throws: ``RecordsFailure/unknownParameter`` where one is not known and the client asked to be told.
    func search(
        type: String, parameters: [(name: String, value: String)], strict: Bool
    ) throws(RecordsFailure) -> (found: [Resource], used: [(name: String, value: String)]) {
        var found = byType[type] ?? []
        var used: [(name: String, value: String)] = []
        for parameter in parameters where parameter.name != "_format" {
            guard Self.parameters.contains(where: { $0.name == parameter.name }),
                let known = PublishedSearchParameter(rawValue: parameter.name)
            else {
                if strict { throw .unknownParameter }
                continue
            }
            found = found.filter { known.matches($0, parameter.value) }
            used.append(parameter)
        }
        return (found, used)
    }
}
