import Core

/// A compiled JSONPath in the dialect of Json.NET 12 (<https://www.newtonsoft.com/json/help/html/SelectToken.htm>), in
/// which device mapping templates are written: immutable, compiled once and evaluated many times, from any thread.
///
/// ```swift
/// let readings = try JSONPath("$..[?(@heartRate && @unit == 'bpm')]")
/// let found = try readings.evaluate(on: message)
/// ```
///
/// Differences to RFC 9535: a filter after `..` tests every value, including the document itself, and so does a filter
/// that follows it; `&&` and `||` have the same precedence and group from the right; `@name` is `@.name`; `[?(...)]` on
/// an object tests its members, which are not values; an ordering comparison of values without a common order is an
/// error; a negative index is also an error. Numbers are compared exactly, whatever their digits.
///
/// A pattern of `=~` is matched in time linear in the text, for every supported pattern. Patterns that need
/// backtracking (`(?=`, `(?!`, `(?<=`, `(?<!`, `(?>`, `\1`) are refused with the code `unsupported-pattern`.
public struct JSONPath: Sendable, CustomStringConvertible {
    /// The text as written.
    public let source: String
    /// Limits of each evaluation.
    public let limits: QueryLimits

    let route: JSONPathRoute

    /// Compiles a path.
    ///
    /// - Throws: ``JSONPathError``: syntax, or a path beyond the limits.
    public init(_ source: String, limits: QueryLimits = QueryLimits()) throws(JSONPathError) {
        guard source.utf8.count <= limits.maximumLength else { throw JSONPathError(.length, limits) }
        var parser = JSONPathParser(source, limits)
        route = try parser.document()
        self.source = source
        self.limits = limits
    }

    public var description: String { source }

    /// Returns the values that the path finds in a document, in order. A value that is found several times is returned
    /// several times.
    ///
    /// - Throws: ``JSONPathError``: a filter or an index that fails on the document, or an evaluation beyond the
    ///   limits.
    public func evaluate(on document: JSON) throws(JSONPathError) -> [JSON] {
        let evaluator = JSONPathEvaluator(document, limits)
        return try evaluator.values(of: route)
    }
}
