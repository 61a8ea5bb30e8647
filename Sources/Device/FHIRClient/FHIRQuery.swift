import Core

/// The parameters of a search, in order (<https://hl7.org/fhir/R4/search.html>). A name may occur several times.
///
/// ```swift
/// var query: FHIRQuery = ["patient": "p1", "date": "ge2026-01-01", "_sort": "-date"]
/// query.add("date", value: "lt2026-02-01")
/// ```
/// Values are percent-encoded here. `,`, `|` and `$` keep their meaning in FHIR; write `\,` for a comma in a value.
public struct FHIRQuery: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    /// The parameters joined by `&`, percent-encoded.
    public private(set) var text: String

    /// Creates a query without parameters.
    ///
    /// ```swift
    /// var query = FHIRQuery()
    /// ```
    public init() { text = "" }

    /// Creates a query with the parameters of a literal, in their order.
    ///
    /// ```swift
    /// let query: FHIRQuery = ["patient": "p1", "_sort": "-date"]
    /// ```
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init()
        for (name, value) in elements { add(name, value: value) }
    }

    /// Adds a parameter.
    ///
    /// ```swift
    /// query.add("code:in", value: valueSet)
    /// ```
    public mutating func add(_ name: String, value: String) {
        if !text.isEmpty { text += "&" }
        text += PercentEncoding.encode(name) + "=" + PercentEncoding.encode(value)
    }
}
