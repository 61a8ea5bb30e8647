import Core

/// A compiled JMESPath expression (<https://jmespath.org/specification.html>): immutable, compiled once and evaluated
/// many times, from any thread.
///
/// ```swift
/// let systolic = try JMESPath("readings[?unit == 'mmHg'].systolic")
/// let found = try systolic.evaluate(on: message)
/// ```
///
/// All functions of the specification are supported, and those of device mapping templates: `add`, `subtract`,
/// `multiply`, `divide`, `pow`, `insertString`, `fromUnixTimestamp` and `fromUnixTimestampMs`
/// (<https://github.com/microsoft/iomt-fhir/blob/main/docs/CustomFunctions.md>). Numbers keep their digits as written;
/// comparisons and calculations are exact.
public struct JMESPath: Sendable, CustomStringConvertible {
    /// The text as written.
    public let source: String
    /// Limits of each evaluation.
    public let limits: QueryLimits

    let node: JMESPathNode
    private let mayRepeatValues: Bool

    /// Compiles an expression.
    ///
    /// - Throws: ``JMESPathError``: syntax, an unknown function, a wrong number of arguments, a slice with a step of
    ///   zero, or an expression beyond the limits.
    public init(_ source: String, limits: QueryLimits = QueryLimits()) throws(JMESPathError) {
        guard source.utf8.count <= limits.maximumLength else { throw JMESPathError(.length, limits) }
        var parser = JMESPathParser(tokens: try JMESPathLexer.tokens(of: source), limits: limits)
        node = try parser.document()
        mayRepeatValues = parser.mayRepeatValues
        self.source = source
        self.limits = limits
    }

    public var description: String { source }

    /// Evaluates the expression on a document. Returns JSON's `null` if it finds nothing.
    ///
    /// - Throws: ``JMESPathError``: an argument of the wrong type, arithmetic without a result, or an evaluation beyond
    ///   the limits.
    public func evaluate(on document: JSON) throws(JMESPathError) -> JSON {
        var evaluator = JMESPathEvaluator(limits)
        let result = try evaluator.value(of: node, document)
        if mayRepeatValues { try evaluator.checkSize(of: result) }
        return result
    }
}
