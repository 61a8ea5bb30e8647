/// A type of health data on its way to a store: the unit of synchronization, with its own anchor.
///
/// A type may feed several stores. Each store has its own stream, so a failing store does not delay the others.
public struct HealthStream: Sendable, Hashable, Comparable {
    /// HealthKit's identifier of the type, such as `HKQuantityTypeIdentifierHeartRate`.
    public let type: String
    /// The name that the app gave the store.
    public let store: String

    /// Creates a stream.
    public init(type: String, store: String) {
        self.type = type
        self.store = store
    }

    public static func < (left: HealthStream, right: HealthStream) -> Bool {
        (left.type, left.store) < (right.type, right.store)
    }
}

/// A position in the changes of a source. Only the source reads its content; it is opaque to all others.
public struct HealthAnchor: Sendable, Hashable {
    /// The bytes as the source wrote them.
    public let bytes: [UInt8]

    /// Maximum length of an anchor in bytes. HealthKit's anchors have a few hundred.
    public static let longest = 65_536

    /// Creates an anchor from the source's bytes.
    public init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }
}
