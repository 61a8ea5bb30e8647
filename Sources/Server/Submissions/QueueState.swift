import Foundation
import Storage

/// Identity of a queue's store, including its epoch, which changes with each restore.
public struct QueueState: Sendable, Hashable {
    /// Random id that the store received when it was created.
    public let queueID: String
    /// Study that owns the store; nil until a study has opened it.
    public let studyID: String?
    /// Increases with each restore from a backup; cursors of another epoch are not valid for this store.
    public let epoch: Int64

    /// Reads the state of a queue's store. Throws ``StorageError``.
    public static func read(in transaction: any SQLTransaction) throws -> QueueState {
        guard let row = try transaction.first("SELECT queue_id, study_id, epoch FROM queue_state WHERE id = 1") else {
            throw StorageError(code: "storage-corrupt", message: "The queue's state is missing.")
        }
        return QueueState(
            queueID: try row.text("queue_id"), studyID: row.textIfPresent("study_id"), epoch: try row.integer("epoch"))
    }

    /// Assigns a new store its id and its study.
    ///
    /// - Throws: ``StorageError`` with code `queue-of-another-study` for a store that another study has opened.
    public static func claim(studyID: String, newQueueID: String, in transaction: any SQLTransaction) throws
        -> QueueState
    {
        let state = try read(in: transaction)
        if let owner = state.studyID, owner != studyID {
            throw StorageError(
                code: "queue-of-another-study",
                message: "The queue belongs to another study; see \"queue\" in study.json, or --queue.")
        }
        guard state.studyID == nil || state.queueID.isEmpty else { return state }
        let name = state.queueID.isEmpty ? newQueueID : state.queueID
        try transaction.execute(
            "UPDATE queue_state SET queue_id = ?, study_id = ? WHERE id = 1", [SQLValue(name), SQLValue(studyID)])
        return QueueState(queueID: name, studyID: studyID, epoch: state.epoch)
    }

    /// Begins a new epoch, for example after a restore. The number is microseconds since 1970, so that two restores of
    /// one backup differ even in quick succession; JSON represents it exactly (2^53) up to the year 2255.
    @discardableResult
    public static func beginEpoch(at: Date, in transaction: any SQLTransaction) throws -> Int64 {
        let microseconds = Int64(max(0, min(at.timeIntervalSince1970 * 1_000_000, 9e15)).rounded(.down))
        let next = max(try read(in: transaction).epoch + 1, microseconds)
        try transaction.execute("UPDATE queue_state SET epoch = ? WHERE id = 1", [SQLValue(next)])
        return next
    }
}
