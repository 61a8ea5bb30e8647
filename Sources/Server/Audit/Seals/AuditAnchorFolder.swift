import AccessPolicy
import Core
import Foundation
import Storage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The folder with the heads of the audit, one file for each. It reveals that the end of the audit was removed.
///
/// It is outside of the store and of backups. Heads that the store contains are covered by newer ones, so only the
/// newest of them are kept. Heads that the store does not contain are kept.
package struct AuditAnchorFolder: Sendable {
    /// Number of heads of the store that are kept.
    static let keptHeads = 256
    /// Number of files after which superfluous ones are removed.
    static let maximumHeads = 2 * keptHeads
    /// Maximum number of files. Beyond it, heads that the store does not contain are removed too, the newest first.
    static let maximumFiles = 4_096

    package let url: URL

    package init(_ url: URL) { self.url = url }

    /// Returns all heads; empty if there is no folder.
    ///
    /// - Throws: ``AccessPolicy/AccessError`` `audit-anchor-invalid` for a damaged file; ``Storage/FileAccessError``.
    package func anchors() throws -> [AuditAnchor] {
        try names().map { name in
            guard let data = try FileAccess.contents(of: url.appendingPathComponent(name)),
                let anchor = Self.anchor(in: data), Self.name(of: anchor) == name
            else {
                throw AccessError(
                    code: "audit-anchor-invalid", message: "The file audit-anchors/\(name) is not a head of the audit.")
            }
            return anchor
        }
    }

    /// Reads a head; nil for other bytes.
    package static func anchor(in data: Data) -> AuditAnchor? {
        guard data.count <= 4_096, let json = try? JSON(data) else { return nil }
        return AuditAnchor(json)
    }

    /// Writes the newest head of a store if it is not written yet. When this returns, the file is durable.
    ///
    /// - Throws: ``Storage/FileAccessError``; ``Storage/StorageError`` of the store, or `storage-full`.
    package func write(headOf database: any SQLDatabase) async throws {
        let seal = try await database.lookUp { try AuditSeal.last(in: $0) }
        guard let seal else { return }
        let anchor = AuditAnchor(seal)
        let names = try names()
        let name = Self.name(of: anchor)
        guard !names.contains(name) else { return }
        try makeFolder()
        try create(name, Data((anchor.json.text() + "\n").utf8))
        if names.count >= Self.maximumHeads { try await removeSuperfluous(in: database) }
    }

    // MARK: - Files

    private func names() throws -> [String] {
        (try FileAccess.names(in: url) ?? []).filter { $0.hasSuffix(".json") && !$0.hasPrefix(".") }
    }

    /// The name of a head's file: its order is that of the seals.
    private static func name(of anchor: AuditAnchor) -> String {
        let number = String(anchor.seal)
        return String(repeating: "0", count: max(0, 12 - number.count)) + number + "-" + anchor.head.prefix(16)
            + ".json"
    }

    private func makeFolder() throws {
        guard mkdir(url.path, 0o700) == 0 else {
            guard errno == EEXIST else { throw failure(url.path, errno) }
            return
        }
        try durably { () throws(DurableFile.Failure) in try DurableFile.synchronize(url.deletingLastPathComponent()) }
    }

    private func create(_ name: String, _ data: Data) throws {
        try durably { () throws(DurableFile.Failure) in
            try DurableFile.write(data, to: url.appendingPathComponent(name), permissions: 0o600)
            try DurableFile.synchronize(url)
        }
    }

    private func durably(_ body: () throws(DurableFile.Failure) -> Void) throws {
        do {
            try body()
        } catch {
            throw failure(error.path, error.number)
        }
    }

    private func failure(_ path: String, _ number: Int32) -> any Error {
        if number == ENOSPC || number == EDQUOT {
            return StorageError(code: "storage-full", message: "The disk is full; free some space.")
        }
        return FileAccessError(path: path, cause: .failed(String(cString: strerror(number))), isWrite: true)
    }

    // MARK: - Bounds

    /// Removes the files of heads that newer heads of the store cover.
    private func removeSuperfluous(in database: any SQLDatabase) async throws {
        let anchors = try anchors().sorted { ($0.seal, $0.at) < ($1.seal, $1.at) }
        let isKnown = try await database.read { transaction in
            try anchors.map { anchor in
                try transaction.first(Self.headSQL, [SQLValue(anchor.seal), SQLValue(anchor.head)]) != nil
            }
        }
        let pairs = zip(anchors, isKnown)
        var superfluous = pairs.filter(\.1).map(\.0).dropLast(Self.keptHeads).map { $0 }
        let unknown = pairs.filter { !$0.1 }.map(\.0)
        superfluous += unknown.dropFirst(Self.maximumFiles - Self.maximumHeads)
        for anchor in superfluous {
            let path = url.appendingPathComponent(Self.name(of: anchor)).path
            // Another process may have removed it.
            guard unlink(path) == 0 || errno == ENOENT else { throw failure(path, errno) }
        }
    }

    /// Parameters: number and head of a seal.
    static let headSQL = "SELECT 1 AS one FROM audit_seal WHERE number = ? AND head = ?"
}
