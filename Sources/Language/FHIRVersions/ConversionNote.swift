/// What a conversion could not carry over one to one. A note names places and never shows values.
public struct ConversionNote: Sendable, Hashable, CustomStringConvertible {
    /// What happened at the place.
    public enum Kind: String, Sendable {
        /// R4 has no such element: its value stands in the official cross-version extension.
        case keptInExtension = "kept-in-extension"
        /// Neither R4 nor the older release has a place for it: the value is not in the result.
        case leftOut = "left-out"
        /// R4 requires an element that the older release did not have: it was supplied by a rule.
        case supplied
        /// The value is written otherwise, and something of its form is gone: an assumed time zone, a lost hierarchy.
        case changed
    }

    public let kind: Kind
    /// The element in the older release, such as `Contract.signer.signature`.
    public let path: String
    /// More about it; empty where kind and path say all.
    public let detail: String

    public init(_ kind: Kind, _ path: String, _ detail: String = "") {
        self.kind = kind
        self.path = path
        self.detail = detail
    }

    public var description: String { "\(kind.rawValue): \(path)" + (detail.isEmpty ? "" : " (\(detail))") }
}
