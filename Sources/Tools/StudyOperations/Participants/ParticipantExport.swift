import AccessPolicy
import Audit
import Consumer
import Core
import Enrolments
import FHIR
import Foundation
import Permissions
import RecordStorage
import Storage
import StudyFiles
import StudyKeys
import Submissions
import Warehouse
import Wire

/// All data that a study has about one participant, for the participant. It is read page by page, so that the memory
/// for one page is enough.
package struct ParticipantExport: Sendable {
    /// A submission that waits or is quarantined.
    package struct Waiting: Sendable {
        package let summary: SubmissionSummary
        /// The content; nil if the study's keys do not open it.
        package let payload: Data?
        /// The type of the payload: FHIR if the envelope names no other.
        package let type: PayloadType
        /// Whether the study's keys opened it.
        package let isOpened: Bool

        init(summary: SubmissionSummary, payload: Data?, type: PayloadType, isOpened: Bool? = nil) {
            self.summary = summary
            self.payload = payload
            self.type = type
            self.isOpened = isOpened ?? (payload != nil)
        }

        /// The value without the bytes of the payload.
        package var withoutPayload: Waiting {
            Waiting(summary: summary, payload: nil, type: type, isOpened: isOpened)
        }
    }

    private static let page = 200

    private let participant: String
    private let queue: any SQLDatabase
    private let records: any SQLDatabase
    private let access: EnrolmentStore
    private let openers: KeyOpenerCache
    private let folder: StudyFolder
    /// The base address of the study in a bundle: one that does not exist (RFC 2606).
    private let base = "https://study.invalid/fhir/"

    /// Begins an export, and adds its audit row.
    ///
    /// - Throws: ``Consumer/ConsumerError`` `participant-unknown`, ``Admission/AdmissionError``
    ///   `participant-deleted`; ``AccessPolicy/AccessError``.
    package init(
        of participant: String, folder: StudyFolder, queue: any SQLDatabase, records: any SQLDatabase, actor: Actor,
        clock: @escaping @Sendable () -> Date = { Date() }
    ) async throws {
        let access = EnrolmentStore(database: records, clock: clock)
        try await records.write { transaction in
            try StudyParticipants.requireKnown(participant, in: transaction)
            try access.audit.require(actor, .exportParticipant, of: participant, in: transaction)
        }
        self.participant = participant
        self.queue = queue
        self.records = records
        self.access = access
        self.folder = folder
        openers = KeyOpenerCache(folder: folder.keys)
    }

    /// Returns the forms that the study publishes, as R4.
    package func forms() -> [Questionnaire] { folder.publishedRecords().compactMap { $0.as() } }

    /// Returns the devices that send or sent data for the participant.
    package func devices() async throws -> [DeviceBinding] {
        let participant = participant
        return try await records.read { try EnrolmentStore.bindings(of: participant, in: $0) }
    }

    /// Calls a closure with every version of every resource, type by type, with the present ones marked.
    package func eachVersion(_ body: (HeldVersion) throws -> Void) async throws {
        let participant = participant
        for type in try await records.read({ try RecordStore().types(in: $0) }) {
            var cursor: (number: Int64, version: Int64)?
            while true {
                let start = cursor
                let versions = try await records.read { transaction in
                    try RecordStore().versions(
                        about: participant, ofType: type, after: start, limit: Self.page, in: transaction)
                }
                for version in versions { try body(version) }
                guard let last = versions.last, versions.count == Self.page else { break }
                cursor = (last.number, last.record.version)
            }
        }
    }

    /// Calls a closure with each fact.
    package func eachFact(_ body: (ParticipantFact) throws -> Void) async throws {
        let participant = participant
        var last: ParticipantFact?
        while true {
            let start = last
            let facts = try await records.read { transaction in
                try WarehouseQuery().facts(of: participant, after: start, limit: Self.page, in: transaction)
            }
            for fact in facts { try body(fact) }
            guard facts.count == Self.page else { return }
            last = facts.last
        }
    }

    /// Calls a closure with each waiting submission of the participant's devices, opened if the study's keys can open
    /// it.
    package func eachWaiting(_ body: (Waiting) throws -> Void) async throws {
        let (participant, access) = (participant, access)
        let opener = try? await openers.opener()
        for stretch in try await records.read({ try access.stretches(of: participant, in: $0) }) {
            var number: Int64 = 0
            while true {
                let start = number
                // A few at a time, because each submission may have the maximum size.
                let waiting = try await queue.read { transaction in
                    try SQLSubmissionQueue.waiting(of: stretch, after: start, limit: 4, in: transaction)
                }
                for (summary, sealed) in waiting {
                    let opened = opener.flatMap { try? OpenedEnvelope.open(sealed, with: $0) }
                    try body(
                        Waiting(summary: summary, payload: opened?.payload, type: opened?.contentType ?? .resource))
                    number = summary.number
                }
                guard waiting.count == 4 else { break }
            }
        }
    }

    /// Calls a closure with the audit rows about the participant, the newest first. They include the receipt and the
    /// time of a link to a record of the site; only registrars can see which record it is.
    package func eachAccess(_ body: (AuditEntry) throws -> Void) async throws {
        var cursor: Int64?
        while true {
            let rows = try await access.audit.entries(participant: participant, after: cursor, limit: Self.page)
            for row in rows { try body(row) }
            guard let last = rows.last, rows.count == Self.page else { return }
            cursor = last.number
        }
    }

    /// Returns the permissions that the participant gave, and those that were passed on from them, with their states.
    package func permissions() async throws -> [PermissionRecord] {
        let (participant, now) = (participant, access.clock())
        return try await records.read { transaction in
            let store = PermissionStore()
            return try store.reports(
                store.permissions(ofPatient: participant, in: transaction), at: now, in: transaction)
        }
    }

    /// Calls a closure with each signed request that gave or ended these permissions.
    package func eachPermissionRequest(_ body: (StoredPermissionRequest) throws -> Void) async throws {
        let participant = participant
        var known: Set<String> = []
        for permission in try await records.read({
            try PermissionStore().permissions(ofPatient: participant, in: $0)
        }) {
            for id in [permission.requestID, permission.endingRequestID].compactMap({ $0 })
            where known.insert(id).inserted {
                if let request = try await records.read({ try PermissionStore().request(id, in: $0) }) {
                    try body(request)
                }
            }
        }
    }

    // MARK: - The bundle

    /// Returns the beginning of a Bundle (<https://hl7.org/fhir/R4/bundle.html>, type `collection`), up to its
    /// entries.
    package static func bundleHead(at date: Date) -> String {
        #"{"resourceType":"Bundle","type":"collection","timestamp":"\#(DateTime(date).text)","entry":["#
    }

    /// The end of a Bundle.
    package static let bundleEnd = "]}"

    /// Returns the entries of a version: the resource, and its original bytes if it was converted.
    package func entries(of version: HeldVersion) throws -> [JSON] {
        let record = version.record
        var entries = [entry("\(record.type)/\(record.id)", .object(try record.resource().object))]
        if let original = version.original {
            let id = "original-\(version.number)-\(record.version)"
            entries.append(entry("Binary/\(id)", binary(id, bytes: original.bytes, type: .resource)))
        }
        return entries
    }

    /// Returns the entry of a waiting submission, as sent; nil if it was not opened.
    package func entry(of waiting: Waiting) -> JSON? {
        guard let payload = waiting.payload else { return nil }
        let id = "waiting-\(waiting.summary.number)"
        return entry("Binary/\(id)", binary(id, bytes: payload, type: waiting.type))
    }

    /// Returns the entry of a signed request, byte for byte.
    package func entry(of request: StoredPermissionRequest) -> JSON {
        let id = "request-\(request.id)"
        return entry(
            "Binary/\(id)",
            [
                "resourceType": "Binary", "id": .string(id), "contentType": "application/json",
                "data": .string(request.body.base64EncodedString()),
            ])
    }

    private func entry(_ name: String, _ resource: JSON) -> JSON {
        ["fullUrl": .string(base + name), "resource": resource]
    }

    private func binary(_ id: String, bytes: Data, type: PayloadType) -> JSON {
        [
            "resourceType": "Binary", "id": .string(id), "contentType": .string(type.rawValue),
            "data": .string(bytes.base64EncodedString()),
        ]
    }
}
