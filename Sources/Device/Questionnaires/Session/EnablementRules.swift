/// Rules for the evaluation of conditions for which implementations differ.
public struct EnablementRules: Sendable, Hashable {
    /// Whether `!=` requires an answer. According to the specification no answer must equal the value, so that a
    /// question without an answer fulfils the condition. Some implementations require an answer that differs.
    public var notEqualNeedsAnswer: Bool

    /// Creates rules. The default is that of the specification.
    public init(notEqualNeedsAnswer: Bool = false) { self.notEqualNeedsAnswer = notEqualNeedsAnswer }
}
