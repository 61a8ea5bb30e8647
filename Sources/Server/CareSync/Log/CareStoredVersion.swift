import CarePlans
import Core
import Foundation
import Storage

/// A version of the log without its content.
struct CareStoredVersion: Sendable {
    /// The position in the log.
    let number: Int64
    let uuid: UUID
    let kind: CareEntityKind
    let event: CareEvent.Key?
    let isTombstone: Bool
    /// The push that added the first version that follows it.
    let followedBy: Int?
    let previous: [UUID]
    /// The vector by which copies find it.
    let vector: KnowledgeVector
    /// The vector with which it arrived.
    let arrivalVector: KnowledgeVector

    /// Columns of ``init(_:)``, from `care_version v` with its vectors.
    static let columns = """
        v.number, v.uuid, v.kind, v.task, v.occurrence, v.is_tombstone, v.followed_by, v.previous, t.vector AS clocks,
            a.vector AS arrival_clocks
        """
    /// The joins of ``columns``.
    static let joins =
        "JOIN care_vector t ON t.number = v.vector LEFT JOIN care_vector a ON a.number = v.arrival_vector"

    init(_ row: SQLRow) throws {
        guard let uuid = UUID(text: try row.text("uuid")), let kind = CareEntityKind(rawValue: try row.text("kind"))
        else { throw StorageError(code: "storage-column", message: "A version cannot be read.") }
        number = try row.integer("number")
        self.uuid = uuid
        self.kind = kind
        event = row.textIfPresent("task").flatMap { UUID(text: $0) }.flatMap { task in
            row.integerIfPresent("occurrence").map { CareEvent.Key(task: task, occurrence: Int($0)) }
        }
        isTombstone = try row.integer("is_tombstone") != 0
        followedBy = row.integerIfPresent("followed_by").map(Int.init)
        previous = CareVectorText.uuids(try row.text("previous"))
        vector = try CareVectorText.vector(row.text("clocks"))
        arrivalVector = try row.textIfPresent("arrival_clocks").map { try CareVectorText.vector($0) } ?? vector
    }

    /// Reads the content of a version.
    ///
    /// - Throws: ``StorageError`` if it is no version.
    static func entity(_ kind: CareEntityKind, content: String) throws -> CareEntity {
        guard let object = JSON(reading: Array(content.utf8)), let entity = try? CareEntity(kind: kind, stored: object)
        else { throw StorageError(code: "storage-column", message: "The content of a version cannot be read.") }
        return entity
    }
}
