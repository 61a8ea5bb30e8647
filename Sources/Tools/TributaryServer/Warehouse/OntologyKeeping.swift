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

    func run() async throws {
        let folder = folder
        let files = PublishedFiles(StudyOntology.places(of: folder)) { Result { try StudyOntology(folder) } }
        await files.follow { _, ontology in
            do {
                // The start wrote what was there then.
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
