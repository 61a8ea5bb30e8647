/// The types of health data that are converted. Everything else is counted by its name and skipped.
///
/// The rows stand in tables of text, which are read once. A study adds types or changes them by a supplement
/// (``applying(supplement:)``).
public struct HealthTypeTable: Sendable {
    /// The table of this version, without a study's additions.
    public static let standard = HealthTypeTable(HealthTypeReader().types)

    /// The types: quantities, categories, correlations, workouts and the rest, each in the order of folders.
    public let all: [HealthType]
    private let byIdentifier: [String: HealthType]
    /// The types by the codes of terminologies and of HealthKit.
    let codes: HealthTypeCodes

    init(_ types: [HealthType]) {
        all = types
        codes = HealthTypeCodes(types)
        byIdentifier = Dictionary(
            types.flatMap { type in ([type.identifier] + type.otherNames).map { ($0, type) } },
            uniquingKeysWith: { first, _ in first })
    }

    /// The type with HealthKit's identifier.
    public func type(_ identifier: String) -> HealthType? { byIdentifier[identifier] }

    /// The type that is meant by an identifier, its short name (`HeartRate`) or its title, whatever the case; systolic
    /// and diastolic pressure mean blood pressure, as their samples become its observations.
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

    /// The types in whose names or codes all the words occur, whatever the case.
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

    /// The type of ``HealthTypeTable/standard`` that is meant: see ``HealthTypeTable/named(_:)``.
    public static func named(_ name: String) -> HealthType? { HealthTypeTable.standard.named(name) }
}
