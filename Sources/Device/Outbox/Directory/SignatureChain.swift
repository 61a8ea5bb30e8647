import Core
import Foundation
import Wire

/// The chain of what a device signed: each JWS names the digest of the one before it, so that who reads them sees what is
/// missing.
struct SignatureChain: Sendable, Hashable {
    /// A JWS whose file may stand or not: its number was spent, and the process may have stopped before the file.
    struct Pending: Sendable, Hashable {
        let sequence: Int64
        let digest: String
    }

    /// The key that signs; nil where it is not known any more.
    var keyID: String?
    /// The digest of the last JWS whose file is known to have stood; nil where the next one is the first.
    var last: String?
    /// The newest one.
    var pending: Pending?

    /// The chain where these numbers are known to stand as files.
    func completed(by numbers: some Sequence<Int64>) -> SignatureChain {
        guard let pending, numbers.contains(pending.sequence) else { return self }
        return SignatureChain(keyID: keyID, last: pending.digest, pending: nil)
    }
}

extension SignatureChain {
    /// Reads what ``json`` writes; nil for anything else. Members that are not known are passed over.
    init?(json: JSON) {
        guard json.object != nil else { return nil }
        for (key, place) in [("keyID", \SignatureChain.keyID), ("last", \SignatureChain.last)] {
            guard let member = json[key], !member.isNull else { continue }
            guard let text = member.string else { return nil }
            self[keyPath: place] = text
        }
        guard let pending = json["pending"], !pending.isNull else { return }
        guard let sequence = Int64(member: pending["sequence"]), let digest = pending["digest"]?.string else {
            return nil
        }
        self.pending = Pending(sequence: sequence, digest: digest)
    }

    /// The chain as it stands in the state's file: members in alphabetical order, those without a value left out.
    var json: JSON {
        var object = JSONObject()
        object["keyID"] = keyID.map { .string($0) }
        object["last"] = last.map { .string($0) }
        object["pending"] = pending.map {
            ["digest": .string($0.digest), "sequence": .number(JSONNumber($0.sequence))]
        }
        return .object(object)
    }
}

extension OutboxDirectory {
    /// The chain that an entry goes on with; nil where it is not signed: before the first Contract that is, the study
    /// does not know the key. Only while locked.
    func chain(signedBy keyID: String, for entry: OutboxEntry, in state: OutboxState) throws(OutboxError)
        -> SignatureChain?
    {
        guard let chain = state.chain, chain.keyID ?? keyID == keyID else {
            return entry.isContract ? SignatureChain(keyID: keyID) : nil
        }
        // What is neither queued, nor refused, nor sent was never written: the chain goes on before it.
        guard chain.pending != nil else { return chain }
        var known = chain.completed(by: try sentSubmissions().lazy.map(\.entry.sequence))
        known.pending = nil
        return known
    }

    /// The chain of a device whose state file is gone, where what it queued last was signed: the key is known, what came
    /// before is not.
    func chainWithoutState(_ entries: [OutboxEntry]) -> SignatureChain? {
        guard let newest = entries.max() else { return nil }
        for folder in [folder, sentFolder] {
            let names = (try? files.names(in: folder)) ?? []
            guard let name = names.first(where: { $0.hasPrefix(newest.name) }),
                let content = try? files.read(folder.appendingPathComponent(name)),
                let header = try? EnvelopeHeader.read(from: content)
            else { continue }
            return header.contentType == .signed ? SignatureChain() : nil
        }
        return nil
    }
}
