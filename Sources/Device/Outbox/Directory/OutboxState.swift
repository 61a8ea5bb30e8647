import Core

/// The state of the device's consent that the outbox uses.
public enum OutboxConsentState: String, Codable, Sendable, Hashable, CaseIterable {
    /// No Contract was ever queued: nothing else may be queued.
    case none
    /// A Contract was queued: later submissions may be sent.
    case given
    /// The server refused the Contract: only a new one may be sent, before all other queued submissions.
    case refused
}

/// The state that the outbox stores in addition to its files.
struct OutboxState: Sendable, Hashable {
    /// The minimum number of the next submission.
    var nextSequence: Int64 = 1
    /// The consent, as of the last answered submission.
    var consent: OutboxConsentState = .none
    /// The number of the Contract that determines the consent; `nil` before one was answered.
    var consentSequence: Int64?
    /// The chain of signed submissions; `nil` before the first signed Contract.
    var chain: SignatureChain?

    /// Returns the state that results from the stored one and the files.
    ///
    /// A file gets its name before the state is updated, so a stopped process can leave files that are newer than the
    /// state.
    /// - Parameters:
    ///   - entries: the queued submissions and, if no state is stored, the accepted ones.
    ///   - refused: the refused submissions.
    func completed(by entries: [OutboxEntry], refused: [OutboxEntry]) -> OutboxState {
        var state = self
        let last = max(entries.lazy.map(\.sequence).max() ?? 0, refused.lazy.map(\.sequence).max() ?? 0)
        // A name may contain the maximum number; the next number would overflow.
        state.nextSequence = max(nextSequence, last == .max ? last : last + 1)
        state.chain = chain?.completed(by: (entries + refused).lazy.map(\.sequence))
        if consent == .none, entries.contains(where: \.isContract) { state.consent = .given }
        return state
    }

    /// Records the answer to a Contract. The newest answered Contract determines the consent: an older one that is sent
    /// again, after a restore or a refusal, does not override it.
    mutating func settle(_ entry: OutboxEntry, as newConsent: OutboxConsentState) {
        guard entry.isContract, entry.sequence >= consentSequence ?? 0 else { return }
        consent = newConsent
        consentSequence = entry.sequence
    }
}

extension OutboxState {
    /// Reads the output of ``json``; nil for anything else. Unknown members are ignored.
    init?(json: JSON) {
        guard let next = Int64(member: json["nextSequence"]), let text = json["consent"]?.string,
            let consent = OutboxConsentState(rawValue: text)
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

    /// The state in the format of its file: members in alphabetical order, without members that have no value.
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
    /// Reads a member that is a whole number; nil for any other value.
    init?(member: JSON?) {
        guard let text = member?.number?.text, let value = Int64(text) else { return nil }
        self = value
    }
}
