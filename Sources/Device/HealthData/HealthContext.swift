import FHIR

/// The circumstances of a sample that are converted. Other metadata of apps is dropped.
public struct HealthContext: Sendable, Hashable {
    /// `HKWasUserEntered`: entered by the person.
    public var wasUserEntered: Bool?
    /// The metadata with keys in the table, in the order in which they were added.
    public private(set) var metadata: [HealthMetadatum] = []

    /// Creates an empty context.
    public init() {}

    /// Adds metadata if its key is in the table and its value is valid. If a key is added twice, the first value is
    /// kept.
    ///
    /// - Returns: false if the metadata is dropped.
    @discardableResult
    public mutating func add(key: String, value: String) -> Bool {
        Self.entry(key: key, value: value).map { add($0) } ?? false
    }

    /// Metadata that is converted.
    public enum Entry: Sendable, Hashable {
        /// Whether a person entered the sample by hand.
        case wasUserEntered(Bool)
        /// One metadatum.
        case datum(HealthMetadatum)
    }

    /// Returns the entry for a key and its value; nil if the key is not in the table or the value is invalid for the
    /// key.
    public static func entry(key name: String, value: String) -> Entry? { try? reading(key: name, value: value).get() }

    /// Returns the entry for a key and its value, or the reason why the metadata is omitted.
    public static func reading(key name: String, value: String) -> Result<Entry, MetadataOmission> {
        if name == "HKWasUserEntered" {
            return value == "1" || value == "0" ? .success(.wasUserEntered(value == "1")) : .failure(.unreadable)
        }
        guard name.hasPrefix("HK") else { return .failure(.ofApp) }
        guard let key = HealthMetadataKey.named(name) else { return .failure(.unlisted) }
        guard !key.isRevealing else { return .failure(.revealing) }
        return HealthMetadatum(key, value).map { .success(.datum($0)) } ?? .failure(.unreadable)
    }

    /// Adds an entry.
    ///
    /// - Returns: false if there is already an entry with its key.
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

    /// The value of the metadatum with this key; nil if there is none.
    public subscript(key: String) -> HealthMetadatum.Value? { metadata.first { $0.key.key == key }?.value }
}

/// A key of metadata with its value.
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

    /// Parses a value in the format of exports: `1`, `56 degF`.
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

    /// Whether it is written as a component of the type's observations instead of an extension.
    func isComponent(of type: HealthType) -> Bool { key.componentOf.contains(type.identifier) }

    /// Writes the extension with the value. Keys and codes of the table need no escapes.
    func writeExtension(_ units: HealthSelection.Units, to text: inout TextSink) {
        text.put("{\"url\":\"urn:tributary:healthkit-metadata:")
        text.put(key.key)
        text.put("\"")
        if case .option(let option) = value {
            text.put(",\"valueCode\":\"")
            text.put(option.code)
            text.put("\"}")
        } else {
            writeValue(units, to: &text)
        }
    }

    /// Writes the component with the value.
    func writeComponent(_ units: HealthSelection.Units, to text: inout TextSink) {
        text.put("{\"code\":")
        text.put(key.concept.bytes())
        writeValue(units, to: &text)
    }

    /// Writes the member `value[x]` and the end of the object.
    private func writeValue(_ units: HealthSelection.Units, to text: inout TextSink) {
        switch value {
        case .boolean(let flag): text.put(flag ? ",\"valueBoolean\":true}" : ",\"valueBoolean\":false}")
        case .option(let option):
            text.put(",\"valueCodeableConcept\":")
            text.put(option.conceptText)
            text.put("}")
        case .quantity(let measure, let quantity):
            text.put(",\"valueQuantity\":")
            quantity.write(as: measure, units, to: &text)
            text.put("}")
        }
    }
}

extension HealthMetadataKey {
    /// Weather and air pressure at a known time reveal the person's location.
    var isRevealing: Bool { key.hasPrefix("HKWeather") || key == "HKMetadataKeyBarometricPressure" }
}
