/// A type of health data on its way to a store: what is synchronised by itself, with an anchor of its own.
///
/// A type may feed several stores. Each has its own stream, so that one that fails holds up no other.
public struct HealthStream: Sendable, Hashable, Comparable {
    /// HealthKit's identifier of the type, such as `HKQuantityTypeIdentifierHeartRate`.
    public let type: String
    /// The name that the app gave the store.
    public let store: String

    /// Makes a stream of its parts.
    public init(type: String, store: String) {
        self.type = type
        self.store = store
    }

    public static func < (left: HealthStream, right: HealthStream) -> Bool {
        (left.type, left.store) < (right.type, right.store)
    }
}

/// A place in the changes of a source: the source alone reads it, everybody else keeps it.
public struct HealthAnchor: Sendable, Hashable {
    /// The bytes as the source wrote them.
    public let bytes: [UInt8]

    /// An anchor has at most so many bytes; HealthKit's have some hundred.
    public static let longest = 65_536

    /// Makes an anchor of the source's bytes.
    public init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }
}
