extension DateTime: ExpressibleByStringLiteral {
    /// Creates the date or the date and time of a literal.
    ///
    /// ```swift
    /// patient.birthDate = "1990-05"
    /// ```
    /// A literal that is not a date in FHIR's format stops the program, as an index out of range does: it is an error of
    /// the source code. A text that is not known when the program is compiled goes to the failable initialiser,
    /// ``init(_:)``. Swift reads `DateTime("1990-05")` as this literal, too; `DateTime.init("1990-05")` calls the
    /// failable initialiser with a literal.
    ///
    /// - Precondition: the literal is a FHIR `date`, `dateTime` or `instant`.
    public init(stringLiteral text: String) {
        guard let value = DateTime(text) else { preconditionFailure("The literal is not a FHIR date.") }
        self = value
    }
}
