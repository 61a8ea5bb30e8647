import Foundation

/// The progress of one batch. Samples are identified by their index in its additions, because there are thousands of
/// them.
struct BatchProgress: Sendable {
    /// The deletions without duplicates, in their original order.
    var deletions: [UUID] = []
    /// The samples that are neither deleted nor settled, without duplicates.
    private(set) var additions: [SampleCandidate] = []
    var anchor: HealthAnchor?
    var hasMore = false
    /// The ends of all samples of a history batch, including settled ones.
    var ends: [UUID: Double] = [:]
    /// Whether the source returned nothing.
    var isEmpty = true
    /// The index entries of the deleted samples.
    var known: [UUID: IndexedSample] = [:]
    /// The deletions that are settled.
    var settledDeletions: Set<UUID> = []
    /// Whether each addition is settled, and the number of settled ones.
    private(set) var isSettled: [Bool] = []
    private var settledAdditions = 0
    /// The reason that the store deferred samples; the first reason is kept.
    var held: (code: String, retryAfter: Double?)?
    /// The reason that the stream cannot continue, if it is not a failure of the store.
    var blocked: String?
    var round = BatchRound()

    /// The number of samples and deletions that are not settled.
    var open: Int { deletions.count + additions.count - settledDeletions.count - settledAdditions }

    /// The additions that are settled.
    var settled: [UUID] { zip(additions, isSettled).compactMap { $1 ? $0.uuid : nil } }

    mutating func setAdditions(_ candidates: [SampleCandidate]) {
        additions = candidates
        isSettled = Array(repeating: false, count: candidates.count)
        settledAdditions = 0
    }

    mutating func settle(at index: Int) {
        guard !isSettled[index] else { return }
        isSettled[index] = true
        settledAdditions += 1
    }

    mutating func hold(_ code: String, _ retryAfter: Double?) {
        guard let first = held else {
            held = (code, retryAfter)
            return
        }
        if let retryAfter, retryAfter > first.retryAfter ?? 0 { held = (first.code, retryAfter) }
    }
}

/// The part of a batch that is sent to the store together.
struct BatchRound: Sendable {
    /// The deletions; nil for a sample that is not in the index.
    var deletions: [UUID: HealthTarget?] = [:]
    /// The deletions that are sent to the store, each with all samples of the same resource.
    var asked: [UUID: [UUID]] = [:]
    /// The outcomes of the deletions.
    var deleted: [UUID: HealthOutcome] = [:]
    /// The indexes of the samples.
    var indexes: [Int] = []
    /// The samples that can be sent, in order; only the first of each resource.
    var firsts: [Int] = []
    /// Further samples of the same resource as a first one.
    var others: [Int: [Int]] = [:]
    /// The first samples whose resource the store has already.
    var present: Set<Int> = []
    /// The outcome of the sample at each index of the batch; nil if there is none.
    var outcomes: [HealthOutcome?] = []

    var isEmpty: Bool { deletions.isEmpty && indexes.isEmpty }

    /// Whether the store stored or deleted anything in this round.
    var hasStored: Bool { deleted.values.contains(.stored) || indexes.contains { outcomes[$0] == .stored } }
}
