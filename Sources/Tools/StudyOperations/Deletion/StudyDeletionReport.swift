import Consumer
import Core
import Crypto
import Foundation
import Storage
import StudyFiles
import StudyKeys

/// The report of a deletion: the deleted and kept rows as counts and digests, without anything that identifies the
/// participant. Signed with a key of the study.
package struct StudyDeletionReport: Sendable {
    /// The keyed digest of the participant's id.
    let digest: String
    let studyID: String
    let account: ParticipantDeletion.Account
    /// The names of the deleted copies of earlier states.
    let copies: [String]

    /// The name of the report's file. It does not depend on the time of writing.
    var name: String {
        let stamp = SQLTimestamp.text(account.deletedAt).filter(\.isNumber)
        return "report-\(stamp)-\(digest.prefix(12)).json"
    }

    /// The report as canonical JSON (RFC 8785), which is signed.
    var data: Data {
        var members: [String: JSON] = [
            "format": "tributary-deletion-report", "version": .number(JSONNumber(1)), "study": .string(studyID),
            "participant": .string(digest), "deletedAt": .string(SQLTimestamp.text(account.deletedAt)),
            "account": .string(account.actor), "program": .string(TributaryVersion.text),
            "removed": Self.json(account.removed), "kept": Self.json(account.kept),
            "copiesRemoved": .array(copies.map { .string($0) }), "elsewhere": .string(Self.elsewhere),
        ]
        if let reason = account.reason { members["reason"] = .string(reason) }
        return Self.object(members).canonicalData()
    }

    static let elsewhere =
        "Backups and exports that were made before contain the participant until they are destroyed; "
        + "a restore deletes them again by deletions/list.json."

    private static func json(_ rows: [String: RowsDigest]) -> JSON {
        object(
            rows.mapValues { object(["count": .number(JSONNumber($0.count)), "sha256": .string($0.sha256)]) })
    }

    /// Returns an object of members; the canonical form determines their order.
    private static func object(_ members: [String: JSON]) -> JSON {
        JSON(members.map { .init(key: $0.key, value: $0.value) })
    }
}

/// The key that signs reports of deletions: P-256 (ES256, RFC 7518 section 3.4), in `keys/` with mode 0600. Its public
/// key is in `deletions/`.
struct StudyDeletionSigner: Sendable {
    private let key: P256.Signing.PrivateKey

    /// Reads the study's key, and creates it if there is none.
    ///
    /// - Throws: ``ServerError`` `keys-missing`, `key-file-unreadable`; ``StudyKeys/StudyKeyError`` `file-unwritable`.
    init(_ folder: StudyFolder) throws {
        let file = folder.deletionKeyURL
        let name = file.lastPathComponent
        if FileManager.default.isReadableFile(atPath: file.path), let text = try folder.keys.privateText(name) {
            guard let key = try? P256.Signing.PrivateKey(pemRepresentation: text) else {
                throw ServerError(
                    code: "key-file-unreadable",
                    message: "\(file.lastPathComponent) in keys/ holds no P-256 key; bring it back, or remove it.")
            }
            self.key = key
        } else {
            guard StudyBackupFiles.isFolder(folder.keys.url.path), !StudyBackupFiles.exists(file.path) else {
                throw ServerError(
                    code: "keys-missing",
                    message:
                        "The report of a deletion is signed with a key in keys/, which is not there; bring it back.")
            }
            key = P256.Signing.PrivateKey()
            try folder.keys.writePrivate(key.pemRepresentation + "\n", to: name)
        }
        let text = Data((key.publicKey.pemRepresentation + "\n").utf8)
        if FileManager.default.contents(atPath: folder.deletionPublicKeyURL.path) != text {
            try PrivateFile.write(text, to: folder.deletionPublicKeyURL, permissions: 0o644)
        }
    }

    /// Writes a report and its signature `NAME.sig` (ASN.1 DER, for `openssl dgst -verify`).
    ///
    /// - Returns: the report's file.
    func write(_ report: StudyDeletionReport, into folder: URL) throws -> URL {
        let file = folder.appendingPathComponent(report.name)
        let data = report.data
        let signature = try key.signature(for: data).derRepresentation
        // The report is written last, so that it never exists without its signature.
        try PrivateFile.write(signature, to: Self.signature(of: file), permissions: 0o600)
        try PrivateFile.write(data, to: file, permissions: 0o600)
        return file
    }

    static func signature(of file: URL) -> URL {
        file.deletingLastPathComponent().appendingPathComponent(file.lastPathComponent + ".sig")
    }
}

extension StudyDeletionReport {
    /// Whether a report is as the study signed it.
    ///
    /// - Parameters:
    ///   - file: the report; its signature is in `FILE.sig`.
    ///   - key: the public key, in PEM.
    /// - Throws: ``ServerError`` `file-unreadable`, `key-file-unreadable`.
    package static func isGenuine(_ file: URL, key: URL) throws -> Bool {
        func contents(_ url: URL) throws -> Data {
            guard let data = try FileAccess.contents(of: url) else {
                throw FileAccessError(path: url.path, cause: .missing)
            }
            return data
        }
        let text = String(decoding: try contents(key), as: UTF8.self)
        guard let key = try? P256.Signing.PublicKey(pemRepresentation: text) else {
            throw ServerError(
                code: "key-file-unreadable", message: "\(key.lastPathComponent) holds no public P-256 key in PEM.")
        }
        let (data, bytes) = (try contents(file), try contents(StudyDeletionSigner.signature(of: file)))
        guard let signature = try? P256.Signing.ECDSASignature(derRepresentation: bytes) else { return false }
        return key.isValidSignature(signature, for: data)
    }
}
