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

    private static let interval = Duration.seconds(1)

    func run() async throws {
        let folder = folder
        let files = PublishedFiles(folder.publishedPlaces) { folder.publishedRecords() }
        let publishing = RecordPublishing(database: records, clock: clock)
        var known = 0
        var failed = 0
        while !_Concurrency.Task.isShuttingDownGracefully, !_Concurrency.Task.isCancelled {
            if let present = await files.value(otherThan: known) {
                do {
                    try await publishing.publish(present.value)
                    known = present.edition
                } catch {
                    // It is tried again; one line says so.
                    if failed != present.edition {
                        logger.error(
                            "published resources not recorded",
                            metadata: ["code": "\((error as? any CodedError)?.code ?? "failed")"])
                    }
                    failed = present.edition
                }
            }
            await cancelWhenGracefulShutdown { try? await _Concurrency.Task.sleep(for: Self.interval) }
        }
    }
}
