import FHIR
import Foundation
import Storage

/// The outcome of a deletion.
package enum DeletionOutcome: Sendable, Hashable {
    /// The resource is deleted.
    case deleted(record: Int64)
    /// There was no such resource. A version received before the deletion and processed after it goes to the history.
    case recorded
    /// It was deleted already.
    case unchanged
    /// A version received after the deletion is the current one and stays.
    case superseded
}

extension RecordWriter {
    /// Deletes a resource, whatever the order of receipt. The next version records the deletion, and searches no longer
    /// find the resource. The newest version with content continues to decide who sees its history.
    ///
    /// - Returns: the number of the record; nil where there is no such resource, or it is already deleted.
    package mutating func delete(type: String, id: String) throws -> Int64? {
        guard let present = try present(type: type, id: id), !present.isDeleted else { return nil }
        let order = max(present.order, receipt.provenance.order)
        try addDeletion(type: type, id: id, number: present.number, order: order)
        return present.number
    }

    /// Deletes a resource as of the deletion's receipt. A version received later stays the current one. A version
    /// received earlier that is not stored yet goes to the history.
    ///
    /// - Parameter subject: the participant whose resource it is.
    package mutating func delete(type: String, id: String, of subject: String) throws -> DeletionOutcome {
        let order = receipt.provenance.order
        guard let present = try present(type: type, id: id) else {
            try insertDeleted(type: type, id: id, of: subject)
            return .recorded
        }
        guard order >= present.order else { return .superseded }
        guard present.isDeleted else {
            try addDeletion(type: type, id: id, number: present.number, order: order)
            return .deleted(record: present.number)
        }
        if order > present.order { try updateOrder(order, of: present.number) }
        return .unchanged
    }

    private mutating func present(
        type: String, id: String
    ) throws -> (number: Int64, isDeleted: Bool, order: RecordOrder)? {
        try flush()
        return try transaction.first(Self.presentSQL, [RecordKey.value(type: type, id: id)]).map { row in
            let number = try row.integer("number")
            try RecordGuard.check(
                type, number: number, version: row.integer("version"), writer: receipt.provenance, in: transaction)
            return (number, try row.integer("deleted") != 0, try RecordOrder(row))
        }
    }

    private mutating func addDeletion(type: String, id: String, number: Int64, order: RecordOrder) throws {
        changedTypes.insert(type)
        let version = try nextVersion(of: number)
        streams.went(try formerStream(type, number))
        try FormerVersion.insertReplaced(number: number, at: receipt.at, in: transaction)
        try transaction.execute(
            """
            UPDATE record SET version = ?, updated_ms = ?, deleted = 1, received_ms = ?, received_number = ?, signer = ?,
                signed_sequence = ? WHERE number = ?
            """,
            [SQLValue(version), SQLValue(Milliseconds.of(receipt.at))] + order.columns + [SQLValue(number)])
        let content = Self.withoutContent(type: type, id: id, subject: nil)
        var sources = RecordSources(in: transaction)
        try transaction.execute(
            """
            INSERT INTO record_version (number, version, content, digest, deleted, source, received_ms, received_number)
            VALUES (?, ?, ?, ?, 1, ?, ?, ?)
            """,
            [
                SQLValue(number), SQLValue(version), SQLValue(content.stored.content), SQLValue(content.digest),
                SQLValue(try sources.number(of: receipt)), SQLValue(order.receivedMilliseconds),
                SQLValue(order.number),
            ])
        try searchIndex.replace([], number: number)
    }

    /// Inserts a record whose first version is a deletion.
    private mutating func insertDeleted(type: String, id: String, of subject: String) throws {
        guard let number = try insert(Self.withoutContent(type: type, id: id, subject: subject)) else { return }
        try flush()
        try transaction.execute("UPDATE record SET deleted = 1 WHERE number = ?", [SQLValue(number)])
        try transaction.execute("UPDATE record_version SET deleted = 1 WHERE number = ?", [SQLValue(number)])
        try searchIndex.replace([], number: number)
    }

    private static func withoutContent(type: String, id: String, subject: String?) -> NewRecord {
        let resource = Resource(JSONObject(resourceType: type))
        return NewRecord(resource, id: id, subject: subject, content: resource.json.data())
    }
}
