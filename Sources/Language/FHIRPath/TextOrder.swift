/// The order of texts (<https://hl7.org/fhirpath/N1/#comparison>).
package enum TextOrder {
    /// Returns -1, 0 or 1, by the Unicode values of the characters. Canonically equivalent texts have the same rank.
    package static func compare(_ left: String, with right: String) -> Int {
        left == right ? 0 : left.unicodeScalars.lexicographicallyPrecedes(right.unicodeScalars) ? -1 : 1
    }
}
