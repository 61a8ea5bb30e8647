/// The types of health data that are converted. Everything else is counted by its name and skipped.
public struct HealthTypeTable: Sendable {
    /// The table of this version, without a study's additions.
    public static let standard = HealthTypeTable(HealthType.rows)

    /// The types, ordered for people.
    public let all: [HealthType]
    private let byIdentifier: [String: HealthType]

    init(_ types: [HealthType]) {
        all = types
        byIdentifier = Dictionary(types.map { ($0.identifier, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The type with HealthKit's identifier.
    public func type(_ identifier: String) -> HealthType? { byIdentifier[identifier] }

    /// The type that is meant by an identifier, its short name (`HeartRate`) or its title, whatever the case;
    /// systolic and diastolic pressure mean blood pressure.
    public func named(_ name: String) -> HealthType? {
        if let type = byIdentifier[name] { return type }
        let wanted = name.lowercased()
        return all.first { type in
            [type.identifier, type.shortName, type.title].contains { $0.lowercased() == wanted }
                || (type.kind == .correlation
                    && type.components.contains {
                        [$0.identifier, HealthType.shortName(of: $0.identifier)].contains { $0.lowercased() == wanted }
                    })
        }
    }
}

extension HealthType {
    /// The types of ``HealthTypeTable/standard``.
    public static var all: [HealthType] { HealthTypeTable.standard.all }

    /// The type of ``HealthTypeTable/standard`` that is meant: see ``HealthTypeTable/named(_:)``.
    public static func named(_ name: String) -> HealthType? { HealthTypeTable.standard.named(name) }
}
