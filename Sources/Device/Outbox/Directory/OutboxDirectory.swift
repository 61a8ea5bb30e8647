import Core
import DeviceSystem
import Foundation
import Wire

/// A queue of sealed submissions in a folder: first in, first out, one file each, safe against a stop at any instant
/// and against other processes.
///
/// - A file appears under its name only when it is complete and durable, and leaves the queue only when the study has
///   acknowledged or refused it.
/// - Acknowledged submissions are kept until the study reports `stored`, and for some time after that: the study may
///   have to be restored from an older backup.
/// - Numbers only increase, even while the queue is empty. A stop may leave a gap, never a number that is used twice.
/// - Nothing is queued before the first Contract, and nothing is sent after a refused one until there is another.
/// - Files with other names are left alone.
public struct OutboxDirectory: Sendable {
    /// The queue's folder.
    public let folder: URL
    /// The folder of refused submissions, each with a `<name>.reason.json`.
    public let refusedFolder: URL
    /// The folder of accepted submissions that the device still keeps.
    public let sentFolder: URL
    let files: OutboxFiles

    /// Seconds that a short change waits for another process.
    private static let patience = 10.0

    /// Opens the folders, creates them if they do not exist, and removes incomplete files of a stopped process.
    /// - Parameter sentFolder: `nil` for the folder `sent` in the parent of the queue's folder.
    public static func open(
        folder: URL, refusedFolder: URL, sentFolder: URL? = nil, files: any DurableFiles = PosixFiles()
    ) throws(OutboxError) -> OutboxDirectory {
        let sentFolder = sentFolder ?? folder.deletingLastPathComponent().appendingPathComponent("sent")
        let files = OutboxFiles(files)
        let outbox = OutboxDirectory(
            folder: folder, refusedFolder: refusedFolder, sentFolder: sentFolder, files: files)
        for folder in [folder, refusedFolder, sentFolder] {
            try files.makeFolder(folder)
            try files.syncFolder(folder.deletingLastPathComponent())
        }
        try outbox.locked { () throws(OutboxError) in
            try files.removeLeftovers(in: folder)
            try files.removeLeftovers(in: refusedFolder)
        }
        return outbox
    }

    /// Returns the queued submissions in order.
    public func entries() throws(OutboxError) -> [OutboxEntry] { try Self.entries(in: folder, files) }

    /// Returns the refused submissions in order.
    public func refusedEntries() throws(OutboxError) -> [OutboxEntry] { try Self.entries(in: refusedFolder, files) }

    /// Returns the state of the device's consent.
    public func consent() throws(OutboxError) -> OutboxConsentState {
        try locked { () throws(OutboxError) in try state().consent }
    }

    /// Returns the queued submissions and the consent at one instant.
    func snapshot() throws(OutboxError) -> (entries: [OutboxEntry], consent: OutboxConsentState) {
        try locked { () throws(OutboxError) in
            let entries = try entries()
            return (entries, try state(of: entries, refused: []).consent)
        }
    }

    /// Returns the sealed bytes of an entry. Throws `file-missing` if there is no file, `entry-unreadable` if the file
    /// cannot be read, is no envelope, or contains another number or id than its name.
    public func read(_ entry: OutboxEntry) throws(OutboxError) -> Data { try readEnvelope(entry).bytes }

    /// Returns the envelope of an entry, with the data that sending needs from it. Throws as ``read(_:)``.
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

    /// Returns the header of an envelope; nil if it does not match the name of its entry. C3-PRO's header has neither
    /// number nor id.
    static func header(of content: Data, if entry: OutboxEntry) -> EnvelopeHeader? {
        guard let header = try? EnvelopeHeader.read(from: content) else { return nil }
        let isMatching =
            header.format == .c3pro || (header.sequence == entry.sequence && header.submissionID == entry.submissionID)
        return isMatching ? header : nil
    }

    // MARK: - State

    private var stateFile: URL { folder.appendingPathComponent(".state.json") }

    /// Returns the state that results from the state file and the other files. Call it only while locked.
    func state() throws(OutboxError) -> OutboxState { try state(of: entries(), refused: refusedEntries()) }

    private func state(of entries: [OutboxEntry], refused: [OutboxEntry]) throws(OutboxError) -> OutboxState {
        if let state = try storedState() { return state.completed(by: entries, refused: refused) }
        // The state file was removed, but the sent submissions remain: their numbers are used, and their Contract was
        // given.
        let known = entries + (try sentSubmissions()).map(\.entry)
        var state = OutboxState()
        state.chain = chainWithoutState(known)
        return state.completed(by: known, refused: refused)
    }

    /// Returns the stored state; `nil` if there is none.
    private func storedState() throws(OutboxError) -> OutboxState? {
        guard let content = try files.content(of: stateFile) else { return nil }
        guard let state = JSON(reading: content).flatMap(OutboxState.init(json:)), state.nextSequence >= 1 else {
            throw OutboxError(
                .stateDamaged, "The outbox's file .state.json is damaged: restore it from a copy before sending.")
        }
        return state
    }

    /// Makes a state durable, unless it is already. Call it only while locked.
    func store(_ state: OutboxState) throws(OutboxError) {
        if try storedState() == state { return }
        try files.replace(stateFile, with: state.json.data())
    }

    // MARK: - Locks

    /// Runs a short change while no other process runs one.
    func locked<Result>(_ body: () throws(OutboxError) -> Result) throws(OutboxError) -> Result {
        let lock = try changingLock()
        defer { withExtendedLifetime(lock) {} }
        return try body()
    }

    /// Returns the lock for a short change, and waits for other processes.
    func changingLock() throws(OutboxError) -> FileLock {
        try files.lock(folder.appendingPathComponent(".lock"), patience: Self.patience)
    }

    /// Returns the lock for reading deliveries, held during network waits. Throws `outbox-busy` at once if another
    /// process holds it.
    func deliveriesLock() throws(OutboxError) -> FileLock {
        try files.lock(folder.appendingPathComponent(".learning"), patience: 0)
    }

    /// Returns the lock for sending, held during network waits; queueing is possible meanwhile. Throws `outbox-busy` at
    /// once if another process is sending.
    func sendingLock() throws(OutboxError) -> FileLock {
        try files.lock(folder.appendingPathComponent(".sending"), patience: 0)
    }

    private static func entries(in folder: URL, _ files: OutboxFiles) throws(OutboxError) -> [OutboxEntry] {
        try files.names(in: folder).compactMap(OutboxEntry.init(name:)).sorted()
    }
}

/// The envelope of an entry: its bytes and its unencrypted header.
struct QueuedEnvelope: Sendable {
    let bytes: Data
    let header: EnvelopeHeader
}
