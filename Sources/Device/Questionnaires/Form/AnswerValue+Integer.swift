import FHIR

extension AnswerValue {
    /// Returns a decimal with the digits of a whole number: `.decimal(8)`.
    ///
    /// ```swift
    /// session["night/hours"] = .decimal(8)
    /// ```
    public static func decimal(_ value: Int) -> AnswerValue { .decimal(JSONNumber(value)) }
}
