import Foundation

/// How far one portion is. Samples are told apart by their places among its additions: there are thousands of them.
struct PortionProgress: Sendable {
    /// The deletions, each once, as they came.
    var deletions: [UUID] = []
    /// The samples that are neither deleted nor settled, each once.
    private(set) var additions: [HealthOffer] = []
    var anchor: HealthAnchor?
    var hasMore = false
    /// The ends of all samples of a portion of history, settled ones too.
    var ends: [UUID: Double] = [:]
    /// Whether the source gave nothing at all.
    var isEmpty = true
    /// What the index knows of the deleted ones.
    var known: [UUID: IndexedSample] = [:]
    /// The deletions that are settled.
    var settledDeletions: Set<UUID> = []
    /// Of each addition whether it is settled, and how many are.
    private(set) var isSettled: [Bool] = []
    private var settledAdditions = 0
    /// Why some of it is kept; the first reason counts.
    var held: (code: String, retryAfter: Double?)?
    /// Why the stream cannot go on, whoever is not to blame.
    var blocked: String?
    var round = PortionRound()

    /// What is left of it: nothing is settled that is not of it.
    var open: Int { deletions.count + additions.count - settledDeletions.count - settledAdditions }

    /// The additions that are settled.
    var settled: [UUID] { zip(additions, isSettled).compactMap { $1 ? $0.uuid : nil } }

    mutating func setAdditions(_ offers: [HealthOffer]) {
        additions = offers
        isSettled = Array(repeating: false, count: offers.count)
        settledAdditions = 0
    }

    mutating func settle(at place: Int) {
        guard !isSettled[place] else { return }
        isSettled[place] = true
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

/// What of a portion goes to the store together.
struct PortionRound: Sendable {
    /// The deletions; nil stands for an unknown sample.
    var deletions: [UUID: HealthTarget?] = [:]
    /// Those that are asked of the store, each with all those that are the same resource.
    var asked: [UUID: [UUID]] = [:]
    /// What became of deletions.
    var deleted: [UUID: HealthOutcome] = [:]
    /// The places of the samples.
    var places: [Int] = []
    /// Those of the samples that can go, in order, the first of each resource alone.
    var firsts: [Int] = []
    /// Further samples that are the resource of a first one.
    var others: [Int: [Int]] = [:]
    /// Those of the first ones that are there already.
    var present: Set<Int> = []
    /// What became of the sample at each place of the portion; nil of those that nobody answered for.
    var outcomes: [HealthOutcome?] = []

    var isEmpty: Bool { deletions.isEmpty && places.isEmpty }

    /// Whether the store has anything because of this round.
    var hasStored: Bool { deleted.values.contains(.stored) || places.contains { outcomes[$0] == .stored } }
}
