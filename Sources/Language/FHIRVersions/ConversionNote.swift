/// A part of a resource that a conversion could not carry over one to one. A note names places and never shows values
/// of the resource.
public struct ConversionNote: Sendable, Hashable, CustomStringConvertible {
    /// The kinds of notes.
    public enum Kind: String, Sendable, CaseIterable {
        /// R4 has no such element: its value stands in the official cross-version extension.
        case keptInExtension = "kept-in-extension"
        /// Neither R4 nor the older release has a place for it: the value is not in the result.
        case leftOut = "left-out"
        /// R4 requires an element that the older release did not have: it was supplied by a rule.
        case supplied
        /// The value is written otherwise: under the code that R4 has for it, with a time zone, as the name of an
        /// element.
        case changed
        /// The values are the same and stand elsewhere.
        case moved
        /// The part is not converted and stands in the result as it came.
        case untouched
    }

    /// The kind of note.
    public let kind: Kind
    /// The element in the older release, such as `Contract.signer.signature`.
    public let path: String
    /// More about it; empty where kind and path say all.
    public let detail: String
    /// Where it stands in the resource that was given: the names of JSON's members with indexes, such as
    /// `Contract.signer[0].signature`.
    public let place: String

    /// Makes a note; the place is the path unless given.
    public init(_ kind: Kind, _ path: String, _ detail: String = "", place: String? = nil) {
        self.kind = kind
        self.path = path
        self.detail = detail
        self.place = place ?? path
    }

    public var description: String { "\(kind.rawValue): \(path)" + (detail.isEmpty ? "" : " (\(detail))") }

    /// The note as a sentence for a person.
    public var sentence: String {
        let event =
            switch kind {
            case .keptInExtension: "is kept in a cross-version extension"
            case .leftOut: "is left out"
            case .supplied: "is supplied"
            case .changed: "is written otherwise"
            case .moved: "stands elsewhere"
            case .untouched: "is kept as it is"
            }
        return "\(place) \(event)" + (detail.isEmpty ? "." : ": \(detail).")
    }
}
