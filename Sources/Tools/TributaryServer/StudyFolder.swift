import Consumer
import Crypto
import FHIR
import Foundation
import Receiver
import Storage
import Wire

/// A study as a folder: what it asks, whom it trusts, where its keys and data are.
///
/// ```
/// study.json         what the study is
/// consent/           the versions of the study's consent (Contract), and the full texts that their sections name
/// questionnaires/    the published forms (Questionnaire) and the value sets that they name (ValueSet)
/// health-types.json  the study's own types of health data, and changes to the table's
/// health-sync.json   which health data phones follow, how far back, and what is expected of them
/// profiles/          StructureDefinitions that resources may name
/// keys/              private keys, 0700; a receiver in a DMZ has none
/// jwks.json          the public halves, for the receiver
/// jwks.jws           the same, signed by the study's root key (keys/root.pem)
/// receipt-roots/     certificates that app receipts must chain to (PEM)
/// antispam.sha256    the hash of the antispam token, 0640: the receiver's account reads it by the group that shares queue/
/// queue/             the queue's database, shared with the receiver's account by its group
/// data/              the records' database, 0700
/// signing-keys/      the keys of the authorization server's id tokens, 0700; no backup holds them
/// links/             which participant is which person of the site's records, 0700; no backup holds it
/// exports/           the files of exports that clients asked for, until they expire, 0700; no backup holds it
/// deletions/         who was deleted, by digests, and the reports of it, 0700; no backup holds it
/// ```
public struct StudyFolder: Sendable {
    public let url: URL

    public init(path: String) { url = URL(fileURLWithPath: path, isDirectory: true) }

    public var configurationURL: URL { url.appendingPathComponent("study.json") }
    public var consentURL: URL { url.appendingPathComponent("consent", isDirectory: true) }
    public var questionnairesURL: URL { url.appendingPathComponent("questionnaires", isDirectory: true) }
    public var profilesURL: URL { url.appendingPathComponent("profiles", isDirectory: true) }
    public var healthTypesURL: URL { url.appendingPathComponent("health-types.json") }
    public var healthSyncURL: URL { url.appendingPathComponent("health-sync.json") }
    public var dataURL: URL { url.appendingPathComponent("data", isDirectory: true) }
    public var antispamURL: URL { url.appendingPathComponent("antispam.sha256") }
    public var publicKeysURL: URL { url.appendingPathComponent("jwks.json") }
    public var receiptRootsURL: URL { url.appendingPathComponent("receipt-roots", isDirectory: true) }
    public var developmentRootKeyURL: URL {
        keys.url.appendingPathComponent("development-receipts.pem", isDirectory: false)
    }
    public var developmentRootURL: URL { receiptRootsURL.appendingPathComponent("development.pem") }

    public var deletionsURL: URL { url.appendingPathComponent("deletions", isDirectory: true) }
    /// The digests of the participants who were deleted.
    public var deletionListURL: URL { deletionsURL.appendingPathComponent("list.json") }
    /// The public half of the key that signs reports of deletions.
    public var deletionPublicKeyURL: URL { deletionsURL.appendingPathComponent("report-key.pem") }
    public var deletionKeyURL: URL { keys.url.appendingPathComponent("deletion-reports.pem") }

    /// The folder of the store of links, which a study has that makes links to records of identified people.
    public var linksURL: URL { url.appendingPathComponent("links", isDirectory: true) }
    public var linkStoreURL: URL { linksURL.appendingPathComponent("links.sqlite") }

    /// The folder of the files that exports make.
    public var exportsURL: URL { url.appendingPathComponent("exports", isDirectory: true) }

    /// The folder of private keys.
    public var keys: KeyFolder { keys(in: url.appendingPathComponent("keys", isDirectory: true)) }

    /// A folder of the study's private keys that stands elsewhere, such as a copy. The process's environment says where
    /// their passphrase is, if they are under one.
    func keys(in folder: URL) -> KeyFolder {
        KeyFolder(
            url: folder, publicSetURL: publicKeysURL,
            passphrase: KeyPassphrase(environment: ProcessInfo.processInfo.environment))
    }

    /// Where the queue's database is unless told otherwise.
    public var defaultQueueURL: URL {
        url.appendingPathComponent("queue", isDirectory: true).appendingPathComponent("queue.sqlite")
    }
    /// Where the records' database is unless told otherwise.
    public var defaultRecordsURL: URL { dataURL.appendingPathComponent("records.sqlite") }
    /// Where both were before version 0.4.
    public var formerDatabaseURL: URL { dataURL.appendingPathComponent("tributary.sqlite") }

    /// Reads `study.json`.
    ///
    /// - Throws: ``ServerError`` `study-missing`, `study-invalid`; ``Storage/FileAccessError``.
    public func configuration() throws -> StudyConfiguration {
        guard let data = try FileAccess.contents(of: configurationURL) else {
            throw ServerError(
                code: "study-missing",
                message: "There is no study.json in \(url.lastPathComponent); make a study with `tributary init`.")
        }
        return try StudyConfiguration(json: data)
    }

    /// The lower-case hex SHA-256 of the antispam token.
    ///
    /// - Throws: ``ServerError`` `antispam-missing`; ``Storage/FileAccessError``.
    public func antispamHash() throws -> String {
        guard let data = try FileAccess.contents(of: antispamURL) else {
            throw ServerError(code: "antispam-missing", message: "There is no file \(antispamURL.path) in the study.")
        }
        return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// The certificates that app receipts must chain to; the development root only where the study is one.
    ///
    /// - Throws: ``Storage/FileAccessError``.
    public func receiptRoots(development: Bool) throws -> [Data] {
        let names = try FileAccess.names(in: receiptRootsURL) ?? []
        var roots: [Data] = []
        for name in names
        where !name.hasPrefix(".") && (development || name != developmentRootURL.lastPathComponent) {
            let root = try FileAccess.contents(of: receiptRootsURL.appendingPathComponent(name))
            if let root { roots.append(root) }
        }
        return roots
    }

    /// The public key set as it is served; nil before any key was made.
    public func publicKeySet() -> Data? { FileManager.default.contents(atPath: publicKeysURL.path) }

    /// The published files of resources of a type, in the order of their names; unreadable ones are left out.
    public func resources(in folder: URL, ofType type: String) -> [PublishedFile] {
        Self.resources(in: folder, ofType: type)
    }

    static func resources(in folder: URL, ofType type: String) -> [PublishedFile] {
        jsonFiles(in: folder).compactMap { file in
            guard let data = FileManager.default.contents(atPath: file.path), let resource = try? Resource(data),
                resource.resourceType == type
            else { return nil }
            return PublishedFile(file: file, data: data, resource: resource)
        }
    }

    /// The files of a folder that are read, in the order of their names.
    static func jsonFiles(in folder: URL) -> [URL] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasSuffix(".json") && !$0.hasPrefix(".") }.sorted()
            .map { folder.appendingPathComponent($0) }
    }

    /// The study's profiles (`profiles/*.json`).
    public func profiles() -> [JSONObject] {
        resources(in: profilesURL, ofType: "StructureDefinition").map(\.resource.object)
    }
}
