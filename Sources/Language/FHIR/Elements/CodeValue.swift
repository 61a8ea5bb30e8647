/// A code of a value set to which elements are bound (<https://hl7.org/fhir/R4/terminologies.html#required>).
///
/// A code outside of the value set is kept as it was written, in the case `unrecognized`.
public protocol CodeValue: PrimitiveValue, RawRepresentable where RawValue == String {
    /// Creates the case of a code.
    init(rawValue: String)
}

extension CodeValue {
    /// Creates the code of a JSON string; nil for any other value.
    public init?(json: JSON) {
        guard case .string(let code) = json else { return nil }
        self.init(rawValue: code)
    }

    /// The code as a JSON string.
    public var json: JSON { .string(rawValue) }

    /// Whether the texts of two codes are equal.
    @inlinable
    public static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }

    /// Hashes the code.
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}
