import Core
import Foundation
import Logging
import ServiceLifecycle
import Storage
import StudyFiles
import StudyOperations

/// Adds the concepts of forms and types that are published while the study is served, so that they are in the ontology
/// before the first answers arrive.
struct OntologyKeeping: Service {
    let folder: StudyFolder
    let records: any SQLDatabase
    let logger: Logger
    let clock: @Sendable () -> Date

    func run() async throws {
        let folder = folder
        let files = PublishedFiles(StudyOntology.urls(of: folder)) { Result { try StudyOntology(folder) } }
        await files.follow { _, ontology in
            do {
                // The start has already written the concepts that existed then.
                try await ontology.get().write(to: records, now: clock())
            } catch is CancellationError {
                return false
            } catch {
                // The next change of a file, or the next start, writes it.
                logger.error(
                    "ontology not written", metadata: ["code": "\((error as? any CodedError)?.code ?? "failed")"])
            }
            return true
        }
    }
}
