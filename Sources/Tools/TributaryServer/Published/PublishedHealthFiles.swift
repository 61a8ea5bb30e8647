import FHIR
import Foundation
import HealthTypes

/// The files with which phones find out which health data the study follows, as bytes. For an invalid file, the last
/// valid bytes are used.
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
