import Foundation
import Storage
import StudyFiles
import StudyKeys
import Submissions
import Wire

/// A test that a copy of the study's keys opens newly sealed messages and those in the queue.
package struct StudyKeyDrill: Sendable, Hashable {
    /// A published key, and whether the copy opens messages that are sealed to it.
    package struct Key: Sendable, Hashable {
        package let keyID: String
        package let opens: Bool
    }

    /// The state of the root key in the copy.
    package enum Root: String, Sendable, Hashable {
        /// The key that signed the published set.
        case matches
        /// No root key: it may be stored elsewhere.
        case absent
        /// A root key that did not sign the published set, or is unreadable.
        case differs
    }

    package let keys: [Key]
    package let root: Root
    /// The number of submissions in the queue with sealed bodies.
    package let messages: Int
    /// The number of these that the copy opens.
    package let opened: Int

    package var isPassed: Bool { keys.allSatisfy(\.opens) && root != .differs && opened == messages }

    /// Number of bodies per query.
    private static let page = 16

    /// - Parameters:
    ///   - copy: the folder with the copy of the keys; nil for the study's own.
    ///   - backup: a backup whose queue is read instead of the study's.
    /// - Throws: ``ServerError`` `keys-missing` and `keys-unpublished`; errors of reading the keys or restoring the
    ///   backup.
    package static func run(
        _ stores: StudyStores, copy: String?, backup: String?, at date: Date
    ) async throws -> StudyKeyDrill {
        let study = stores.folder
        let configuration = try study.configuration()
        let folder = copy.map { study.keys(in: URL(fileURLWithPath: $0, isDirectory: true)) } ?? study.keys
        let privateKeys = try folder.privateKeys()
        guard !privateKeys.isEmpty else {
            throw ServerError(code: "keys-missing", message: "There is no private key in the folder.")
        }
        guard let set = study.publicKeySet(), let published = try? PublishedKeys(reading: set) else {
            throw ServerError(
                code: "keys-unpublished", message: "The study publishes no keys; see `tributary keys publish`.")
        }
        let opener = try OpenSSLKeyOpener(privateKeys)
        // 1. Newly sealed messages.
        let keys = try published.own.map { key in
            Key(keyID: key.keyID, opens: try opens(key, with: opener))
        }
        // 2. The signature of the next key set.
        let root = Self.root(in: folder, of: study, id: configuration.id, at: date)
        // 3. The queue.
        let (messages, opened) = try await withQueue(of: stores, backup: backup, at: date) { queue in
            try await count(in: queue, with: opener)
        }
        return StudyKeyDrill(keys: keys, root: root, messages: messages, opened: opened)
    }

    private static func opens(_ key: PublicKey, with opener: OpenSSLKeyOpener) throws -> Bool {
        let payload = Data(UUID().uuidString.utf8)
        let header = try SubmissionHeader(submissionID: UUID().uuidString, sequence: 1)
        let envelope = try SealedEnvelope.seal(payload, as: header, to: [key])
        return (try? OpenedEnvelope.open(envelope.bytes, with: opener))?.payload == payload
    }

    private static func root(in folder: KeyFolder, of study: StudyFolder, id: String, at date: Date) -> Root {
        do {
            guard let root = try folder.rootKey() else { return .absent }
            guard let set = FileManager.default.contents(atPath: study.keys.signedSetURL.path) else { return .matches }
            _ = try SignedKeySet(reading: set, root: root.publicKey.keyID, study: id, now: date)
            return .matches
        } catch let error as WireError where error.reason == .keySetExpired {
            return .matches
        } catch {
            return .differs
        }
    }

    private static func withQueue<T>(
        of stores: StudyStores, backup: String?, at date: Date, _ body: (SQLSubmissionQueue) async throws -> T
    ) async throws -> T {
        func read(_ stores: StudyStores) async throws -> T {
            try await stores.withQueue { try await body(SQLSubmissionQueue(database: $0)) }
        }
        guard let backup else { return try await read(stores) }
        let destination = FileManager.default.temporaryDirectory
            .appendingPathComponent("tributary-drill-\(UUID().uuidString)", isDirectory: true)
        try StudyBackupFiles.makeFolder(destination.path, permissions: 0o700)
        defer { try? FileManager.default.removeItem(at: destination) }
        _ = try await StudyBackup.restore(backup, into: destination.path, at: date)
        return try await read(StudyStores(StudyFolder(path: destination.path)))
    }

    private static func count(
        in queue: SQLSubmissionQueue, with opener: OpenSSLKeyOpener
    ) async throws -> (messages: Int, opened: Int) {
        var (messages, opened, number) = (0, 0, Int64(0))
        while true {
            let bodies = try await queue.sealedBodies(after: number, limit: page)
            guard let last = bodies.last else { return (messages, opened) }
            number = last.number
            messages += bodies.count
            opened += bodies.count { (try? OpenedEnvelope.open($0.body, with: opener)) != nil }
        }
    }
}
