import FHIR

/// A key of HealthKit's metadata that is converted. Keys that are not in the table are dropped: they can contain names,
/// links, identifiers or arbitrary text of an app.
public final class HealthMetadataKey: Sendable, Hashable {
    /// The type of a key's values.
    public enum Value: Sendable, Hashable {
        /// `0` or `1` in exports.
        case boolean
        /// One of HealthKit's cases, found by its number. Cases without information (not set, unknown) are not
        /// included.
        case enumeration([HealthOption])
        /// A number and a unit, `56 degF`.
        case quantity(HealthMeasure)
    }

    /// The key in exports, for example `HKWeatherTemperature`.
    public let key: String
    /// The name of HealthKit's constant, or other known spellings.
    public let otherSpellings: [String]
    /// The name shown to people.
    public let title: String
    public let value: Value
    /// The identifiers of the types in whose observations it is a component. In observations of other types it is an
    /// extension.
    public let componentOf: Set<String>

    init(key: String, otherSpellings: [String], title: String, value: Value, componentOf: Set<String>) {
        self.key = key
        self.otherSpellings = otherSpellings
        self.title = title
        self.value = value
        self.componentOf = componentOf
        concept =
            if case .quantity(let measure) = value {
                measure.concept
            } else {
                CodeableConcept(coding: [HealthType.ownCoding(key, title)], text: title).json
            }
    }

    public static func == (left: HealthMetadataKey, right: HealthMetadataKey) -> Bool { left.key == right.key }
    public func hash(into hasher: inout Hasher) { hasher.combine(key) }

    /// `component.code` for a value that is a component.
    package let concept: JSON

    /// The codings of the component: the key in HealthKit's system, and the coding of the quantity type, if the value
    /// is one.
    public var codings: [Coding] {
        if case .quantity(let measure) = value { return measure.codings }
        return [HealthType.ownCoding(key, title)]
    }

    /// Returns the case of a number in the metadata; nil if the key has no cases or the case has no information.
    public func option(named name: String) -> HealthOption? {
        guard case .enumeration(let options) = value else { return nil }
        return options.first { $0.code == name || $0.aliases.contains(name) }
    }

    /// The prefix of the URLs of metadata extensions; the key follows it.
    public static let extensionPrefix = "urn:tributary:healthkit-metadata:"

    /// The keys that are converted.
    public static let all: [HealthMetadataKey] = reading.keys
    /// Rows that could not be read. A test checks that there are none.
    static let faults: [String] = reading.faults

    /// Returns the key with this name or with this alternative spelling.
    public static func named(_ name: String) -> HealthMetadataKey? { byName[name] }

    /// Returns the keys that are components of a type's observations.
    public static func components(of type: HealthType) -> [HealthMetadataKey] {
        all.filter { $0.componentOf.contains(type.identifier) }
    }

    private static let byName = Dictionary(
        all.flatMap { key in ([key.key] + key.otherSpellings).map { ($0, key) } },
        uniquingKeysWith: { first, _ in first }
    )

    // MARK: - Rows

    private static let reading: (keys: [HealthMetadataKey], faults: [String]) = {
        var keys: [HealthMetadataKey] = []
        var faults: [String] = []
        for row in TableText.rows(TableText.metadataKeys) {
            guard row.count == 6, let value = value(row) else {
                faults.append(row.first ?? "")
                continue
            }
            keys.append(
                HealthMetadataKey(
                    key: row[0], otherSpellings: TableText.words(row[1]), title: row[2], value: value,
                    componentOf: Set(TableText.words(row[5]).map { "HKCategoryTypeIdentifier" + $0 })))
        }
        return (keys, faults)
    }()

    private static func value(_ row: [String]) -> Value? {
        switch row[3] {
        case "boolean": return .boolean
        case "activity": return .enumeration(HealthTypeReader.activities)
        case "enumeration":
            let texts = TableText.cells(of: row[4], separator: ";")
            let cases = texts.compactMap(TableCase.init)
            return cases.count == texts.count ? .enumeration(cases.map { $0.option(of: "") }) : nil
        case "quantity":
            let halves = TableText.cells(of: row[4], separator: ";")
            let words = halves[0].split(separator: " ", maxSplits: 2).map(String.init)
            guard words.count == 3, let unit = try? HealthKitUnit(words[0]) else { return nil }
            let further = halves.dropFirst().compactMap { name in
                HealthTypeTable.standard.type("HKQuantityTypeIdentifier" + name)?.codings.last
            }
            return .quantity(
                HealthMeasure(
                    title: row[2], codings: [HealthType.ownCoding(row[0], row[2])] + further,
                    unit: HealthUnit(words[1], words[2]), healthKitUnit: unit))
        default: return nil
        }
    }
}
