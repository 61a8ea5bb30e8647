import CarePlans
import Core
import DeviceSystem
import Foundation

/// The copy of one patient's care plan on a device: durable, usable without a network, and synchronised with a server.
///
/// ```swift
/// let store = try await CarePlanStore(patient: account, folder: folder, server: server)
/// try await store.add([draft])
/// let report = try await store.sync()
/// ```
/// The copy is one append-only file. A change is durable when its call returns. A process that ends at any instant, also in
/// the middle of a sync, loses no change and no version.
///
/// Calls throw ``CareStoreError``, `CarePlanError`, ``CareServerError``, `DeviceStorageError` and `CancellationError`.
public actor CarePlanStore {
    /// The id of the patient's account.
    public nonisolated let patient: String
    let server: any CareServer
    let now: @Sendable () -> Date
    let makeUUID: @Sendable () -> UUID
    let timeZone: TimeZone

    var copy: CareCopy
    private var log: FramedLog
    private let lock: FileLock?

    /// The sync in progress.
    var running: Task<CareSyncReport, any Error>?
    /// The number of changes by the user, to know whether a sync in progress has them.
    private(set) var changeCount = 0
    private var observers: [Int: AsyncStream<CarePlanChange>.Continuation] = [:]
    private var lastObserver = 0

    /// The bytes of the records without versions, as far as this process has read or written them.
    private var stateBytes = 0

    private static let heading = "tributary-care01"
    /// Minimum bytes of records without versions for which a file is written again.
    private static let compactedBytes = 1 << 20

    /// Opens the copy of a plan in a folder, which is created with mode 0700 if it does not exist. It sends nothing.
    ///
    /// Other processes cannot open the copy while this value exists.
    ///
    /// - Parameters:
    ///   - patient: the id of the patient's account.
    ///   - folder: the folder of the copies. It may have copies of several patients.
    ///   - server: the server with the plan.
    ///   - files: the file system of lock and folder.
    ///   - patience: seconds to wait for another process that has opened the copy.
    ///   - timeZone: the time zone of new entities, unless they have one.
    ///   - now: returns the current time.
    ///   - makeUUID: returns a new random identity.
    /// - Throws: ``CareStoreError`` `care-store-damaged`, `care-store-foreign`; `DeviceStorageError` `file-busy`, storage
    ///   errors; `CancellationError`.
    public init(
        patient: String, folder: URL, server: any CareServer, files: any DurableFiles = PosixFiles(),
        patience: Double = 10, timeZone: TimeZone = .current, now: @escaping @Sendable () -> Date = { Date() },
        makeUUID: @escaping @Sendable () -> UUID = { UUID() }
    ) async throws {
        try files.makeFolder(folder)
        let lock = try await files.lock(Self.lockFile(of: patient, in: folder), awaiting: patience)
        let file = LogFile(Self.file(of: patient, in: folder))
        try self.init(
            patient: patient, file: file, server: server, lock: lock, timeZone: timeZone, now: now, makeUUID: makeUUID)
        try compact(file, files: files)
    }

    /// Writes the file again if it consists mainly of former states. The old or the new content is complete at any instant.
    private func compact(_ file: LogFile, files: any DurableFiles) throws {
        guard stateBytes > Self.compactedBytes, stateBytes > log.end / 2 else { return }
        let content = FramedLog.file(heading: Self.heading, copy.records.map(\.bytes))
        try AtomicFile.write(Data(content), to: file.url, files: files)
        log = try FramedLog(file, heading: Self.heading) { _ in true }
        stateBytes = 0
    }

    /// Opens a copy in any file, without a lock. Tests use files in memory that stop at any operation.
    ///
    /// - Throws: ``CareStoreError`` `care-store-damaged`, `care-store-foreign`; the errors of the file.
    package init(
        patient: String, file: any GrowingFile, server: any CareServer, lock: FileLock? = nil,
        timeZone: TimeZone = .current, now: @escaping @Sendable () -> Date = { Date() },
        makeUUID: @escaping @Sendable () -> UUID = { UUID() }
    ) throws {
        self.patient = patient
        self.server = server
        self.now = now
        self.makeUUID = makeUUID
        self.timeZone = timeZone
        self.lock = lock
        // 1. The state is the sum of the records.
        var state: CareCopy?
        var stateBytes = 0
        do {
            log = try FramedLog(file, heading: Self.heading) { content in
                guard let record = CareCopyRecord(content) else { return false }
                if state == nil {
                    guard let process = record.process else { return false }
                    state = CareCopy(process: process)
                }
                state?.apply(record)
                if record.versions.isEmpty { stateBytes += content.count }
                return true
            }
        } catch is FramedLog.Damage {
            throw CareStoreError(.storeDamaged)
        }
        if let state {
            guard state.patient == patient else { throw CareStoreError(.storeForeign) }
            copy = state
            self.stateBytes = stateBytes
            return
        }
        // 2. A new copy has a new process.
        var first = CareCopyRecord(patient: patient)
        let process = makeUUID()
        first.process = process
        try log.append([first.bytes])
        copy = CareCopy(process: process)
        copy.apply(first)
    }

    deinit { for observer in observers.values { observer.finish() } }

    // MARK: - Files

    private static func file(of patient: String, in folder: URL) -> URL {
        folder.appendingPathComponent(PercentEncoding.encode(patient) + ".care")
    }

    private static func lockFile(of patient: String, in folder: URL) -> URL {
        folder.appendingPathComponent(PercentEncoding.encode(patient) + ".lock")
    }

    /// Whether a folder has a copy of a patient's plan.
    public static func hasCopy(of patient: String, in folder: URL) -> Bool {
        FileManager.default.fileExists(atPath: file(of: patient, in: folder).path)
    }

    /// Removes the copy of a patient's plan from a folder: the patient has left, or the user signed out. An absent copy is
    /// no error.
    ///
    /// - Throws: `DeviceStorageError` `file-busy` while the copy is open; storage errors; `CancellationError`.
    public static func removeCopy(
        of patient: String, in folder: URL, files: any DurableFiles = PosixFiles(), patience: Double = 10
    ) async throws {
        guard FileManager.default.fileExists(atPath: folder.path) else { return }
        let lock = try await files.lock(lockFile(of: patient, in: folder), awaiting: patience)
        defer { withExtendedLifetime(lock) {} }
        try files.remove(file(of: patient, in: folder))
        try files.remove(lockFile(of: patient, in: folder))
        try files.syncFolder(folder)
    }

    // MARK: - Records

    /// Makes a record durable, then applies it. After an error the copy is as before.
    func record(_ record: CareCopyRecord) throws {
        try log.append([record.bytes])
        copy.apply(record)
        report(record)
    }

    /// Makes new versions of this copy durable, to be sent by the next sync. Their knowledge is that of the copy.
    func commit(_ versions: [CareEntity]) throws {
        guard !versions.isEmpty else { return }
        var change = CareCopyRecord(isOwn: true)
        change.versions = versions.map { CausalOrder.Stamped(entity: $0, knowledge: copy.knowledge) }
        try record(change)
        changeCount += 1
    }

    /// Adds versions that an app has made, unchanged, to be sent by the next sync. A version whose uuid is in the copy
    /// changes nothing. The rules of ``add(_:)`` and ``update(_:)`` are not applied.
    package func insert(_ versions: [CareEntity]) throws {
        try commit(versions.filter { copy.graph.versions[$0.uuid] == nil })
    }

    // MARK: - Observers

    /// The changes of the copy, by the user and by syncs, from now on.
    ///
    /// ```swift
    /// for await change in await store.changes() { reload(change.ids) }
    /// ```
    /// The sequence ends when its task is cancelled or the store ends. A slow reader may miss changes before the latest 64.
    public func changes() -> AsyncStream<CarePlanChange> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: CarePlanChange.self, bufferingPolicy: .bufferingNewest(64))
        lastObserver += 1
        let observer = lastObserver
        observers[observer] = continuation
        continuation.onTermination = { [weak self] _ in Task { await self?.removeObserver(observer) } }
        return stream
    }

    private func removeObserver(_ observer: Int) { observers[observer] = nil }

    private func report(_ record: CareCopyRecord) {
        guard !record.versions.isEmpty || !record.quarantined.isEmpty || !record.discarded.isEmpty else { return }
        let change = CarePlanChange(
            versions: record.versions.map(\.entity.uuid), isRemote: !record.isOwn,
            hasQuarantine: !record.quarantined.isEmpty)
        for observer in observers.values { observer.yield(change) }
    }
}

/// A change of a copy of a care plan.
public struct CarePlanChange: Sendable, Hashable {
    /// The new versions.
    public let versions: [UUID]
    /// Whether a sync brought the change. False for a change by the user.
    public let isRemote: Bool
    /// Whether the server refused versions, which are in the quarantine now.
    public let hasQuarantine: Bool
}
