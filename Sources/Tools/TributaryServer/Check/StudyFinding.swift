import FHIR

/// Something that is to be known about a study's folder.
public struct StudyFinding: Sendable, Hashable {
    /// How grave it is.
    public enum Severity: String, Sendable, Comparable, CaseIterable {
        /// A note: what the study has, or what is not looked into.
        case information
        /// Something doubtful.
        case warning
        /// Something that would go wrong. No server begins with it.
        case error

        public static func < (left: Severity, right: Severity) -> Bool { left.rank < right.rank }

        private var rank: Int { Severity.allCases.firstIndex(of: self) ?? 0 }
    }

    /// The file, by its path in the study's folder.
    public let file: String
    /// The place in the file: a FHIRPath, a linkId or a member; empty for the file as a whole.
    public let place: String
    public let severity: Severity
    /// Stable.
    public let code: String
    /// A sentence that says what to do.
    public let message: String

    public init(
        _ severity: Severity, _ code: String, file: String, place: String = "", _ message: String
    ) {
        self.file = file
        self.place = place
        self.severity = severity
        self.code = code
        self.message = message
    }

    /// The finding as `study check` prints it.
    public var json: JSON {
        [
            "file": .string(file), "place": .string(place), "severity": .string(severity.rawValue),
            "code": .string(code), "message": .string(message),
        ]
    }
}
