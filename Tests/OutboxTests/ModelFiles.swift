import DeviceSystem
import Foundation
import TestSupport

@testable import Outbox

/// A file system in memory that can lose power before any operation.
///
/// State that is not durable can be lost: of the name changes since the last sync a random prefix survives (as a
/// journal keeps their order), of unsynced content a random part.
final class ModelFiles: DurableFiles, @unchecked Sendable {
    /// The error that every operation throws after the loss of power.
    static let powerLost = DeviceStorageError(.storageFailed, "The power went.")

    private enum Change {
        case link(String, Int)
        case unlink(String)
    }

    private let guardian = NSLock()
    private var generator: Seeded
    private var contents: [Int: Data] = [:]
    private var synced: [Int: Bool] = [:]
    private var durableNames: [String: Int] = [:]
    private var journal: [[Change]] = []
    private var lastFile = 0
    private var operations = 0
    private var stopBefore: Int?
    private var isDown = false
    private var capacity: Int?

    init(seed: UInt64) { generator = Seeded(seed) }

    /// Loses power before the nth operation from now, counted from 1.
    func losePower(before number: Int) { guardian.withLock { (operations, stopBefore) = (0, number) } }

    /// Whether the power was lost.
    var wentDown: Bool { guardian.withLock { isDown } }

    /// Sets the number of bytes that fit; `nil` for no limit.
    func setCapacity(_ bytes: Int?) { guardian.withLock { capacity = bytes } }

    /// Restarts with the surviving state.
    func restart() {
        guardian.withLock {
            if isDown {
                let surviving = Int.random(in: 0...journal.count, using: &generator)
                for changes in journal.prefix(surviving) { apply(changes, to: &durableNames) }
                journal = []
                for (file, content) in contents where synced[file] != true {
                    contents[file] = content.prefix(Int.random(in: 0...content.count, using: &generator))
                }
            }
            (isDown, stopBefore) = (false, nil)
        }
    }

    /// The paths of all files in the volatile state.
    var paths: [String] { guardian.withLock { volatileNames.keys.sorted() } }

    private var volatileNames: [String: Int] {
        journal.reduce(into: durableNames) { apply($1, to: &$0) }
    }

    private func apply(_ changes: [Change], to names: inout [String: Int]) {
        for change in changes {
            switch change {
            case .link(let path, let file): names[path] = file
            case .unlink(let path): names[path] = nil
            }
        }
    }

    private func operation<Result>(_ body: () throws(DeviceStorageError) -> Result) throws(DeviceStorageError) -> Result
    {
        guardian.lock()
        defer { guardian.unlock() }
        operations += 1
        if operations == stopBefore { isDown = true }
        if isDown { throw Self.powerLost }
        return try body()
    }

    private func file(_ url: URL) throws(DeviceStorageError) -> Int {
        guard let file = volatileNames[url.path] else { throw DeviceStorageError(.fileMissing, "missing") }
        return file
    }

    func names(in folder: URL) throws(DeviceStorageError) -> [String] {
        try operation { () throws(DeviceStorageError) in
            let prefix = folder.path + "/"
            return volatileNames.keys.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
                .filter { !$0.contains("/") }
        }
    }

    func read(_ file: URL) throws(DeviceStorageError) -> Data {
        try operation { () throws(DeviceStorageError) in contents[try self.file(file)] ?? Data() }
    }

    func size(of file: URL) throws(DeviceStorageError) -> Int64 {
        try operation { () throws(DeviceStorageError) in
            Int64(volatileNames[file.path].flatMap { contents[$0]?.count } ?? 0)
        }
    }

    func create(_ file: URL, holding content: Data) throws(DeviceStorageError) {
        try operation { () throws(DeviceStorageError) in
            lastFile += 1
            journal.append([.link(file.path, lastFile)])
            let used = volatileNames.values.reduce(0) { $0 + (contents[$1]?.count ?? 0) }
            let free = max(0, (capacity ?? Int.max) - used)
            contents[lastFile] = content.prefix(free)
            if content.count > free { throw DeviceStorageError(.storageFull, "full") }
        }
    }

    func sync(_ file: URL) throws(DeviceStorageError) {
        try operation { () throws(DeviceStorageError) in synced[try self.file(file)] = true }
    }

    func move(_ file: URL, to target: URL) throws(DeviceStorageError) {
        try operation { () throws(DeviceStorageError) in
            journal.append([.unlink(file.path), .link(target.path, try self.file(file))])
        }
    }

    func remove(_ file: URL) throws(DeviceStorageError) {
        try operation { () throws(DeviceStorageError) in journal.append([.unlink(file.path)]) }
    }

    func syncFolder(_ folder: URL) throws(DeviceStorageError) {
        try operation { () throws(DeviceStorageError) in
            for changes in journal { apply(changes, to: &durableNames) }
            journal = []
        }
    }

    func makeFolder(_ folder: URL) throws(DeviceStorageError) { try operation {} }

    func lock(_ file: URL, patience: Double) throws(DeviceStorageError) -> FileLock {
        try operation { () throws(DeviceStorageError) in FileLock {} }
    }

    /// Damages a file.
    func overwrite(_ path: String, with content: Data) {
        guardian.withLock { if let file = volatileNames[path] { contents[file] = content } }
    }
}
