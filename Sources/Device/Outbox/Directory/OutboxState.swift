import Core

/// The standing of the device's consent, as far as the outbox must know it.
public enum ConsentStanding: String, Codable, Sendable, Hashable, CaseIterable {
    /// No Contract was ever queued: nothing else may be.
    case none
    /// A Contract was queued: what follows it goes.
    case given
    /// The server refused the Contract: nothing goes but a new one, and then before all that waits.
    case refused
}

/// The state that the outbox keeps beside its files.
struct OutboxState: Sendable, Hashable {
    /// The number the next submission gets, at least.
    var nextSequence: Int64 = 1
    /// The consent, as of the last file that was settled.
    var consent: ConsentStanding = .none
    /// The number of the Contract that the consent comes from; `nil` before one was answered.
    var consentSequence: Int64?
    /// The chain of what was signed; `nil` before the first Contract that was.
    var chain: SignatureChain?

    /// The state that the stored one and the files give together.
    ///
    /// A file is named before the state tells of it; so a process stopped in between leaves files that are ahead.
    /// - Parameters:
    ///   - entries: what is queued or, where no state is stored, was accepted.
    ///   - refused: what stands aside.
    func completed(by entries: [OutboxEntry], refused: [OutboxEntry]) -> OutboxState {
        var state = self
        let last = max(entries.lazy.map(\.sequence).max() ?? 0, refused.lazy.map(\.sequence).max() ?? 0)
        // A name may carry the last number there is; the one after it would not fit.
        state.nextSequence = max(nextSequence, last == .max ? last : last + 1)
        state.chain = chain?.completed(by: (entries + refused).lazy.map(\.sequence))
        if consent == .none, entries.contains(where: \.isContract) { state.consent = .given }
        return state
    }

    /// Takes the answer to a Contract. The newest one that was answered counts: one that is sent again, after a restore
    /// or because it was refused, undoes nothing that came later.
    mutating func settle(_ entry: OutboxEntry, as standing: ConsentStanding) {
        guard entry.isContract, entry.sequence >= consentSequence ?? 0 else { return }
        consent = standing
        consentSequence = entry.sequence
    }
}

extension OutboxState {
    /// Reads what ``json`` writes; nil for anything else. Members that are not known are passed over.
    init?(json: JSON) {
        guard let next = Int64(member: json["nextSequence"]), let standing = json["consent"]?.string,
            let consent = ConsentStanding(rawValue: standing)
        else { return nil }
        nextSequence = next
        self.consent = consent
        if let sequence = json["consentSequence"], !sequence.isNull {
            guard let sequence = Int64(member: sequence) else { return nil }
            consentSequence = sequence
        }
        if let chain = json["chain"], !chain.isNull {
            guard let chain = SignatureChain(json: chain) else { return nil }
            self.chain = chain
        }
    }

    /// The state as it stands in its file: members in alphabetical order, those without a value left out.
    var json: JSON {
        var object = JSONObject()
        object["chain"] = chain?.json
        object["consent"] = .string(consent.rawValue)
        object["consentSequence"] = consentSequence.map { .number(JSONNumber($0)) }
        object["nextSequence"] = .number(JSONNumber(nextSequence))
        return .object(object)
    }
}

extension Int64 {
    /// The whole number that a member is; nil for any other value.
    init?(member: JSON?) {
        guard let text = member?.number?.text, let value = Int64(text) else { return nil }
        self = value
    }
}
