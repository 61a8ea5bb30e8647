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
            // 2. The number is spent before it is used: a stop from here on leaves a gap, not a number for two.
            state.nextSequence += 1
            try store(state)
            // 3. The file, whole or not at all.
            try AtomicFile.write(content, to: folder.appendingPathComponent(entry.name), files: files)
            // 4. The consent outlives its file. A refused one stays refused until the server accepts the new one.
            if entry.isContract, state.consent == .none {
                state.consent = .given
                try store(state)
            }
            return entry
        }
    }

    /// Takes an accepted submission out. A stop before the end only means that it is sent once more.
    func removeAccepted(_ entry: OutboxEntry) throws {
        try locked {
            // 1. What the file stood for is remembered before the file goes.
            var state = try state()
            if entry.isContract { state.consent = .given }
            try store(state)
            // 2. The file.
            try files.remove(folder.appendingPathComponent(entry.name))
            try files.syncFolder(folder)
        }
    }

    /// Moves a refused submission aside with its reason. A stop before the end only means that it is sent once more.
    func moveAside(_ entry: OutboxEntry, because refusal: Refusal) throws {
        try locked {
            // 1. The reason stands before the file it explains.
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            encoder.dateEncodingStrategy = .iso8601
            let content: Data
            do { content = try encoder.encode(refusal) } catch {
                throw OutboxError(.storageFailed, "The reason of a refusal cannot be written.")
            }
            let target = refusedFolder.appendingPathComponent(entry.name)
            try AtomicFile.write(content, to: target.appendingPathExtension("reason.json"), files: files)
            // 2. A refused Contract holds everything back, from before its file goes.
            var state = try state()
            if entry.isContract { state.consent = .refused }
            try store(state)
            // 3. The file.
            try files.move(folder.appendingPathComponent(entry.name), to: target)
            try files.syncFolder(refusedFolder)
            try files.syncFolder(folder)
        }
    }

    /// Why a submission was refused, as it stands beside it.
    public func refusal(of entry: OutboxEntry) throws -> Refusal {
        let file = refusedFolder.appendingPathComponent(entry.name).appendingPathExtension("reason.json")
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        guard let refusal = try? decoder.decode(Refusal.self, from: files.read(file)) else {
            throw OutboxError(.fileMissing, "No reason stands beside \(entry.name).")
        }
        return refusal
    }
}

/// Why a submission will never be sent again.
public struct Refusal: Codable, Sendable, Hashable {
    /// The HTTP status; `nil` if the file never reached the server.
    public let status: Int?
    /// A stable code: the server's own, `http-<status>`, or `entry-unreadable`.
    public let code: String
    /// When, to the second.
    public let at: Date

    /// Makes a reason.
    public init(status: Int?, code: String, at: Date) {
        self.status = status
        self.code = code
        self.at = at
    }
}
