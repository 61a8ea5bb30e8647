import FHIR
import Foundation
import HealthTypes

/// What phones fetch to know which health data the study follows: the files' bytes. Of a file that is at fault the last good
/// bytes stand.
struct PublishedHealthFiles: Sendable {
    private let files: [String: Data]

    init(_ folder: StudyFolder, last: PublishedHealthFiles?) {
        var files: [String: Data] = [:]
        func publish(_ url: URL, check: () throws -> Void) {
            let name = url.lastPathComponent
            guard let bytes = FileManager.default.contents(atPath: url.path) else { return }
            files[name] = (try? check()) != nil ? bytes : last?.files[name]
        }
        publish(folder.healthTypesURL) { _ = try folder.healthConcepts() }
        publish(folder.healthSyncURL) { _ = try folder.healthSync() }
        self.files = files
    }

    func file(_ name: String) -> Data? { files[name] }
}
