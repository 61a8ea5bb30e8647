import HealthData

/// Recurring metadata, found by comparing bytes, so that no text must be created and looked up each time.
struct KnownMetadata {
    typealias Meaning = HealthDetails.Meaning

    private final class Known {
        let key: [UInt8]
        let value: [UInt8]
        let meaning: Meaning

        init(key: [UInt8], value: [UInt8], meaning: Meaning) {
            self.key = key
            self.value = value
            self.meaning = meaning
        }
    }

    private var known: [Known] = []
    private static let limit = 32
    private static let prefix: StaticString = "HK"

    /// Returns the meaning of one of HealthKit's own keys. Metadata of apps can contain anything and is ignored.
    mutating func meaning(
        of key: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>
    ) -> Meaning {
        for entry in known where key.holds(entry.key) && value.holds(entry.value) { return entry.meaning }
        guard UnsafeBufferPointer(rebasing: key.prefix(2)).elementsEqual(Self.prefix) else { return .dropped(.ofApp) }
        guard key.count <= 64 else { return .dropped(.unlisted) }
        guard value.count <= 64 else { return .dropped(.unreadable) }
        let meaning = HealthDetails.meaning(
            of: String(decoding: key, as: UTF8.self), String(decoding: value, as: UTF8.self))
        // Measured values rarely recur.
        if case .entry(.datum(let datum)) = meaning, case .quantity = datum.value { return meaning }
        if known.count == Self.limit { known.removeFirst() }
        known.append(Known(key: Array(key), value: Array(value), meaning: meaning))
        return meaning
    }
}
