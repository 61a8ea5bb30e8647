import Foundation

extension OutboxDirectory {
    /// Queues a submission.
    ///
    /// - Parameters:
    ///   - kind: the resource's type, only letters.
    ///   - sid: the submission's id, a UUID.
    ///   - seal: seals the payload for the number it is given: the envelope's `seq` must be that number. It runs while
    ///     the outbox is locked, so it should only compute.
    /// - Returns: the entry, durable.
    ///
    /// Throws `consent-required` for anything but a Contract before the first Contract, `kind-invalid`,
    /// `envelope-mismatch`, `storage-full`, `storage-failed`, or what `seal` throws; then nothing was queued.
    @discardableResult
    public func append(kind: String, sid: String, sealing seal: (Int64) throws -> Data) throws -> OutboxEntry {
        guard OutboxEntry.isKind(kind), let sid = OutboxEntry.canonical(sid) else {
            throw OutboxError(.kindInvalid, "A submission needs a resource type of letters and a UUID.")
        }
        return try locked {
            // 1. Contract before data, always.
            var state = try state()
            let entry = OutboxEntry(sequence: state.nextSequence, kind: kind, sid: sid)
            guard entry.isContract || state.consent != .none else {
                throw OutboxError(.consentRequired, "Sign the study's consent before anything else is queued.")
            }
            let content = try seal(entry.sequence)
            guard Self.fits(content, entry) else {
                throw OutboxError(.envelopeMismatch, "The sealed submission carries another number or id.")
            }
            guard entry.sequence < .max else {
                throw OutboxError(.stateDamaged, "The outbox has no number left: its files' names are damaged.")
            }
            // 2. The number is spent before it is used: a stop from here on leaves a gap, not a number for two.
            state.nextSequence += 1
            try store(state)
            // 3. The file, whole or not at all. What a person says now counts more than what the study has stored.
            let file = folder.appendingPathComponent(entry.name)
            do {
                try AtomicFile.write(content, to: file, files: files)
            } catch let error as OutboxError where error.reason == .storageFull {
                guard try makeRoom(for: 2 * Int64(content.count) + 65_536) else { throw error }
                try AtomicFile.write(content, to: file, files: files)
            }
            // 4. The consent outlives its file. A refused one stays refused until the server accepts the new one.
            if entry.isContract, state.consent == .none {
                state.consent = .given
                try store(state)
            }
            return entry
        }
    }
}
