import Accounts
import CarePlans
import Core
import Foundation
import Storage

/// Gives the live outcomes of a log a clock of the server after a restore of the store, once for each log.
///
/// The vector of a phone with CareKit's store can cover a live outcome that it never got: the outcome was superseded
/// before the phone asked, and its follower was lost with the restored store. With a new clock of the server, the outcome
/// counts as new for all copies.
enum CareRestoration {
    /// Announces the live outcomes of a log if the server's process is new to it.
    ///
    /// - Returns: the vector of the log.
    static func announce(
        _ patient: String, process: UUID, former: CareLogState, in transaction: any SQLTransaction
    ) throws -> KnowledgeVector {
        guard former.isStored, former.vector[process] == 0,
            former.vector.clocks.count < KnowledgeVector.maximumProcesses,
            try transaction.first(liveSQL, [SQLValue(patient)]) != nil
        else { return former.vector }
        var vector = former.vector
        vector[process] = 1
        let number = try CarePushWriting.store(vector, of: patient, in: transaction)
        try transaction.execute(
            """
            UPDATE care_version SET vector = ?, arrival_vector = COALESCE(arrival_vector, vector)
            WHERE account_id = ? AND task IS NOT NULL AND followed_by IS NULL AND is_tombstone = 0
            """, [SQLValue(number), SQLValue(patient)])
        try transaction.execute(
            "UPDATE care_log SET vector = ? WHERE account_id = ?",
            [SQLValue(CareVectorText.text(vector)), SQLValue(patient)])
        return vector
    }

    /// A live outcome of a log. Parameter: account.
    static let liveSQL = """
        SELECT number FROM care_version
        WHERE account_id = ? AND task IS NOT NULL AND followed_by IS NULL AND is_tombstone = 0 LIMIT 1
        """
}
