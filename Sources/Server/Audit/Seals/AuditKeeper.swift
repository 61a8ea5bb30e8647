import Foundation
import Storage

/// Seals the audit of a records' store, and writes its newest head to a folder.
package struct AuditKeeper: Sendable {
    let sealer: AuditSealer
    let anchors: AuditAnchorFolder

    /// - Parameters:
    ///   - database: the records' store.
    ///   - anchors: the folder of heads.
    package init(database: any SQLDatabase, anchors: URL, clock: @escaping @Sendable () -> Date) {
        sealer = AuditSealer(database: database, clock: clock)
        self.anchors = AuditAnchorFolder(anchors)
    }

    /// Seals all rows that exist at the start, and writes the newest head durably.
    ///
    /// - Throws: ``Storage/StorageError``; ``Storage/FileAccessError``. The next call continues.
    package func run() async throws {
        try await sealer.seal()
        try await anchors.write(headOf: sealer.database)
    }
}
