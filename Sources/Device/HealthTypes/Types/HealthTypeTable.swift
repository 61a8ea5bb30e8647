/// The types of health data that are converted. Other types are counted by name and skipped.
///
/// The rows are tables of text, which are parsed once. A study adds types or changes them with a supplement
/// (``applying(supplement:)``).
public struct HealthTypeTable: Sendable {
    /// The table of this version, without a study's additions.
    public static let standard = HealthTypeTable(HealthTypeReader().types)

    /// The types: quantities, categories, correlations, workouts and the rest, each in the order of folders.
    public let all: [HealthType]
    private let byIdentifier: [String: HealthType]
    /// The types by their codes in terminologies and in HealthKit.
    let codes: HealthTypeCodes

    init(_ types: [HealthType]) {
        all = types
        codes = HealthTypeCodes(types)
        byIdentifier = Dictionary(
            types.flatMap { type in ([type.identifier] + type.otherNames).map { ($0, type) } },
            uniquingKeysWith: { first, _ in first })
    }

    /// Returns the type with this HealthKit identifier.
    public func type(_ identifier: String) -> HealthType? { byIdentifier[identifier] }

    /// Returns the type with this identifier, short name (`HeartRate`) or title, ignoring case. For systolic and
    /// diastolic pressure it returns blood pressure, because their samples become its observations.
    public func named(_ name: String) -> HealthType? {
        let wanted = name.lowercased()
        let found =
            byIdentifier[name]
            ?? all.first { type in
                ([type.identifier, type.shortName, type.title] + type.otherNames).contains {
                    $0.lowercased() == wanted
                }
            }
        return found.map { type in type.correlation.flatMap { byIdentifier[$0] } ?? type }
    }

    /// Returns the types whose names or codes contain all the words, ignoring case.
    public func search(_ text: String) -> [HealthType] {
        let words = text.lowercased().split(separator: " ")
        return all.filter { type in
            let names =
                [type.identifier, type.title, type.folder] + type.otherNames
                + (type.codings + type.components.flatMap(\.codings)).flatMap {
                    [$0.code ?? "", $0.display ?? ""]
                }
            let content = names.joined(separator: "\n").lowercased()
            return words.allSatisfy { content.contains($0) }
        }
    }
}

extension HealthType {
    /// The types of ``HealthTypeTable/standard``.
    public static var all: [HealthType] { HealthTypeTable.standard.all }

    /// Returns a type of ``HealthTypeTable/standard``: see ``HealthTypeTable/named(_:)``.
    public static func named(_ name: String) -> HealthType? { HealthTypeTable.standard.named(name) }
}
