import Core

/// A compiled JMESPath expression (<https://jmespath.org/specification.html>): immutable, compiled once and evaluated many
/// times, from any thread.
///
/// ```swift
/// let systolic = try JMESPath("readings[?unit == 'mmHg'].systolic")
/// let found = try systolic.evaluate(on: message)
/// ```
///
/// All functions of the specification are there, and those that device mapping templates use beside them: `add`,
/// `subtract`, `multiply`, `divide`, `pow`, `insertString`, `fromUnixTimestamp` and `fromUnixTimestampMs`
/// (<https://github.com/microsoft/iomt-fhir/blob/main/docs/CustomFunctions.md>). Numbers keep the digits they were written
/// with; they are compared and computed with exactly.
public struct JMESPath: Sendable, CustomStringConvertible {
    /// The text as written.
    public let source: String
    /// The bounds of each evaluation.
    public let limits: QueryLimits

    let node: JMESPathNode
    private let mayRepeatValues: Bool

    /// Compiles an expression.
    ///
    /// - Throws: ``JMESPathError``: syntax, an unknown function, a wrong number of arguments, a slice's step of zero, or an
    ///   expression beyond the limits.
    public init(_ source: String, limits: QueryLimits = QueryLimits()) throws(JMESPathError) {
        guard source.utf8.count <= limits.maximumLength else { throw JMESPathError(.length, limits) }
        var parser = JMESPathParser(tokens: try JMESPathLexer.tokens(of: source), limits: limits)
        node = try parser.document()
        mayRepeatValues = parser.mayRepeatValues
        self.source = source
        self.limits = limits
    }

    public var description: String { source }

    /// The value that the expression has on a document; JSON's `null` where it finds nothing.
    ///
    /// - Throws: ``JMESPathError``: a function that is given what it does not take, arithmetic that has no result, or an
    ///   evaluation beyond the limits.
    public func evaluate(on document: JSON) throws(JMESPathError) -> JSON {
        var evaluator = JMESPathEvaluator(limits)
        let result = try evaluator.value(of: node, document)
        if mayRepeatValues { try evaluator.checkSize(of: result) }
        return result
    }
}
