import FHIR

/// The reason why a consent cannot be read from Markdown, or not be written as Markdown. It has a position in the file.
public struct ConsentMarkdownError: CodedError, Hashable {
    /// The kinds of these errors; the raw values are the stable codes.
    public enum Kind: String, Sendable, CaseIterable {
        /// The file exceeds a bound: bytes, lines, sections, questions.
        case tooLarge = "consent-file-too-large"
        /// The file is not UTF-8, or contains control characters.
        case notText = "consent-file-not-text"
        /// The front matter is missing, or not in the supported part of YAML.
        case frontMatter = "consent-front-matter-invalid"
        /// A member of the front matter has an unknown name.
        case memberUnknown = "consent-member-unknown"
        /// A member of the front matter, or a value in it, occurs twice.
        case memberRepeated = "consent-member-repeated"
        /// A required member of the front matter is missing.
        case memberMissing = "consent-member-missing"
        /// A member of the front matter has an invalid value.
        case memberInvalid = "consent-member-invalid"
        /// The heading of a section is invalid, or text precedes the first section.
        case section = "consent-section-invalid"
        /// Two sections have the same type and the same title.
        case sectionRepeated = "consent-section-repeated"
        /// There is no section.
        case noSections = "consent-has-no-sections"
        /// The text uses a part of Markdown that is not supported.
        case markdown = "consent-markdown-unsupported"
        /// A Contract has content that no Markdown file gives again.
        case notRepresentable = "consent-not-representable"
    }

    /// The kind of the error.
    public let kind: Kind
    /// The line in the file, counted from 1; 0 if the error has no position.
    public let line: Int
    /// The column in the line, in Unicode scalars, counted from 1; 0 if the error has no position.
    public let column: Int
    private let problem: String

    init(_ kind: Kind, _ problem: String, at position: MarkdownPosition? = nil) {
        self.kind = kind
        self.problem = problem
        line = position?.line ?? 0
        column = position?.column ?? 0
    }

    /// The stable code.
    public var code: String { kind.rawValue }

    /// A sentence with the position and the remedy.
    public var message: String { line > 0 ? "Line \(line), column \(column): \(problem)" : problem }
}

/// A position in a Markdown file.
struct MarkdownPosition: Sendable, Hashable {
    /// The line, counted from 1.
    let line: Int
    /// The column in Unicode scalars, counted from 1.
    let column: Int
}
