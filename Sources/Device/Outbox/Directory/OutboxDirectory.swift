import Core
import Foundation
import Wire

/// A queue of sealed submissions in a folder: first in, first out, one file each, safe against a stop at any instant and
/// against other processes.
///
/// - A file appears under its name only whole and durable, and leaves the queue only when the study has it or refused it.
/// - What the study has is kept among the sent ones until it says `stored`, and a while longer: it may have to be
///   restored from a backup that is older.
/// - Numbers only rise, also when the queue is empty; a stop may leave a gap, never a number used twice.
/// - Nothing is queued before the first Contract, and nothing is sent after a refused one until there is another.
/// - Files with other names are left alone.
public struct OutboxDirectory: Sendable {
    /// The queue's folder.
    public let folder: URL
    /// Where refused submissions go, each with a `<name>.reason.json`.
    public let refusedFolder: URL
    /// Where accepted submissions stay until they need not be kept any longer.
    public let sentFolder: URL
    let files: any DurableFiles

    /// How long a short change waits for another process's, in seconds.
    private static let patience = 10.0

    /// Opens the folders, makes them if need be, and clears what a stopped process left half written.
    /// - Parameter sentFolder: `nil` for the folder `sent` beside the queue's.
    public static func open(
        folder: URL, refusedFolder: URL, sentFolder: URL? = nil, files: any DurableFiles = PosixFiles()
    ) throws(OutboxError) -> OutboxDirectory {
        let sentFolder = sentFolder ?? folder.deletingLastPathComponent().appendingPathComponent("sent")
        let outbox = OutboxDirectory(
            folder: folder, refusedFolder: refusedFolder, sentFolder: sentFolder, files: files)
        for folder in [folder, refusedFolder, sentFolder] {
            try files.makeFolder(folder)
            try files.syncFolder(folder.deletingLastPathComponent())
        }
        try outbox.locked { () throws(OutboxError) in
            try AtomicFile.removeLeftovers(in: folder, files: files)
            try AtomicFile.removeLeftovers(in: refusedFolder, files: files)
        }
        return outbox
    }

    /// The queued submissions in their order.
    public func entries() throws(OutboxError) -> [OutboxEntry] { try Self.entries(in: folder, files) }

    /// The refused submissions in their order.
    public func refusedEntries() throws(OutboxError) -> [OutboxEntry] { try Self.entries(in: refusedFolder, files) }

    /// Returns the standing of the device's consent.
    public func consent() throws(OutboxError) -> ConsentStanding {
        try locked { () throws(OutboxError) in try state().consent }
    }

    /// Queued submissions and consent at one instant.
    func snapshot() throws(OutboxError) -> (entries: [OutboxEntry], consent: ConsentStanding) {
        try locked { () throws(OutboxError) in
            let entries = try entries()
            return (entries, try state(of: entries, refused: []).consent)
        }
    }

    /// The sealed bytes of an entry. Throws `file-missing` if it is gone, `entry-unreadable` if the file cannot be read,
    /// is no envelope, or carries another number or id than its name.
    public func read(_ entry: OutboxEntry) throws(OutboxError) -> Data { try readEnvelope(entry).bytes }

    /// The envelope of an entry, read once for all that its sending needs to know of it. Throws as ``read(_:)`` does.
    func readEnvelope(_ entry: OutboxEntry) throws(OutboxError) -> QueuedEnvelope {
        let content: Data
        do throws(OutboxError) {
            content = try files.read(folder.appendingPathComponent(entry.name))
        } catch {
            if error.reason == .fileMissing { throw error }
            throw OutboxError(.entryUnreadable, "The queued file \(entry.name) cannot be read.")
        }
        guard let header = Self.header(of: content, if: entry) else {
            throw OutboxError(.entryUnreadable, "The queued file \(entry.name) is damaged.")
        }
        return QueuedEnvelope(bytes: content, header: header)
    }

    /// Returns the header of an envelope; nil where it is not the one that its name promises. C3-PRO's has neither
    /// number nor id.
    static func header(of content: Data, if entry: OutboxEntry) -> EnvelopeHeader? {
        guard let header = try? EnvelopeHeader.read(from: content) else { return nil }
        let isIts =
            header.format == .c3pro || (header.sequence == entry.sequence && header.submissionID == entry.submissionID)
        return isIts ? header : nil
    }

    // MARK: - State

    private var stateFile: URL { folder.appendingPathComponent(".state.json") }

    /// The state as files and memory give it together. Only while locked.
    func state() throws(OutboxError) -> OutboxState { try state(of: entries(), refused: refusedEntries()) }

    private func state(of entries: [OutboxEntry], refused: [OutboxEntry]) throws(OutboxError) -> OutboxState {
        if let state = try storedState() { return state.completed(by: entries, refused: refused) }
        // Whoever removed the file did not remove what was sent: its numbers are spent, and its Contract was given.
        let standing = entries + (try sentSubmissions()).map(\.entry)
        var state = OutboxState()
        state.chain = chainWithoutState(standing)
        return state.completed(by: standing, refused: refused)
    }

    /// `nil` if none was stored yet.
    private func storedState() throws(OutboxError) -> OutboxState? {
        guard let content = try files.content(of: stateFile) else { return nil }
        guard let state = JSON(reading: content).flatMap(OutboxState.init(json:)), state.nextSequence >= 1 else {
            throw OutboxError(
                .stateDamaged, "The outbox's file .state.json is damaged: restore it from a copy before sending.")
        }
        return state
    }

    /// Makes a state durable, if it is not already. Only while locked.
    func store(_ state: OutboxState) throws(OutboxError) {
        if try storedState() == state { return }
        try AtomicFile.write(state.json.data(), to: stateFile, files: files)
    }

    // MARK: - Locks

    /// Runs a short change alone among all processes.
    func locked<Result>(_ body: () throws(OutboxError) -> Result) throws(OutboxError) -> Result {
        let lock = try changingLock()
        defer { withExtendedLifetime(lock) {} }
        return try body()
    }

    /// The right to make a short change alone among all processes, waited for.
    func changingLock() throws(OutboxError) -> FileLock {
        try files.lock(folder.appendingPathComponent(".lock"), patience: Self.patience)
    }

    /// The right to learn of deliveries, held over network waits. Throws `outbox-busy` at once if another process is
    /// learning of them.
    func learningLock() throws(OutboxError) -> FileLock {
        try files.lock(folder.appendingPathComponent(".learning"), patience: 0)
    }

    /// The right to send, held over network waits; queueing goes on meanwhile. Throws `outbox-busy` at once if another
    /// process is sending.
    func sendingLock() throws(OutboxError) -> FileLock {
        try files.lock(folder.appendingPathComponent(".sending"), patience: 0)
    }

    private static func entries(in folder: URL, _ files: any DurableFiles) throws(OutboxError) -> [OutboxEntry] {
        try files.names(in: folder).compactMap(OutboxEntry.init(name:)).sorted()
    }
}

/// The envelope of an entry: its bytes, and what they show without a key.
struct QueuedEnvelope: Sendable {
    let bytes: Data
    let header: EnvelopeHeader
}
