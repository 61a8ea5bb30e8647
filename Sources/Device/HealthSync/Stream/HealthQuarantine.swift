import Foundation

/// The samples of a stream that cannot be converted or were refused for good. They are named, not held: the source still
/// has them, and is asked for them again when the table of types or the app is another.
public struct HealthQuarantine: Sendable, Hashable {
    /// One sample that is set aside.
    public struct Entry: Sendable, Hashable {
        /// HealthKit's identifier of the sample.
        public let uuid: UUID
        /// The stable code that says why.
        public let reason: String
        /// Whether its deletion was refused.
        public let isDeletion: Bool
        /// The version that it was last offered with.
        let version: String
    }

    /// What there was no room for. The history is read again for them.
    struct Overflow: Sendable, Hashable {
        var count: Int
        /// When the oldest of them ended.
        var oldest: Double
        var version: String
    }

    /// So many samples are named; those beyond are counted, and the history is read again for them.
    public static let limit = 1_000

    /// Those that are named, in the order of their identifiers.
    public var entries: [Entry] { named.values.sorted { $0.uuid.uuidString < $1.uuid.uuidString } }
    /// How many there are, with those that are not named.
    public var count: Int { named.count + (overflow?.count ?? 0) }

    var named: [UUID: Entry] = [:]
    var overflow: Overflow?

    /// Makes an empty one.
    public init() {}

    /// Sets a sample aside.
    ///
    /// - Returns: false where there is no room for a deletion, which no source tells twice: it has to wait.
    mutating func insert(_ entry: Entry, end: Double?) -> Bool {
        if named[entry.uuid] != nil || named.count < Self.limit {
            named[entry.uuid] = entry
            return true
        }
        guard !entry.isDeletion else { return false }
        var overflow = overflow ?? Overflow(count: 0, oldest: .infinity, version: entry.version)
        overflow.count += 1
        overflow.oldest = min(overflow.oldest, end ?? -.greatestFiniteMagnitude)
        self.overflow = overflow
        return true
    }

    /// Whether the history is to be read again for what is not named.
    func reopensHistory(for version: String) -> Bool { overflow.map { $0.version != version } ?? false }

    /// Whether some of it was last offered with another version.
    func isDue(for version: String) -> Bool {
        reopensHistory(for: version) || named.values.contains { $0.version != version }
    }

    /// Some of those that were last offered with another version.
    func due(for version: String, limit: Int) -> [Entry] {
        Array(
            named.values.filter { $0.version != version }.sorted { $0.uuid.uuidString < $1.uuid.uuidString }
                .prefix(limit))
    }
}
