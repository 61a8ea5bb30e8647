import Foundation
import Storage

/// Writes the private files of a study by ``Storage/DurableFile``, with an error for the operator.
package enum PrivateFile {
    /// - Throws: ``StudyKeyError`` `file-unwritable`; then the old file is unchanged, if there was one.
    package static func write(_ data: Data, to url: URL, permissions: mode_t) throws {
        do {
            try DurableFile.write(data, to: url, permissions: permissions)
        } catch {
            throw StudyKeyError(
                code: "file-unwritable",
                message:
                    "The account \(FileAccess.account) cannot write the file \(error.path); see its folder's owner and mode."
            )
        }
        try? DurableFile.synchronize(url.deletingLastPathComponent())
    }
}
