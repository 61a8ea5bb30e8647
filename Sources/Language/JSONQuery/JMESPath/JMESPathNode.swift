import Core

/// A part of an expression, as the grammar of JMESPath has them.
indirect enum JMESPathNode: Sendable {
    /// How two values are compared.
    enum Comparison: Sendable { case equal, different, less, lessOrEqual, greater, greaterOrEqual }

    /// `@`
    case current
    /// A text between back quotes or apostrophes.
    case literal(JSON)
    /// A name.
    case field(WantedName)
    /// Parts behind each other, each on what the one before it found.
    case chain([JMESPathNode])
    /// `[0]`
    case index(Int)
    /// `[0:3:1]`
    case slice(start: Int?, stop: Int?, step: Int)
    /// `[]`: the arrays in an array become part of it.
    case flatten(JMESPathNode)
    /// The right part on each element of the array that the left one finds.
    case projection(JMESPathNode, JMESPathNode)
    /// The right part on each member's value of the object that the left one finds.
    case valueProjection(JMESPathNode, JMESPathNode)
    /// The right part on each element for which the condition is true.
    case filterProjection(JMESPathNode, JMESPathNode, condition: JMESPathNode)
    /// `[a, b]`
    case list([JMESPathNode])
    /// `{a: b}`, and whether a name stands there twice: then the last counts.
    case hash([Entry], isRepeating: Bool)
    /// The first part that is true, or the last.
    case or([JMESPathNode])
    /// The first part that is not true, or the last.
    case and([JMESPathNode])
    case not(JMESPathNode)
    case comparison(Comparison, JMESPathNode, JMESPathNode)
    case call(JMESPathFunction, [JMESPathNode])
    /// `&name`: a part that the function evaluates itself.
    case reference(JMESPathNode)

    /// A name of a new object and what stands under it.
    struct Entry: Sendable {
        let name: String
        let value: JMESPathNode
    }

    /// The node, and behind it another one on what it finds.
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
