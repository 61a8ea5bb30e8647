import Core
import Crypto
import DeviceSystem
import Foundation
import HealthSync

/// The progress of a synchronization in a folder of the device. Each stream has a folder with its state and its index.
///
/// ```
/// sync/outbox/HKQuantityTypeIdentifierHeartRate/state.json
///                                              /index
/// ```
/// A state is replaced as a whole; an index grows at its end. A writer must hold ``lock(patience:)``, so that two
/// processes do not change the same progress.
public actor HealthSyncFolder: HealthSyncStorage {
    private let folder: URL
    private let files = PosixFiles()
    /// The open indexes of streams.
    private var indexes: [HealthStream: IndexFile] = [:]
    /// The streams that have a saved state.
    private var saved: Set<HealthStream> = []

    /// Creates a progress in a folder. The folder is created by the first write.
    public init(_ folder: URL) { self.folder = folder }

    /// Locks the progress for writing, against other processes and other holders in this process. The lock ends with
    /// the value. Incomplete files of a terminated process are removed.
    ///
    /// - Parameter patience: seconds to wait for another holder.
    /// - Throws: `DeviceStorageError` `file-busy`, storage errors; `CancellationError`.
    public nonisolated func lock(patience: Double = 10) async throws -> FileLock {
        try make(folder)
        let lock = try await files.lock(folder.appendingPathComponent(".lock"), awaiting: patience)
        for store in try subfolders(of: folder) {
            for type in try subfolders(of: store) { try AtomicFile.removeLeftovers(in: type, files: files) }
        }
        return lock
    }

    /// Returns the streams that have a saved state, in order.
    ///
    /// - Throws: storage errors.
    public func streams() throws -> [HealthStream] {
        var streams: [HealthStream] = []
        for store in try subfolders(of: folder) {
            for type in try subfolders(of: store) {
                let state = try files.content(of: type.appendingPathComponent(Self.stateName))
                let named = state.flatMap { JSON(reading: $0) }
                // A damaged state has no names; the names of its folders are used.
                guard state != nil,
                    let typeName = named?["type"]?.string ?? PercentEncoding.decode(type.lastPathComponent),
                    let storeName = named?["store"]?.string ?? PercentEncoding.decode(store.lastPathComponent)
                else { continue }
                streams.append(HealthStream(type: typeName, store: storeName))
            }
        }
        return streams.sorted()
    }

    private nonisolated func subfolders(of folder: URL) throws(DeviceStorageError) -> [URL] {
        guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
        return try files.names(in: folder).filter { !$0.hasPrefix(".") }
            .map { folder.appendingPathComponent($0, isDirectory: true) }
    }

    // MARK: - HealthSyncStorage

    public func state(of stream: HealthStream) throws -> [UInt8]? {
        try files.content(of: location(of: stream).appendingPathComponent(Self.stateName)).map { Array($0) }
    }

    public func save(_ state: [UInt8], of stream: HealthStream) throws {
        let location = location(of: stream)
        let file = location.appendingPathComponent(Self.stateName)
        if !saved.contains(stream), try files.content(of: file) == nil {
            // An index without a state is left by an incomplete erase of a stream.
            try removeIndex(of: stream)
            try make(location)
        }
        try AtomicFile.write(Data(state), to: file, files: files)
        saved.insert(stream)
    }

    public func known(_ uuids: [UUID], of stream: HealthStream) throws -> [UUID: IndexedSample] {
        try index(of: stream).known(uuids)
    }

    public func record(_ entries: [IndexEntry], of stream: HealthStream) throws {
        guard !entries.isEmpty else { return }
        try make(location(of: stream))
        try change(stream) { try $0.record(entries) }
    }

    public func forget(_ uuids: [UUID], of stream: HealthStream) throws {
        guard !uuids.isEmpty, try files.size(of: indexFile(of: stream)) > 0 else { return }
        try change(stream) { try $0.forget(uuids) }
    }

    public func erase(_ stream: HealthStream) throws {
        let location = location(of: stream)
        guard FileManager.default.fileExists(atPath: location.path) else { return }
        saved.remove(stream)
        try files.remove(location.appendingPathComponent(Self.stateName))
        try files.syncFolder(location)
        try removeIndex(of: stream)
        try files.syncFolder(location)
    }

    // MARK: - Files

    private static let stateName = "state.json"

    private func index(of stream: HealthStream) throws -> IndexFile {
        if let index = indexes[stream] { return index }
        let index = try IndexFile(indexFile(of: stream))
        indexes[stream] = index
        return index
    }

    private func change(_ stream: HealthStream, _ body: (inout IndexFile) throws -> Void) throws {
        var index = try index(of: stream)
        // After a failed write, the file is opened again to find its valid end.
        indexes[stream] = nil
        try body(&index)
        indexes[stream] = index
    }

    private func removeIndex(of stream: HealthStream) throws(DeviceStorageError) {
        indexes[stream] = nil
        try files.remove(indexFile(of: stream))
    }

    private func indexFile(of stream: HealthStream) -> URL { location(of: stream).appendingPathComponent("index") }

    private func location(of stream: HealthStream) -> URL {
        folder.appendingPathComponent(Self.name(stream.store), isDirectory: true)
            .appendingPathComponent(Self.name(stream.type), isDirectory: true)
    }

    /// Returns a file name for a text that is valid on every file system and always the same. A long name ends with a
    /// digest.
    static func name(_ text: String) -> String {
        var name = PercentEncoding.encode(text)
        if name.isEmpty { name = "%" }
        if name.hasPrefix(".") { name = "%2E" + name.dropFirst() }
        guard name.utf8.count > 160 else { return name }
        return name.prefix(120) + "~" + Hexadecimal.text(SHA256.hash(data: Data(text.utf8)).prefix(16))
    }

    /// Creates a folder and makes its name durable.
    private nonisolated func make(_ location: URL) throws(DeviceStorageError) {
        guard !FileManager.default.fileExists(atPath: location.path) else { return }
        try files.makeFolder(location)
        var parent = location
        for _ in 0..<3 {
            parent = parent.deletingLastPathComponent()
            try files.syncFolder(parent)
            if parent == folder.deletingLastPathComponent() { break }
        }
    }
}
