import FHIR

/// The circumstances of a sample that are passed on. Everything else that apps attach is dropped.
public struct HealthContext: Sendable, Hashable {
    /// `HKWasUserEntered`: typed in by the person.
    public var wasUserEntered: Bool?
    /// The metadata that stand in the table of keys, in the order they were added.
    public private(set) var metadata: [HealthMetadatum] = []

    /// Makes a context of which nothing is known.
    public init() {}

    /// Takes over one piece of metadata if it is on the list and its value is one that it can have. The first of two with
    /// one key counts.
    ///
    /// - Returns: false where it is dropped.
    @discardableResult
    public mutating func add(key: String, value: String) -> Bool {
        Self.entry(key: key, value: value).map { add($0) } ?? false
    }

    /// One piece of metadata that is passed on.
    public enum Entry: Sendable, Hashable {
        /// Whether a person entered the sample by hand.
        case wasUserEntered(Bool)
        /// One metadatum.
        case datum(HealthMetadatum)
    }

    /// Returns the entry that a key and its value stand for; nil where the key is not on the list, or the value is none
    /// that the key can have.
    public static func entry(key name: String, value: String) -> Entry? { try? reading(key: name, value: value).get() }

    /// Returns the entry that a key and its value stand for, or why there is none.
    public static func reading(key name: String, value: String) -> Result<Entry, MetadataOmission> {
        if name == "HKWasUserEntered" {
            return value == "1" || value == "0" ? .success(.wasUserEntered(value == "1")) : .failure(.unreadable)
        }
        guard name.hasPrefix("HK") else { return .failure(.ofApp) }
        guard let key = HealthMetadataKey.named(name) else { return .failure(.unlisted) }
        guard !key.isRevealing else { return .failure(.revealing) }
        return HealthMetadatum(key, value).map { .success(.datum($0)) } ?? .failure(.unreadable)
    }

    /// Takes over one piece of metadata.
    ///
    /// - Returns: false where there is one with its key.
    @discardableResult
    public mutating func add(_ entry: Entry) -> Bool {
        switch entry {
        case .wasUserEntered(let flag): wasUserEntered = flag
        case .datum(let datum):
            guard !metadata.contains(where: { $0.key == datum.key }) else { return false }
            metadata.append(datum)
        }
        return true
    }

    /// The value of the metadatum with this key; nil where there is none.
    public subscript(key: String) -> HealthMetadatum.Value? { metadata.first { $0.key.key == key }?.value }
}

/// One piece of metadata.
public struct HealthMetadatum: Sendable, Hashable {
    /// The value of a metadatum.
    public enum Value: Sendable, Hashable {
        /// A truth value.
        case boolean(Bool)
        /// A coded value.
        case option(HealthOption)
        /// A number with a unit.
        case quantity(HealthMeasure, HealthQuantity)
    }

    /// The key.
    public let key: HealthMetadataKey
    /// The value.
    public let value: Value

    /// Reads a value as exports write it: `1`, `56 degF`.
    init?(_ key: HealthMetadataKey, _ text: String) {
        switch key.value {
        case .boolean:
            guard text == "1" || text == "0" else { return nil }
            value = .boolean(text == "1")
        case .enumeration:
            guard let option = key.option(named: text) else { return nil }
            value = .option(option)
        case .quantity(let measure):
            let words = text.split(separator: " ", maxSplits: 1)
            guard words.count == 2,
                let quantity = try? HealthQuantity(String(words[0]), unit: String(words[1]), as: measure)
            else { return nil }
            value = .quantity(measure, quantity)
        }
        self.key = key
    }

    /// Whether it stands in a component of the type's observations and not in an extension.
    func isComponent(of type: HealthType) -> Bool { key.componentOf.contains(type.identifier) }

    /// The value under the name that it has in an extension or a component.
    private func member(_ units: HealthSelection.Units, isComponent: Bool) -> (name: String, value: JSON) {
        switch value {
        case .boolean(let flag): ("valueBoolean", .bool(flag))
        case .option(let option):
            isComponent ? ("valueCodeableConcept", option.concept) : ("valueCode", .string(option.code))
        case .quantity(let measure, let quantity): ("valueQuantity", quantity.json(as: measure, units))
        }
    }

    /// The extension that carries it.
    func `extension`(_ units: HealthSelection.Units) -> JSON {
        let member = member(units, isComponent: false)
        return ["url": .string(HealthMetadataKey.extensionPrefix + key.key), member.name: member.value]
    }

    /// The component that carries it.
    func component(_ units: HealthSelection.Units) -> JSON {
        let member = member(units, isComponent: true)
        return ["code": key.concept, member.name: member.value]
    }

    /// Writes the extension, byte for byte that of ``extension(_:)``. Keys and codes of the table need no escapes.
    func writeExtension(_ units: HealthSelection.Units, to text: inout TextSink) {
        text.put("{\"url\":\"urn:tributary:healthkit-metadata:")
        text.put(key.key)
        switch value {
        case .boolean(let flag): text.put(flag ? "\",\"valueBoolean\":true}" : "\",\"valueBoolean\":false}")
        case .option(let option):
            text.put("\",\"valueCode\":\"")
            text.put(option.code)
            text.put("\"}")
        case .quantity(let measure, let quantity):
            text.put("\",\"valueQuantity\":")
            quantity.write(as: measure, units, to: &text)
            text.put("}")
        }
    }
}

extension HealthMetadataKey {
    /// The weather at a known time says where someone was.
    var isRevealing: Bool { key.hasPrefix("HKWeather") || key == "HKMetadataKeyBarometricPressure" }
}
