import Core
import Foundation
import Wire

/// The chain of a device's signatures: each JWS contains the digest of the previous one, so that readers detect missing
/// ones.
struct SignatureChain: Sendable, Hashable {
    /// A JWS whose file may not exist: its number is used, but the process may have stopped before it wrote the file.
    struct Pending: Sendable, Hashable {
        let sequence: Int64
        let digest: String
    }

    /// The signing key; nil if it is unknown.
    var keyID: String?
    /// The digest of the last JWS whose file is known to have existed; nil if the next one is the first.
    var last: String?
    /// The newest JWS, while its file is not confirmed.
    var pending: Pending?

    /// Returns the chain after files with these numbers are known to exist.
    func completed(by numbers: some Sequence<Int64>) -> SignatureChain {
        guard let pending, numbers.contains(pending.sequence) else { return self }
        return SignatureChain(keyID: keyID, last: pending.digest, pending: nil)
    }
}

extension SignatureChain {
    /// Reads the output of ``json``; nil for anything else. Unknown members are ignored.
    init?(json: JSON) {
        guard json.object != nil else { return nil }
        for (key, path) in [("keyID", \SignatureChain.keyID), ("last", \SignatureChain.last)] {
            guard let member = json[key], !member.isNull else { continue }
            guard let text = member.string else { return nil }
            self[keyPath: path] = text
        }
        guard let pending = json["pending"], !pending.isNull else { return }
        guard let sequence = Int64(member: pending["sequence"]), let digest = pending["digest"]?.string else {
            return nil
        }
        self.pending = Pending(sequence: sequence, digest: digest)
    }

    /// The chain in the format of the state file: members in alphabetical order, without members that have no value.
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
    /// Returns the chain that an entry continues; nil if the entry is not signed: the study does not know the key
    /// before the first signed Contract. Call it only while locked.
    func chain(signedBy keyID: String, for entry: OutboxEntry, in state: OutboxState) throws(OutboxError)
        -> SignatureChain?
    {
        guard let chain = state.chain, chain.keyID ?? keyID == keyID else {
            return entry.isContract ? SignatureChain(keyID: keyID) : nil
        }
        // An entry that is neither queued, refused nor sent was never written: the chain continues from the one before.
        guard chain.pending != nil else { return chain }
        var known = chain.completed(by: try sentSubmissions().lazy.map(\.entry.sequence))
        known.pending = nil
        return known
    }

    /// Returns the chain of a device without a state file, if its last entry was signed: the study knows the key, but
    /// the previous digest is unknown.
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
