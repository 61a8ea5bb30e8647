import Foundation

/// How the device stands with its consent, as far as the outbox must know.
public enum ConsentStanding: String, Codable, Sendable, Hashable, CaseIterable {
    /// No Contract was ever queued: nothing else may be.
    case none
    /// A Contract was queued: what follows it goes.
    case given
    /// The server refused the Contract: nothing goes but a new one, and then before all that waits.
    case refused
}

/// What the outbox remembers beside its files.
struct OutboxState: Codable, Sendable, Hashable {
    /// The number the next submission gets, at least.
    var nextSequence: Int64 = 1
    /// The consent, as of the last file that was settled.
    var consent: ConsentStanding = .none

    /// The state that the stored one and the files give together.
    ///
    /// A file is named before the state tells of it; so a process stopped in between leaves files that are ahead.
    func completed(by entries: [OutboxEntry], refused: [OutboxEntry]) -> OutboxState {
        var state = self
        let last = (entries + refused).map(\.sequence).max() ?? 0
        state.nextSequence = max(nextSequence, last + 1)
        if consent == .none, entries.contains(where: \.isContract) { state.consent = .given }
        return state
    }
}
