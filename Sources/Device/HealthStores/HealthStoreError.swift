import Core

/// An error of the stores. The message holds no health data.
public struct HealthStoreError: CodedError, Hashable {
    /// The kinds; the raw value is the stable code.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// The file holds something else than resources.
        case fileForeign = "health-file-foreign"
    }

    /// The kind.
    public let reason: Reason

    /// Makes an error of a kind.
    public init(_ reason: Reason) { self.reason = reason }

    /// The stable code.
    public var code: String { reason.rawValue }

    /// A sentence that a person can act on.
    public var message: String {
        switch reason {
        case .fileForeign: "The file holds lines that are no FHIR resources; name another one, which is made."
        }
    }
}
