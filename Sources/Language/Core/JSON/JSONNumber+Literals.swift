extension JSONNumber: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
    /// Creates the number of an integer literal.
    ///
    /// ```swift
    /// let dose: JSONNumber = 3
    /// ```
    public init(integerLiteral value: Int) { self.init(value) }

    /// Creates the number of a literal with a fraction, with the shortest digits that represent it as a `Double`.
    ///
    /// ```swift
    /// let dose: JSONNumber = 2.5
    /// ```
    /// Swift does not keep the digits of a literal: `7.50` gives `7.5`, and `2.0` gives `2`. Where trailing zeros express
    /// precision, use `JSONNumber(text: "7.50")`.
    ///
    /// - Precondition: the literal is in the range of `Double`.
    public init(floatLiteral value: Double) {
        let text = value.description
        guard let number = JSONNumber(text: text.hasSuffix(".0") ? String(text.dropLast(2)) : text) else {
            preconditionFailure("The literal is out of the range of Double.")
        }
        self = number
    }
}
