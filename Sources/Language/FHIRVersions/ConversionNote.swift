/// A part of a resource that a conversion could not keep unchanged. A note contains paths and never values of the
/// resource.
public struct ConversionNote: Sendable, Hashable, CustomStringConvertible {
    /// Kind of note.
    public enum Kind: String, Sendable, CaseIterable {
        /// R4 has no such element: its value is in the official cross-version extension.
        case keptInExtension = "kept-in-extension"
        /// Neither R4 nor the older release has such an element: the value is not in the result.
        case leftOut = "left-out"
        /// R4 requires an element that the older release did not have: it was supplied by a rule.
        case supplied
        /// The value is changed: to R4's code, completed with a time zone, or to the name of an element.
        case changed
        /// The values are the same at another path.
        case moved
        /// The part is not converted and is unchanged in the result.
        case untouched
    }

    /// The kind of note.
    public let kind: Kind
    /// The element in the older release, such as `Contract.signer.signature`.
    public let path: String
    /// Details; empty if kind and path are sufficient.
    public let detail: String
    /// The location in the given resource: the names of JSON members with indices, such as
    /// `Contract.signer[0].signature`.
    public let location: String

    /// Creates a note; the location is the path by default.
    public init(_ kind: Kind, path: String, detail: String = "", location: String? = nil) {
        self.kind = kind
        self.path = path
        self.detail = detail
        self.location = location ?? path
    }

    public var description: String { "\(kind.rawValue): \(path)" + (detail.isEmpty ? "" : " (\(detail))") }

    /// The note as a sentence for people.
    public var sentence: String {
        let event =
            switch kind {
            case .keptInExtension: "is kept in a cross-version extension"
            case .leftOut: "is left out"
            case .supplied: "is supplied"
            case .changed: "is changed"
            case .moved: "is at another path"
            case .untouched: "is kept as it is"
            }
        return "\(location) \(event)" + (detail.isEmpty ? "." : ": \(detail).")
    }
}
