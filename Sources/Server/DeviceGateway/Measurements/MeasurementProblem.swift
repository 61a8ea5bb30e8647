import Core

/// The reason that an event gives no measurement, or a measurement no Observation. It repeats no content.
package struct MeasurementProblem: CodedError, Hashable {
    /// Stable: `device-missing`, `timestamp-missing`, `timestamp-invalid`, `value-missing`, `value-not-simple`,
    /// `value-not-a-number`, `expression-ambiguous`, `correlation-missing`, `template-missing`,
    /// `too-many-measurements`, and those of expressions.
    package let code: String
    /// A sentence that a person can act on.
    package let message: String

    init(_ code: String, _ message: String) {
        self.code = code
        self.message = message
    }
}
