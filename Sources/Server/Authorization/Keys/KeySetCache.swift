import Foundation
import Identity
import Wire

/// A cache of clients' key sets. Each is kept for the time that its address specifies, within limits.
///
/// Concurrent requests for one address share one fetch. A failure is cached for a short time, so that a client whose
/// address hangs costs little.
actor KeySetCache {
    /// Seconds for which keys are kept if the answer has no maximum age, and the maximum.
    static let standardAge: TimeInterval = 300
    static let maximumAge: TimeInterval = 3_600
    /// Seconds for which a failure is kept, and the minimum seconds between two fetches because of a missing key.
    static let failureAge: TimeInterval = 5
    static let minimumAge: TimeInterval = 30
    static let maximumEntries = 256
    static let maximumFetches = 8

    typealias Fetch = @Sendable (RegisteredURL) async throws -> FetchedKeySet

    /// The result of a fetch.
    struct Entry: Sendable {
        let keys: SignatureKeySet?
        let fetchedAt: Date
        let until: Date
    }

    private let fetch: Fetch
    private let clock: @Sendable () -> Date
    private var entries: [String: Entry] = [:]
    private var fetching: [String: Task<Entry, Never>] = [:]

    init(clock: @escaping @Sendable () -> Date, fetch: @escaping Fetch) {
        self.clock = clock
        self.fetch = fetch
    }

    /// Returns the keys at an address.
    ///
    /// - Parameter isAsked: whether the cached keys lacked a key that the assertion names. Then they are fetched again,
    ///   unless they were fetched very recently.
    func keys(at text: String, again isAsked: Bool = false) async throws -> Entry {
        let now = clock()
        if let entry = entries[text], entry.fetchedAt <= now {
            let isRecent = now < entry.fetchedAt.addingTimeInterval(Self.minimumAge)
            if isAsked ? isRecent || entry.keys == nil : now < entry.until { return entry }
        }
        if let task = fetching[text] { return await task.value }
        guard let url = RegisteredURL(text), fetching.count < Self.maximumFetches else { throw KeySetFetchError.busy }
        let (fetch, clock) = (fetch, clock)
        let task = Task { () -> Entry in
            let fetched = try? await fetch(url)
            let now = clock()
            guard let fetched, let keys = try? SignatureKeySet(reading: fetched.bytes) else {
                return Entry(keys: nil, fetchedAt: now, until: now.addingTimeInterval(Self.failureAge))
            }
            let age = min(max(0, fetched.maximumAge.map(TimeInterval.init) ?? Self.standardAge), Self.maximumAge)
            return Entry(keys: keys, fetchedAt: now, until: now.addingTimeInterval(age))
        }
        fetching[text] = task
        let entry = await task.value
        fetching[text] = nil
        if entries.count >= Self.maximumEntries, entries[text] == nil {
            entries = entries.filter { now < $0.value.until }
            if entries.count >= Self.maximumEntries { entries = [:] }
        }
        entries[text] = entry
        return entry
    }
}
