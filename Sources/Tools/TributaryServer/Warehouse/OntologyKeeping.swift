import Core
import Foundation
import Logging
import ServiceLifecycle
import Storage

/// Writes the concepts of forms and types that are added while the study is served: what is published is in the ontology
/// before anybody answers it.
struct OntologyKeeping: Service {
    let folder: StudyFolder
    let records: any SQLDatabase
    let logger: Logger
    let clock: @Sendable () -> Date

    private static let interval = Duration.seconds(1)

    func run() async throws {
        let folder = folder
        let files = PublishedFiles(StudyOntology.places(of: folder)) { Result { try StudyOntology(folder) } }
        var known = 0
        while !_Concurrency.Task.isShuttingDownGracefully, !_Concurrency.Task.isCancelled {
            if let present = await files.value(otherThan: known) {
                do {
                    let ontology = try present.value.get()
                    // The start wrote what was there then.
                    try await ontology.write(to: records, now: clock())
                } catch {
                    // The next change of a file, or the next start, writes it.
                    logger.error(
                        "ontology not written", metadata: ["code": "\((error as? any CodedError)?.code ?? "failed")"])
                }
                known = present.edition
            }
            await cancelWhenGracefulShutdown { try? await _Concurrency.Task.sleep(for: Self.interval) }
        }
    }
}
