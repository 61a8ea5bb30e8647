import Foundation
import Trust
import Wire

/// The keys of clients that serve them, kept for as long as their addresses tell, within bounds.
///
/// Many that ask at a time wait for one answer. What could not be fetched is not tried again at once, so that a client whose
/// address hangs costs little.
actor KeySetCache {
    /// Seconds for which keys are kept where nothing is told, and at most.
    static let standardAge: TimeInterval = 300
    static let mostAge: TimeInterval = 3_600
    /// Seconds for which a failure is taken again, and in which keys are not asked for a second time because of one that
    /// was not among them.
    static let failureAge: TimeInterval = 5
    static let leastAge: TimeInterval = 30
    static let mostEntries = 256
    static let mostFetches = 8

    typealias Fetch = @Sendable (RegisteredURL) async throws -> FetchedKeySet

    /// Keys as they were fetched.
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

    /// The keys at an address.
    ///
    /// - Parameter isAsked: whether those that are kept lacked one that is named: then they are fetched anew, where they are
    ///   not from just now.
    func keys(at text: String, again isAsked: Bool = false) async throws -> Entry {
        let now = clock()
        if let entry = entries[text], entry.fetchedAt <= now {
            let isRecent = now < entry.fetchedAt.addingTimeInterval(Self.leastAge)
            if isAsked ? isRecent || entry.keys == nil : now < entry.until { return entry }
        }
        if let task = fetching[text] { return await task.value }
        guard let url = RegisteredURL(text), fetching.count < Self.mostFetches else { throw KeySetFetchError.busy }
        let (fetch, clock) = (fetch, clock)
        let task = Task { () -> Entry in
            let fetched = try? await fetch(url)
            let now = clock()
            guard let fetched, let keys = try? SignatureKeySet(reading: fetched.bytes) else {
                return Entry(keys: nil, fetchedAt: now, until: now.addingTimeInterval(Self.failureAge))
            }
            let age = min(max(0, fetched.maximumAge.map(TimeInterval.init) ?? Self.standardAge), Self.mostAge)
            return Entry(keys: keys, fetchedAt: now, until: now.addingTimeInterval(age))
        }
        fetching[text] = task
        let entry = await task.value
        fetching[text] = nil
        if entries.count >= Self.mostEntries, entries[text] == nil {
            entries = entries.filter { now < $0.value.until }
            if entries.count >= Self.mostEntries { entries = [:] }
        }
        entries[text] = entry
        return entry
    }
}
