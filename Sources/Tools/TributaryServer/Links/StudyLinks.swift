import Consumer
import Core
import Foundation
import Records
import Storage
import Trust
import Wire

/// The links between a study's participants and the records that the site keeps of identified people: made for one person,
/// handed in by their app, and read by registrars alone. Each use is a row of the audit, which names links and no records.
public struct StudyLinks: Sendable {
    /// A link as it is given to the person, the only time that it is seen.
    public struct Made: Sendable, Hashable {
        /// Its id.
        public let id: String
        /// The compact JWS.
        public let token: String
    }

    /// Bytes of a record's name, in UTF-8.
    public static let maximumRecordBytes = 200

    private let stores: StudyStores
    private let actor: Actor
    private let clock: @Sendable () -> Date

    /// - Parameter actor: who asks: the machine's account.
    public init(_ stores: StudyStores, actor: Actor, clock: @escaping @Sendable () -> Date = { Date() }) {
        self.stores = stores
        self.actor = actor
        self.clock = clock
    }

    /// Makes a link to a record.
    ///
    /// - Parameter record: the site's name for the record. It stands in the store of links and nowhere else.
    /// - Throws: ``ServerError`` `record-invalid`; ``Consumer/ConsumerError`` of the keys' folder; ``Trust/TrustError``;
    ///   ``Storage/StorageError``.
    public func create(record: String) async throws -> Made {
        guard (1...Self.maximumRecordBytes).contains(record.utf8.count), record.contains(where: { !$0.isWhitespace }),
            record.unicodeScalars.allSatisfy({ $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) })
        else {
            throw ServerError(
                code: "record-invalid",
                message: "A record is named by a text of 1 to \(Self.maximumRecordBytes) bytes without line breaks.")
        }
        let now = clock()
        let study = try stores.folder.configuration().id
        let token = LinkToken(random: AccessControl.systemRandom(32), study: study, now: now)
        return try await stores.withRecords { records in
            try await require(.createLink, id: token.id, records)
            let key = try stores.folder.keys.makeLinkKey()
            let signed = try token.signed(with: key)
            try await stores.migrateLinks(makes: true)
            guard let links = try await stores.openLinks() else {
                throw ServerError(code: "links-missing", message: "The folder links/ went away; try again.")
            }
            try await links.closing {
                try await $0.add(
                    token.id, record: record, createdAt: token.issuedAt, expiresAt: token.expiresAt)
            }
            return Made(id: token.id, token: String(decoding: signed, as: UTF8.self))
        }
    }

    /// All links, in the order in which they were made; those of participants who were deleted are deleted first.
    ///
    /// - Throws: ``Trust/TrustError``; ``Storage/StorageError``.
    public func all() async throws -> [LinkStore.Link] {
        try await stores.withRecords { records in
            try await require(.listLinks, id: nil, records)
            guard let links = try await stores.openLinks() else { return [] }
            return try await links.closing { links in
                try await Self.forgetDeleted(in: links, records: records)
                return try await links.all()
            }
        }
    }

    /// Deletes the links of participants who were deleted: the store may have been brought back from a copy that is older
    /// than that.
    static func forgetDeleted(in links: LinkStore, records: any SQLDatabase) async throws {
        let participants = try await links.participants()
        let deleted = try await records.read { transaction in
            try participants.filter { try DeletionRegister().isDeleted($0, in: transaction) }
        }
        for participant in deleted { try await links.delete(participant: participant) }
    }

    private func require(_ action: Action, id: String?, _ records: any SQLDatabase) async throws {
        let access = AccessControl(database: records, clock: clock)
        let decision = try await access.decide(actor, action, Target(resourceType: "Link", resourceID: id))
        guard decision.allowed else {
            throw TrustError(code: decision.reason, message: "This account may not do that with links.")
        }
    }
}
