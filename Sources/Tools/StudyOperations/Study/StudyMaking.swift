import Foundation
import Storage
import StudyFiles

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Creates a study: its folder with keys, its stores, and the group and modes with which two accounts share it. After
/// a failure, nothing of it is left.
package struct StudyMaking: Sendable {
    private let folder: StudyFolder
    private let configuration: StudyConfiguration
    private let group: gid_t?
    private let groupName: String?
    private let contents: StudyContents

    /// - Parameters:
    ///   - group: the group of the accounts that share the study's folder: the receiver's and the consumer's. The
    ///     default is the group of an existing folder, or the account's own.
    ///   - contents: the consent, the forms and the settings with which the study begins.
    /// - Throws: ``ServerError`` `group-unknown`.
    package init(
        _ folder: StudyFolder, _ configuration: StudyConfiguration, group: String? = nil,
        contents: StudyContents = .starting
    ) throws {
        self.contents = contents
        self.folder = folder
        self.configuration = configuration
        groupName = group
        self.group = try group.map { name in
            if let entry = getgrnam(name) { return entry.pointee.gr_gid }
            guard let number = gid_t(name) else {
                throw ServerError(
                    code: "group-unknown",
                    message: "There is no group \(name); make it with `groupadd --system \(name)`.")
            }
            return number
        }
    }

    /// Creates the study.
    ///
    /// - Parameters:
    ///   - antispam: the token that apps send; only its hash is stored.
    ///   - now: the present time.
    /// - Throws: ``ServerError`` `study-exists`, `study-file-exists`, `study-check-failed`, `group-forbidden`;
    ///   ``Storage/StorageError``, ``Storage/FileAccessError``. After an error, the folder and any created database are
    ///   as they were.
    package func run(antispam: String, now: Date) async throws {
        let before = Present(folder)
        // An existing study is never changed.
        guard !before.isStudy else {
            throw ServerError(
                code: "study-exists", message: "There is a study in this folder already; nothing was changed.")
        }
        var made: [Store] = []
        var written: [URL] = []
        do {
            try folder.make(configuration, antispam: antispam, now: now)
            written = try contents.write(into: folder)
            let stores = try StudyStores(folder)
            // Check that both can be reached before either is created.
            let all = [stores.records, stores.queue] + [stores.people].compactMap { $0 }
            var missing: [Store] = []
            for store in all where try await !store.isThere() { missing.append(store) }
            made = missing
            _ = try await stores.migrate()
            try share(before)
        } catch {
            for store in made { try? await store.remove() }
            // In folders that were there before.
            for url in written.reversed() { try? FileManager.default.removeItem(at: url) }
            before.restore()
            throw error
        }
    }

    /// Gives the created files to the group. If root created them in a folder of another account, gives them to that
    /// account too.
    private func share(_ before: Present) throws {
        let group = group ?? before.group
        let owner = geteuid() == 0 ? before.owner : nil
        let names = try FileAccess.names(in: folder.url) ?? []
        let made = names.filter { !before.names.contains($0) }.map(folder.url.appendingPathComponent)
        for item in made + (before.isThere ? [] : [folder.url]) {
            let inside = FileManager.default.enumerator(atPath: item.path)?.compactMap { $0 as? String } ?? []
            let all = item == folder.url ? [] : inside.map { item.appendingPathComponent($0).path }
            for path in [item.path] + all {
                guard lchown(path, owner ?? uid_t.max, group ?? gid_t.max) == 0 else {
                    throw ServerError(
                        code: "group-forbidden",
                        message: "The account \(FileAccess.account) cannot give \(path) to the group "
                            + "\(groupName ?? "of the folder"): add the account to the group, or run the command as root."
                    )
                }
            }
        }
        // Changing the group clears the bit with which new files inherit it.
        let queue = folder.defaultQueueURL.deletingLastPathComponent()
        if made.contains(where: { $0.lastPathComponent == queue.lastPathComponent }) {
            try StudyBackupFiles.restrict(queue.path, to: 0o2770)
            for name in try FileAccess.names(in: queue) ?? [] {
                try StudyBackupFiles.restrict(queue.appendingPathComponent(name).path, to: 0o660)
            }
        }
        // Files that are published later get the group too.
        if group != nil {
            for published in [folder.consentURL, folder.questionnairesURL, folder.receiptRootsURL] {
                try StudyBackupFiles.restrict(published.path, to: 0o2755)
            }
        }
    }

    /// The state of the folder before the study is created.
    private struct Present {
        let url: URL
        let isThere: Bool
        let isStudy: Bool
        let names: Set<String>
        let owner: uid_t?
        let group: gid_t?
        /// The outermost folder that had to be created; nil if the study's folder existed.
        let firstMissing: URL?

        init(_ folder: StudyFolder) {
            url = folder.url
            var status = stat()
            isThere = stat(url.path, &status) == 0
            isStudy =
                StudyBackupFiles.exists(folder.configurationURL.path) || StudyBackupFiles.exists(folder.keys.url.path)
            names = Set((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? [])
            owner = isThere && status.st_uid != geteuid() ? status.st_uid : nil
            group = isThere && status.st_gid != getegid() ? status.st_gid : nil
            var missing: URL?
            var ancestor = url.standardizedFileURL
            while ancestor.path != "/", !StudyBackupFiles.exists(ancestor.path) {
                missing = ancestor
                ancestor.deleteLastPathComponent()
            }
            firstMissing = missing
        }

        /// Removes everything that did not exist.
        func restore() {
            let files = FileManager.default
            if let firstMissing {
                try? files.removeItem(at: firstMissing)
                return
            }
            for name in (try? files.contentsOfDirectory(atPath: url.path)) ?? [] where !names.contains(name) {
                try? files.removeItem(at: url.appendingPathComponent(name))
            }
        }
    }
}
