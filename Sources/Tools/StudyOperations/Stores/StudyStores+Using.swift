import Audit
import Foundation
import Storage
import StudyFiles

// Runs closures with open stores, which are closed in any case.
extension StudyStores {
    /// Runs a closure with the queue's store.
    package func withQueue<T>(_ body: (any SQLDatabase) async throws -> T) async throws -> T {
        try await openQueue().closing(body)
    }

    /// Runs a closure with the records' store, and seals the rows of the audit that it wrote.
    package func withRecords<T>(_ body: (any SQLDatabase) async throws -> T) async throws -> T {
        try await openRecords().closing { records in
            do {
                let result = try await body(records)
                await sealAudit(of: records)
                return result
            } catch {
                await sealAudit(of: records)
                throw error
            }
        }
    }

    /// Seals the rows of the audit. Rows that cannot be sealed now are sealed by the next process that uses the store.
    private func sealAudit(of records: any SQLDatabase) async {
        try? await AuditKeeper(database: records, anchors: folder.auditAnchorsURL, clock: { Date() }).run()
    }

    /// Runs a closure with both stores.
    package func withBoth<T>(
        _ body: (_ queue: any SQLDatabase, _ records: any SQLDatabase) async throws -> T
    ) async throws -> T {
        try await withQueue { queue in try await withRecords { records in try await body(queue, records) } }
    }
}
