import Core

/// An error of the stores. The message holds no health data.
public struct HealthStoreError: CodedError, Hashable {
    /// The kinds; the raw value is the stable code.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// The file holds something else than resources.
        case fileForeign = "health-file-foreign"
        /// A FHIR server does not say now what it can.
        case serverUnavailable = "fhir-server-unavailable"
        /// The URL is none of a server.
        case serverInvalid = "fhir-server-invalid"
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
        case .serverUnavailable: "The FHIR server cannot answer now; what is left comes with the next run."
        case .serverInvalid: "The address is none of a FHIR server; it is https, or http on this machine."
        case .fileForeign: "The file holds lines that are no FHIR resources; name another one, which is made."
        }
    }
}
