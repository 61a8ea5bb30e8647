import AccessPolicy
import Audit
import Consumer
import Core
import Foundation
import Storage
import StudyFiles
import Wire

/// The links between a study's participants and the site's records of identified people. A link is created for one
/// person, sent by their app, and read only by registrars. Each use adds an audit row, which names links but no
/// records.
package struct StudyLinks: Sendable {
    /// A new link for the person. The token is shown only once.
    package struct Made: Sendable, Hashable {
        /// The link's id.
        package let id: String
        /// The compact JWS.
        package let token: String
    }

    /// Maximum bytes of a record's name, in UTF-8.
    package static let maximumRecordBytes = 200

    private let stores: StudyStores
    private let actor: Actor
    private let clock: @Sendable () -> Date

    /// - Parameter actor: the account of the machine that uses the links.
    package init(_ stores: StudyStores, actor: Actor, clock: @escaping @Sendable () -> Date = { Date() }) {
        self.stores = stores
        self.actor = actor
        self.clock = clock
    }

    /// Creates a link to a record.
    ///
    /// - Parameter record: the site's name for the record. It is stored only in the store of links.
    /// - Throws: ``ServerError`` `record-invalid`; ``StudyKeys/StudyKeyError`` of the keys' folder;
    ///   ``AccessPolicy/AccessError``; ``Storage/StorageError``.
    package func create(record: String) async throws -> Made {
        guard (1...Self.maximumRecordBytes).contains(record.utf8.count), record.contains(where: { !$0.isWhitespace }),
            record.unicodeScalars.allSatisfy({ $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) })
        else {
            throw ServerError(
                code: "record-invalid",
                message: "A record is named by a text of 1 to \(Self.maximumRecordBytes) bytes without line breaks.")
        }
        let now = clock()
        let study = try stores.folder.configuration().id
        let token = LinkToken(random: SystemRandom.bytes(32), study: study, now: now)
        return try await stores.withRecords { records in
            try await require(.createLink, id: token.id, records)
            let key = try stores.folder.keys.makeLinkKey()
            let signed = try token.signed(with: key)
            try await stores.migrateLinks(makes: true)
            guard let links = try await stores.openLinks() else {
                throw ServerError(code: "links-missing", message: "The folder links/ was removed; try again.")
            }
            try await links.closing {
                try await $0.add(
                    token.id, record: record, createdAt: token.issuedAt, expiresAt: token.expiresAt)
            }
            return Made(id: token.id, token: String(decoding: signed, as: UTF8.self))
        }
    }

    /// Returns all links, in the order of creation. Links of deleted participants are deleted first.
    ///
    /// - Throws: ``AccessPolicy/AccessError``; ``Storage/StorageError``.
    package func all() async throws -> [LinkStore.Link] {
        try await stores.withRecords { records in
            try await require(.listLinks, id: nil, records)
            guard let links = try await stores.openLinks() else { return [] }
            return try await links.closing { links in
                try await Self.forgetDeleted(in: links, records: records)
                return try await links.all()
            }
        }
    }

    /// Deletes the links of deleted participants: the store may be a restored copy from before a deletion.
    package static func forgetDeleted(in links: LinkStore, records: any SQLDatabase) async throws {
        let participants = try await links.participants()
        let deleted = try await records.read { transaction in
            try participants.filter { try DeletionRegister().isDeleted($0, in: transaction) }
        }
        for participant in deleted { try await links.delete(participant: participant) }
    }

    private func require(_ action: Action, id: String?, _ records: any SQLDatabase) async throws {
        let audit = AuditLog(database: records, clock: clock)
        let decision = try await audit.decide(
            actor, action: action, target: Target(resourceType: "Link", resourceID: id))
        guard decision.allowed else {
            throw AccessError(code: decision.reason, message: "This account has no permission for this use of links.")
        }
    }
}
