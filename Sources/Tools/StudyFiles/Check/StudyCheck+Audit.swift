import Foundation

extension StudyCheck {
    /// Returns the finding that other accounts may open the folder with the heads of the audit.
    func auditFindings() -> [StudyFinding] {
        let attributes = try? FileManager.default.attributesOfItem(atPath: folder.auditAnchorsURL.path)
        guard let mode = (attributes?[.posixPermissions] as? NSNumber)?.intValue, mode & 0o077 != 0 else { return [] }
        return [
            StudyFinding(
                .error, code: "audit-anchors-open", file: "audit-anchors/",
                message: "It has the heads of the audit, and accounts other than its owner may open it. Make it 0700.")
        ]
    }
}
