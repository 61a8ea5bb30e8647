import Consumer
import Foundation
import Storage
import Wire

// The third store, `links/links.sqlite`: it is made with the first link, and a study that makes none has none.
extension StudyStores {
    /// The store of links.
    var links: Store {
        Store(
            at: .file(linksPath), migrations: LinkSchema.migrations, schema: .links, permissions: (0o600, 0o700))
    }

    /// The file of the store of links.
    public var linksPath: String { folder.linkStoreURL.path }

    /// Opens the store of links; nil where the study has made none.
    ///
    /// - Throws: ``ServerError`` `links-unreadable` where the folder is another account's; ``Storage/StorageError`` for a
    ///   store that is not of this version.
    public func openLinks() async throws -> LinkStore? {
        guard FileManager.default.fileExists(atPath: linksPath) else {
            let place = folder.linksURL.path
            guard !FileManager.default.fileExists(atPath: place) || FileManager.default.isReadableFile(atPath: place)
            else {
                throw ServerError(
                    code: "links-unreadable",
                    message: "The folder links/ cannot be read by this account; it belongs to the consumer's.")
            }
            return nil
        }
        return LinkStore(try await links.open())
    }

    /// Opens the store of links, if there is one, for a use, and closes it.
    func withLinks<T: Sendable>(_ body: (LinkStore?) async throws -> T) async throws -> T {
        guard let links = try await openLinks() else { return try await body(nil) }
        return try await links.closing { try await body($0) }
    }

    /// Brings the store of links up to date.
    ///
    /// - Parameter makes: whether one is made where there is none.
    /// - Returns: nil where there is none.
    @discardableResult
    public func migrateLinks(makes: Bool = false) async throws -> StoreMigration.Report? {
        guard makes || FileManager.default.fileExists(atPath: linksPath) else { return nil }
        try Store.makeFolder(folder.linksURL, permissions: 0o700)
        // A study that is kept in git may be older than the links.
        let ignored = folder.linksURL.appendingPathComponent(".gitignore", isDirectory: false)
        if !FileManager.default.fileExists(atPath: ignored.path) {
            try PrivateFile.write(Data("*\n".utf8), to: ignored, permissions: 0o600)
        }
        return try await links.migrate()
    }

    /// Where the consumer looks links up.
    static func linkIntake(of folder: StudyFolder) -> LinkIntake {
        LinkIntake(
            store: { try await StudyStores(folder).openLinks() }, key: { try folder.keys.linkKey()?.publicKey })
    }
}
