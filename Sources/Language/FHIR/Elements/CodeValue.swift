/// A code of a value set to which elements are bound (<https://hl7.org/fhir/R4/terminologies.html#required>).
///
/// A code that the value set does not have is kept as it was written, in the case `unrecognized`.
public protocol CodeValue: PrimitiveValue, RawRepresentable where RawValue == String {
    /// The code's case.
    init(rawValue: String)
}

extension CodeValue {
    /// The code that a JSON string has; nil for any other value.
    public init?(json: JSON) {
        guard case .string(let code) = json else { return nil }
        self.init(rawValue: code)
    }

    /// The code as a JSON string.
    public var json: JSON { .string(rawValue) }

    /// Whether two codes are written alike.
    @inlinable
    public static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }

    /// Hashes the code.
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}
