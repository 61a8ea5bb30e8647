import Foundation

/// The samples of a stream that cannot be converted or were refused for good. Only their identifiers are kept: the
/// source still has the samples, and is asked for them again with another version of the table of types or the app.
public struct HealthQuarantine: Sendable, Hashable {
    /// One quarantined sample.
    public struct Entry: Sendable, Hashable {
        /// HealthKit's identifier of the sample.
        public let uuid: UUID
        /// The stable code of the reason.
        public let reason: String
        /// Whether the refusal concerns the deletion of the sample.
        public let isDeletion: Bool
        /// The version with which the sample was last offered.
        let version: String
    }

    /// Quarantined samples beyond the limit. The history is read again for them.
    struct Overflow: Sendable, Hashable {
        var count: Int
        /// The end of the oldest of them.
        var oldest: Double
        var version: String
    }

    /// Maximum number of named samples. Further ones are only counted, and the history is read again for them.
    public static let limit = 1_000

    /// The named samples, sorted by identifier.
    public var entries: [Entry] { named.values.sorted { $0.uuid.uuidString < $1.uuid.uuidString } }
    /// The number of quarantined samples, including those that are not named.
    public var count: Int { named.count + (overflow?.count ?? 0) }

    var named: [UUID: Entry] = [:]
    var overflow: Overflow?

    /// Creates an empty quarantine.
    public init() {}

    /// Quarantines a sample.
    ///
    /// - Returns: false if there is no room for a deletion. A source reports a deletion only once, so the deletion must
    ///   wait.
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

    /// Returns whether the history must be read again for samples that are not named.
    func reopensHistory(for version: String) -> Bool { overflow.map { $0.version != version } ?? false }

    /// Returns whether some samples were last offered with another version.
    func isDue(for version: String) -> Bool {
        reopensHistory(for: version) || named.values.contains { $0.version != version }
    }

    /// Returns up to `limit` samples that were last offered with another version.
    func due(for version: String, limit: Int) -> [Entry] {
        Array(
            named.values.filter { $0.version != version }.sorted { $0.uuid.uuidString < $1.uuid.uuidString }
                .prefix(limit))
    }
}
