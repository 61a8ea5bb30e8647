import FHIR
import Foundation
import HealthTypes

/// The files with which phones find out which health data the study follows, as bytes. For an invalid file, the last
/// valid bytes are used.
package struct PublishedHealthFiles: Sendable {
    private let files: [String: Data]

    /// - Parameter last: the files read before, whose bytes replace those of an invalid file.
    package init(_ folder: StudyFolder, last: PublishedHealthFiles?) {
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

    /// Returns the bytes of a file; nil if there is none.
    package func file(_ name: String) -> Data? { files[name] }
}
