import FHIR
import FHIRVersions
import Foundation

extension StudyCheck {
    /// Returns findings about a file whose name contains another release of FHIR than its content, or an unsupported
    /// one.
    func releaseFindings(of file: File) -> [StudyFinding] {
        let stem = file.published.file.deletingPathExtension().lastPathComponent
        guard let dot = stem.lastIndex(of: ".") else { return [] }
        let label = stem[stem.index(after: dot)...].lowercased()
        guard let release = FHIRVersion(rawValue: label) else {
            guard label.wholeMatch(of: /(dstu|stu|r)[0-9]/) != nil else { return [] }
            return [
                StudyFinding(
                    .error, code: "release-unknown", file: file.name,
                    message: "Its name says a release of FHIR that is not read; use dstu2, stu3 or r4.")
            ]
        }
        guard release == file.published.release else {
            return [
                StudyFinding(
                    .warning, code: "release-differs", file: file.name,
                    message:
                        "Its name says \(label), and it is written in FHIR \(file.published.release.number), as which it counts."
                )
            ]
        }
        return []
    }
}
