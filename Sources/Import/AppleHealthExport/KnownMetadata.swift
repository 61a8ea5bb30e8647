import HealthData

/// Metadata that come again and again, found by comparing bytes, so that not each time a text is made and looked up.
struct KnownMetadata {
    typealias Meaning = HealthDetails.Meaning

    private final class Known {
        let key: [UInt8]
        let value: [UInt8]
        let meaning: Meaning

        init(_ key: [UInt8], _ value: [UInt8], _ meaning: Meaning) {
            self.key = key
            self.value = value
            self.meaning = meaning
        }
    }

    private var known: [Known] = []
    private static let limit = 32
    private static let prefix: StaticString = "HK"

    /// Returns the meaning of HealthKit's own keys; those of apps may hold whatever an app wrote, and are not looked
    /// at.
    mutating func meaning(
        of key: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>
    ) -> Meaning {
        for entry in known where key.holds(entry.key) && value.holds(entry.value) { return entry.meaning }
        guard UnsafeBufferPointer(rebasing: key.prefix(2)).elementsEqual(Self.prefix) else { return .dropped(.ofApp) }
        guard key.count <= 64 else { return .dropped(.unlisted) }
        guard value.count <= 64 else { return .dropped(.unreadable) }
        let meaning = HealthDetails.meaning(
            of: String(decoding: key, as: UTF8.self), String(decoding: value, as: UTF8.self))
        // Measured values hardly ever come twice.
        if case .entry(.datum(let datum)) = meaning, case .quantity = datum.value { return meaning }
        if known.count == Self.limit { known.removeFirst() }
        known.append(Known(Array(key), Array(value), meaning))
        return meaning
    }
}
