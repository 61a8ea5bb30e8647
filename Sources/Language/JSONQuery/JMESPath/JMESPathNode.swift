import Core

/// A node of an expression, according to JMESPath's grammar.
indirect enum JMESPathNode: Sendable {
    /// Operator of a comparison.
    enum Comparison: Sendable { case equal, different, less, lessOrEqual, greater, greaterOrEqual }

    /// `@`
    case current
    /// A literal in back quotes or apostrophes.
    case literal(JSON)
    /// A name.
    case field(WantedName)
    /// A sequence of nodes, each evaluated on the result of the previous one.
    case chain([JMESPathNode])
    /// `[0]`
    case index(Int)
    /// `[0:3:1]`
    case slice(start: Int?, stop: Int?, step: Int)
    /// `[]`: replaces the arrays in an array by their elements.
    case flatten(JMESPathNode)
    /// Evaluates the right node on each element of the array that the left node returns.
    case projection(JMESPathNode, JMESPathNode)
    /// Evaluates the right node on each member's value of the object that the left node returns.
    case valueProjection(JMESPathNode, JMESPathNode)
    /// Evaluates the right node on each element that satisfies the condition.
    case filterProjection(JMESPathNode, JMESPathNode, condition: JMESPathNode)
    /// `[a, b]`
    case list([JMESPathNode])
    /// `{a: b}`, and whether a name occurs twice; the last one is then used.
    case hash([Entry], isRepeating: Bool)
    /// The first value that is true, or the last value.
    case or([JMESPathNode])
    /// The first value that is not true, or the last value.
    case and([JMESPathNode])
    case not(JMESPathNode)
    case comparison(Comparison, JMESPathNode, JMESPathNode)
    case call(JMESPathFunction, [JMESPathNode])
    /// `&name`: an expression that the function evaluates itself.
    case reference(JMESPathNode)

    /// A name of a new object and its value.
    struct Entry: Sendable {
        let name: String
        let value: JMESPathNode
    }

    /// Returns a node that evaluates another node on the result of this one.
    func followed(by next: JMESPathNode) -> JMESPathNode {
        switch (self, next) {
        case (.current, _): next
        case (_, .current): self
        case (.chain(let parts), .chain(let more)): .chain(parts + more)
        case (.chain(let parts), _): .chain(parts + [next])
        case (_, .chain(let more)): .chain([self] + more)
        default: .chain([self, next])
        }
    }
}
