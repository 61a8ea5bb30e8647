import Core
import Foundation
import Logging
import Records
import ServiceLifecycle
import Storage

/// Keeps what a study publishes among the records: at the start, and again when a file changes.
struct PublishedRecordKeeping: Service {
    let folder: StudyFolder
    let records: any SQLDatabase
    let logger: Logger
    let clock: @Sendable () -> Date

    func run() async throws {
        let folder = folder
        let files = PublishedFiles(folder.publishedPlaces) { folder.publishedRecords() }
        let publishing = RecordPublishing(database: records, clock: clock)
        var failed = 0
        await files.follow { edition, resources in
            do {
                try await publishing.publish(resources)
                return true
            } catch {
                // It is tried again; one line says so.
                if failed != edition {
                    logger.error(
                        "published resources not recorded",
                        metadata: ["code": "\((error as? any CodedError)?.code ?? "failed")"])
                }
                failed = edition
                return false
            }
        }
    }
}
