import Crypto
import FHIR
import Foundation
import Receiver
import Storage
import StudyKeys
import Wire

/// A study as a folder: its content, its keys and its data.
///
/// ```
/// study.json         the configuration of the study
/// consent/           the versions of the study's consent (Contract or Markdown), and the full texts of their sections
/// questionnaires/    the published forms (Questionnaire) and their value sets (ValueSet)
/// health-types.json  the study's own types of health data, and changes to the table's
/// health-sync.json   the health data that phones follow, how far back, and the expected times
/// profiles/          StructureDefinitions that resources may refer to
/// keys/              private keys, 0700; a receiver in a DMZ has none
/// jwks.json          the public keys, for the receiver
/// jwks.jws           the same, signed by the study's root key (keys/root.pem)
/// receipt-roots/     certificates that app receipts must chain to (PEM)
/// antispam.sha256    the hash of the antispam token, 0640, for the receiver's account through the group of queue/
/// queue/             the queue's database, shared with the receiver's account by its group
/// data/              the records' database, and that of the people store if the study has accounts, 0700
/// signing-keys/      the keys of the authorization server's id tokens, 0700; not in backups
/// links/             the links of participants to the site's records of people, 0700; not in backups
/// exports/           the files of exports until they expire, 0700; not in backups
/// audit-anchors/     heads of the audit's seals, 0700; not in backups
/// deletions/         the deleted participants as digests, and the reports of deletions, 0700; not in backups
/// ```
package struct StudyFolder: Sendable {
    package let url: URL

    package init(path: String) { url = URL(fileURLWithPath: path, isDirectory: true) }

    package var configurationURL: URL { url.appendingPathComponent("study.json") }
    package var consentURL: URL { url.appendingPathComponent("consent", isDirectory: true) }
    package var questionnairesURL: URL { url.appendingPathComponent("questionnaires", isDirectory: true) }
    package var profilesURL: URL { url.appendingPathComponent("profiles", isDirectory: true) }
    package var healthTypesURL: URL { url.appendingPathComponent("health-types.json") }
    package var healthSyncURL: URL { url.appendingPathComponent("health-sync.json") }
    package var dataURL: URL { url.appendingPathComponent("data", isDirectory: true) }
    package var antispamURL: URL { url.appendingPathComponent("antispam.sha256") }
    package var publicKeysURL: URL { url.appendingPathComponent("jwks.json") }
    package var receiptRootsURL: URL { url.appendingPathComponent("receipt-roots", isDirectory: true) }
    package var developmentRootKeyURL: URL {
        keys.url.appendingPathComponent("development-receipts.pem", isDirectory: false)
    }
    package var developmentRootURL: URL { receiptRootsURL.appendingPathComponent("development.pem") }

    package var deletionsURL: URL { url.appendingPathComponent("deletions", isDirectory: true) }
    /// The digests of the deleted participants.
    package var deletionListURL: URL { deletionsURL.appendingPathComponent("list.json") }
    /// The public key for reports of deletions.
    package var deletionPublicKeyURL: URL { deletionsURL.appendingPathComponent("report-key.pem") }
    package var deletionKeyURL: URL { keys.url.appendingPathComponent("deletion-reports.pem") }

    /// The folder of heads of the audit's seals.
    package var auditAnchorsURL: URL { url.appendingPathComponent("audit-anchors", isDirectory: true) }

    /// The folder of the store of links, in a study that creates links to records of identified people.
    package var linksURL: URL { url.appendingPathComponent("links", isDirectory: true) }
    package var linkStoreURL: URL { linksURL.appendingPathComponent("links.sqlite") }

    /// The folder of export files.
    package var exportsURL: URL { url.appendingPathComponent("exports", isDirectory: true) }

    /// The folder of private keys.
    package var keys: KeyFolder { keys(in: url.appendingPathComponent("keys", isDirectory: true)) }

    /// Returns a folder of the study's private keys at another location, such as a copy. The process's environment
    /// names the file of their passphrase, if they have one.
    package func keys(in folder: URL) -> KeyFolder {
        KeyFolder(
            url: folder, publicSetURL: publicKeysURL,
            passphrase: KeyPassphrase(environment: ProcessInfo.processInfo.environment))
    }

    /// The default path of the queue's database.
    package var defaultQueueURL: URL {
        url.appendingPathComponent("queue", isDirectory: true).appendingPathComponent("queue.sqlite")
    }
    /// The default path of the people store's database.
    package var defaultPeopleURL: URL { dataURL.appendingPathComponent("people.sqlite") }
    /// Mails that are not sent by a mail server.
    package var mailURL: URL { dataURL.appendingPathComponent("mail", isDirectory: true) }
    /// The default path of the records' database.
    package var defaultRecordsURL: URL { dataURL.appendingPathComponent("records.sqlite") }
    /// The path of the common database of queue and records in early development versions.
    package var formerDatabaseURL: URL { dataURL.appendingPathComponent("tributary.sqlite") }

    /// Reads `study.json`.
    ///
    /// - Throws: ``ServerError`` `study-missing`, `study-invalid`; ``Storage/FileAccessError``.
    package func configuration() throws -> StudyConfiguration {
        guard let data = try FileAccess.contents(of: configurationURL) else {
            throw ServerError(
                code: "study-missing",
                message: "There is no study.json in \(url.lastPathComponent); make a study with `tributary init`.")
        }
        return try StudyConfiguration(json: data)
    }

    /// Returns the SHA-256 of the antispam token in lowercase hexadecimal digits.
    ///
    /// - Throws: ``ServerError`` `antispam-missing`; ``Storage/FileAccessError``.
    package func antispamHash() throws -> String {
        guard let data = try FileAccess.contents(of: antispamURL) else {
            throw ServerError(code: "antispam-missing", message: "There is no file \(antispamURL.path) in the study.")
        }
        return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Returns the certificates that app receipts must chain to; the development root only in a development study.
    ///
    /// - Throws: ``Storage/FileAccessError``.
    package func receiptRoots(development: Bool) throws -> [Data] {
        let names = try FileAccess.names(in: receiptRootsURL) ?? []
        var roots: [Data] = []
        for name in names
        where !name.hasPrefix(".") && (development || name != developmentRootURL.lastPathComponent) {
            let root = try FileAccess.contents(of: receiptRootsURL.appendingPathComponent(name))
            if let root { roots.append(root) }
        }
        return roots
    }

    /// Returns the public key set to be served; nil if no key was made yet.
    package func publicKeySet() -> Data? { FileManager.default.contents(atPath: publicKeysURL.path) }

    /// Returns the published files with resources of a type, by name; unreadable ones are left out.
    package func resources(in folder: URL, ofType type: String) -> [PublishedFile] {
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

    /// Returns the JSON files of a folder, by name.
    static func jsonFiles(in folder: URL) -> [URL] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasSuffix(".json") && !$0.hasPrefix(".") }.sorted()
            .map { folder.appendingPathComponent($0) }
    }

    /// Returns the study's profiles (`profiles/*.json`).
    package func profiles() -> [JSONObject] {
        resources(in: profilesURL, ofType: "StructureDefinition").map(\.resource.object)
    }
}
