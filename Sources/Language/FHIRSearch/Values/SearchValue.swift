/// A value of a search parameter in an element (<https://hl7.org/fhir/R4/search.html#ptypes>).
package enum SearchValue: Sendable, Hashable {
    case token(SearchToken)
    case string(SearchString)
    case date(SearchPeriod)
    // Boxed, because they would make every value several times as large.
    indirect case number(SearchNumber)
    indirect case quantity(SearchQuantity)
    indirect case reference(SearchReference)
    case uri(String)
    /// One value of each component, all from one element (<https://hl7.org/fhir/R4/search.html#composite>).
    case composite([SearchValue])
}
