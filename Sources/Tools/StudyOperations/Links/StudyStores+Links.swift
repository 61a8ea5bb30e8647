import Consumer
import Foundation
import Storage
import StudyFiles
import StudyKeys
import Wire

// The third store, `links/links.sqlite`. It is created with the first link; a study without links has none.
extension StudyStores {
    /// The store of links.
    var links: Store {
        Store(
            at: .file(linksPath), migrations: LinkSchema.migrations, schema: .links, permissions: (0o600, 0o700))
    }

    /// The file of the store of links.
    package var linksPath: String { folder.linkStoreURL.path }

    /// Opens the store of links; nil if the study has none.
    ///
    /// - Throws: ``ServerError`` `links-unreadable` if the folder belongs to another account; ``Storage/StorageError``
    ///   for a store that is not of this version.
    package func openLinks() async throws -> LinkStore? {
        guard FileManager.default.fileExists(atPath: linksPath) else {
            let path = folder.linksURL.path
            guard !FileManager.default.fileExists(atPath: path) || FileManager.default.isReadableFile(atPath: path)
            else {
                throw ServerError(
                    code: "links-unreadable",
                    message: "The folder links/ cannot be read by this account; it belongs to the consumer's.")
            }
            return nil
        }
        return LinkStore(try await links.open())
    }

    /// Runs a closure with the store of links, if there is one, and closes it.
    package func withLinks<T: Sendable>(_ body: (LinkStore?) async throws -> T) async throws -> T {
        guard let links = try await openLinks() else { return try await body(nil) }
        return try await links.closing { try await body($0) }
    }

    /// Migrates the store of links.
    ///
    /// - Parameter makes: whether a store is created if there is none.
    /// - Returns: nil if there is none.
    @discardableResult
    package func migrateLinks(makes: Bool = false) async throws -> StoreMigration.Report? {
        guard makes || FileManager.default.fileExists(atPath: linksPath) else { return nil }
        try Store.makeFolder(folder.linksURL, permissions: 0o700)
        // The git repository of a study may be older than links.
        let ignored = folder.linksURL.appendingPathComponent(".gitignore", isDirectory: false)
        if !FileManager.default.fileExists(atPath: ignored.path) {
            try PrivateFile.write(Data("*\n".utf8), to: ignored, permissions: 0o600)
        }
        return try await links.migrate()
    }

    /// Returns the intake with which the consumer looks up links.
    static func linkIntake(of folder: StudyFolder) -> LinkIntake {
        LinkIntake(
            store: { try await StudyStores(folder).openLinks() }, key: { try folder.keys.linkKey()?.publicKey })
    }
}
