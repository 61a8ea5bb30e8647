import Core
import Foundation
import Logging
import RecordStorage
import ServiceLifecycle
import Storage
import StudyFiles

/// Stores a study's published resources among the records, at the start and when a file changes.
struct PublishedRecordKeeping: Service {
    let folder: StudyFolder
    let records: any SQLDatabase
    let logger: Logger
    let clock: @Sendable () -> Date

    func run() async throws {
        let folder = folder
        let files = PublishedFiles(folder.publishedURLs) { folder.publishedRecords() }
        let publishing = RecordPublishing(database: records, clock: clock)
        var failed = 0
        await files.follow { edition, resources in
            do {
                try await publishing.publish(resources)
                return true
            } catch {
                // It is retried; only the first failure is logged.
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
