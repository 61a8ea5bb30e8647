import Foundation

/// How far one portion is.
struct PortionProgress: Sendable {
    /// The deletions, each once, as they came.
    var deletions: [UUID] = []
    /// The samples that are neither deleted nor settled, each once.
    var additions: [HealthOffer] = []
    var anchor: HealthAnchor?
    var hasMore = false
    /// The ends of all samples of a portion of history, settled ones too.
    var ends: [UUID: Double] = [:]
    /// Whether the source gave nothing at all.
    var isEmpty = true
    /// What the index knows of the deleted ones.
    var known: [UUID: IndexedSample] = [:]
    /// What is settled of it.
    var settled: Set<UUID> = []
    /// Why some of it is kept; the first reason counts.
    var held: (code: String, retryAfter: Double?)?
    /// Why the stream cannot go on, whoever is not to blame.
    var blocked: String?
    var round = PortionRound()

    /// What is left of it: nothing is settled that is not of it.
    var open: Int { deletions.count + additions.count - settled.count }

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
    /// The samples by their identifiers.
    var offers: [UUID: HealthOffer] = [:]
    /// Those of the samples that can go, in order, the first of each resource alone.
    var firsts: [UUID] = []
    /// Further samples that are the resource of a first one.
    var others: [UUID: [UUID]] = [:]
    /// Those that are there already.
    var present: Set<UUID> = []
    var outcomes: [UUID: HealthOutcome] = [:]

    /// Which resources the samples are.
    var notes: [UUID: HealthTarget] {
        var notes = [UUID: HealthTarget](minimumCapacity: offers.count)
        for (uuid, offer) in offers { if let target = offer.target { notes[uuid] = target } }
        return notes
    }

    var isEmpty: Bool { deletions.isEmpty && offers.isEmpty }
}
