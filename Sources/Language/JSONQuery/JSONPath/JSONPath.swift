import Core

/// A compiled JSONPath as Json.NET 12 reads it (<https://www.newtonsoft.com/json/help/html/SelectToken.htm>), which is what
/// device mapping templates are written in: immutable, compiled once and evaluated many times, from any thread.
///
/// ```swift
/// let readings = try JSONPath("$..[?(@heartRate && @unit == 'bpm')]")
/// let found = try readings.evaluate(on: message)
/// ```
///
/// What differs from RFC 9535: a filter behind `..` tests every value, the document itself and a filter that follows it
/// included; `&&` and `||` have the same strength and group from the right; `@name` is `@.name`; `[?(...)]` on an object
/// tests its members, which are no values; a comparison by size of what cannot be compared is an error; an index of less than
/// zero is one, too. Numbers are compared exactly, whatever their digits.
///
/// A pattern of `=~` is matched in time linear in the text, for every pattern that is taken: what needs backtracking
/// (`(?=`, `(?!`, `(?<=`, `(?<!`, `(?>`, `\1`) is refused with the code `unsupported-pattern`.
public struct JSONPath: Sendable, CustomStringConvertible {
    /// The text as written.
    public let source: String
    /// The bounds of each evaluation.
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

    /// The values that the path finds in a document, in order; one that is found several times stands there several times.
    ///
    /// - Throws: ``JSONPathError``: a filter or an index that fails on the document, or an evaluation beyond the limits.
    public func evaluate(on document: JSON) throws(JSONPathError) -> [JSON] {
        let evaluator = JSONPathEvaluator(document, limits)
        return try evaluator.values(of: route)
    }
}
