import Foundation
import Wire

extension OutboxDirectory {
    /// Seals a payload and queues it.
    ///
    /// - Parameters:
    ///   - kind: the resource's type, only letters.
    ///   - submissionID: the submission's id, a UUID.
    ///   - contentType: whether the payload is one resource or several.
    ///   - recipients: the study's keys.
    ///   - signer: the signer. Signing begins with a Contract; all later submissions are signed.
    ///   - isRepeatable: whether a queued or sent submission with the same id is returned instead of a second one.
    /// - Returns: the entry, durable.
    ///
    /// - Throws: ``OutboxError``: `consent-required` for anything but a Contract before the first Contract,
    ///   `kind-invalid`, storage errors; `WireError` if the keys are unsuitable; errors of the signer's key. Then
    ///   nothing was queued.
    @discardableResult
    public func append(
        _ payload: Data, kind: String, submissionID: String, contentType: PayloadType, to recipients: [PublicKey],
        signedBy signer: SubmissionSigner? = nil, isRepeatable: Bool = false
    ) throws -> OutboxEntry {
        // The envelope is created here, so it is not read again for a check.
        try appendEntry(
            kind: kind, submissionID: submissionID, keyID: signer?.key.publicKey.keyID, isRepeatable: isRepeatable
        ) { entry, chain in
            let header = try SubmissionHeader(
                submissionID: entry.submissionID, sequence: entry.sequence, contentType: contentType)
            guard let signer, let chain else {
                return (try SealedEnvelope.seal(payload, as: header, to: recipients).bytes, nil)
            }
            let (envelope, digest) = try SealedEnvelope.seal(
                payload, as: header, to: recipients, signedBy: signer, previous: chain.last)
            return (envelope.bytes, digest)
        }
    }

    /// Queues a submission that the caller seals.
    ///
    /// - Parameters:
    ///   - kind: the resource's type, only letters.
    ///   - submissionID: the submission's id, a UUID.
    ///   - seal: seals the payload for the given number, which must be the envelope's `seq`. It runs while the outbox
    ///     is locked, so it should only compute.
    /// - Returns: the entry, durable.
    ///
    /// - Throws: errors of ``append(_:kind:submissionID:contentType:to:signedBy:)``, and `envelope-mismatch`; errors of
    ///   `seal`. Then nothing was queued.
    @discardableResult
    package func append(kind: String, submissionID: String, sealing seal: (Int64) throws -> Data) throws -> OutboxEntry
    {
        try appendEntry(kind: kind, submissionID: submissionID, keyID: nil) { entry, _ in
            let content = try seal(entry.sequence)
            return Self.header(of: content, if: entry) == nil ? nil : (content, nil)
        }
    }

    /// - Parameters:
    ///   - keyID: the signing key; nil for no signature.
    ///   - envelope: returns the entry's envelope with the digest of the signed content; nil if the envelope belongs to
    ///     another entry. Its second argument is the chain to continue if the entry must be signed.
    private func appendEntry(
        kind: String, submissionID: String, keyID: String?, isRepeatable: Bool = false,
        envelope: (OutboxEntry, SignatureChain?) throws -> (content: Data, digest: String?)?
    ) throws -> OutboxEntry {
        guard OutboxEntry.isKind(kind), let submissionID = OutboxEntry.canonical(submissionID) else {
            throw OutboxError(.kindInvalid, "A submission needs a resource type of letters and a UUID.")
        }
        let lock = try changingLock()
        defer { withExtendedLifetime(lock) {} }
        if isRepeatable, let present = try self.entry(submissionID: submissionID) { return present }
        // 1. The Contract must precede all data.
        var state = try state()
        let entry = OutboxEntry(sequence: state.nextSequence, kind: kind, submissionID: submissionID)
        guard entry.isContract || state.consent != .none else {
            throw OutboxError(.consentRequired, "Sign the study's consent before anything else is queued.")
        }
        let chain = try keyID.flatMap { try self.chain(signedBy: $0, for: entry, in: state) }
        guard let (content, digest) = try envelope(entry, chain) else {
            throw OutboxError(.envelopeMismatch, "The sealed submission carries another number or id.")
        }
        guard entry.sequence < .max else {
            throw OutboxError(.stateDamaged, "The outbox has no number left: its files' names are damaged.")
        }
        // 2. The number is recorded as used before its use: a stop after this leaves a gap, not a number used twice.
        state.nextSequence += 1
        if let keyID, let digest {
            state.chain = SignatureChain(
                keyID: keyID, last: chain?.last, pending: .init(sequence: entry.sequence, digest: digest))
        }
        try store(state)
        // 3. The file.
        try write(content, to: folder.appendingPathComponent(entry.name))
        // 4. The consent outlives its file. A refused consent stays refused until the server accepts the new one.
        if entry.isContract, state.consent == .none {
            state.consent = .given
            try store(state)
        }
        return entry
    }

    /// Writes an entry's file atomically. New data have priority over submissions that the study has stored.
    private func write(_ content: Data, to file: URL) throws(OutboxError) {
        do throws(OutboxError) {
            try files.replace(file, with: content)
        } catch {
            guard error.reason == .storageFull, try freeSpace(for: 2 * Int64(content.count) + 65_536) else {
                throw error
            }
            try files.replace(file, with: content)
        }
    }
}
