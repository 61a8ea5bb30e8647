import FHIR

/// A finding about a study's folder.
package struct StudyFinding: Sendable, Hashable {
    /// The severity of a finding.
    package enum Severity: String, Sendable, Comparable, CaseIterable {
        /// Information about the study, or about parts that were not checked.
        case information
        /// A possible problem.
        case warning
        /// An error. No server starts with it.
        case error

        package static func < (left: Severity, right: Severity) -> Bool { left.rank < right.rank }

        private var rank: Int { Severity.allCases.firstIndex(of: self) ?? 0 }
    }

    /// The file, by its path in the study's folder.
    package let file: String
    /// The location in the file: a FHIRPath, a linkId or a member; empty for the whole file.
    package let path: String
    package let severity: Severity
    /// The stable code.
    package let code: String
    /// A sentence on what to do.
    package let message: String

    package init(
        _ severity: Severity, code: String, file: String, path: String = "", message: String
    ) {
        self.file = file
        self.path = path
        self.severity = severity
        self.code = code
        self.message = message
    }

    /// The finding in the output of `study check`.
    package var json: JSON {
        [
            "file": .string(file), "place": .string(path), "severity": .string(severity.rawValue),
            "code": .string(code), "message": .string(message),
        ]
    }
}
