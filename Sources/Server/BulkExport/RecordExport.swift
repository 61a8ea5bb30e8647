import FHIR
import FHIRSearch
import Foundation
import RecordStorage
import Storage

/// An internal export without access control: the same resources and lines as for a client whose grant permits
/// everything.
package struct RecordExport: Sendable {
    /// A page of resources of a type, one line each.
    package struct Page: Sendable {
        package let lines: [UInt8]
        package let count: Int
        /// The owners of the resources.
        package let owners: Set<String>
        /// The ids of unreadable resources.
        package let unreadable: [String]

        /// Creates the value from its parts.
        package init(lines: [UInt8], count: Int, owners: Set<String>, unreadable: [String]) {
            self.lines = lines
            self.count = count
            self.owners = owners
            self.unreadable = unreadable
        }
    }

    private let database: any SQLDatabase
    private let selections: [ExportSelection]
    private let last: Int64
    private let store = RecordStore()

    /// - Parameters:
    ///   - types: the exported types; nil for all.
    ///   - since: only resources that changed at this time or later.
    ///   - group: only resources of the members of this Group (``GroupMembership``).
    ///   - base: the base URL of the FHIR API, without a final slash, for relative addresses of attachments; nil where
    ///     it is unknown: then they stay unchanged.
    /// - Throws: ``RecordExportError``, ``Storage/StorageError``.
    package init(
        database: any SQLDatabase, types: Set<String>? = nil, since: Date? = nil, group: String? = nil,
        base: String? = nil, at now: Date
    ) async throws {
        for type in types ?? [] where !RecordType.isHeld(type) { throw RecordExportError.unknownType }
        self.database = database
        let store = store
        (selections, last) = try await database.read { transaction in
            var patients = ExportedPatients.everything
            if let group {
                let membership = GroupMembership(at: now, ownBases: base.map { [$0] } ?? []) { id in
                    guard Resource.isID(id),
                        let record = try store.read(type: GroupMembership.type, id: id, in: transaction),
                        !record.isDeleted
                    else { return nil }
                    return try record.resource()
                }
                guard let members = try membership.patients(ofGroup: group) else {
                    throw RecordExportError.unknownGroup
                }
                patients = .among(members)
            }
            let held = try store.types(in: transaction).filter { types?.contains($0) ?? true }
            let selections = held.map {
                ExportSelection(
                    type: $0, patients: patients, filter: .everything, since: since.map(Milliseconds.of),
                    base: base ?? "")
            }
            let last = try transaction.first("SELECT max(number) AS number FROM record")?.integerIfPresent("number")
            return (selections, last ?? 0)
        }
    }

    /// The types with stored resources, ordered by name.
    package var types: [String] { selections.map(\.type) }

    /// Calls the closure with the resources of a type, page by page.
    package func each(ofType type: String, _ body: (Page) async throws -> Void) async throws {
        guard let selection = selections.first(where: { $0.type == type }) else { return }
        let pages = ExportPages(selection, through: last, bytes: ExportLimits().pageBytes, of: database)
        try await pages.each { page in
            try await body(
                Page(lines: page.lines, count: page.count, owners: page.owners, unreadable: page.unreadable))
        }
    }
}

/// The reason that an export is impossible.
package enum RecordExportError: CodedError, Hashable {
    case unknownType
    case unknownGroup

    /// The stable code: `type-unknown`, `group-unknown`.
    package var code: String {
        switch self {
        case .unknownType: "type-unknown"
        case .unknownGroup: "group-unknown"
        }
    }

    /// A sentence that a person can act on.
    package var message: String {
        switch self {
        case .unknownType: "R4 has no such resource type; types are written like Observation."
        case .unknownGroup: "The records contain no such Group; use its id."
        }
    }
}
