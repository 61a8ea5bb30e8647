/// The conditions of a form with the questions that they refer to.
struct EnablementGraph: Sendable {
    /// A condition with its question.
    struct Source: Sendable {
        let condition: EnableCondition
        /// The item of the linkId, even if a condition cannot use it.
        let named: FormItem?
        /// The question whose answers decide; nil if the condition refers to an unknown item, to its own item, or to an
        /// item inside of it.
        let target: FormItem?
        /// Number of common ancestors: below these, only the same instance is used.
        let sharedDepth: Int
    }

    /// The conditions of each item, by its index.
    let sources: [[Source]]

    init(_ all: [FormItem], _ indexes: [String: Int]) {
        sources = all.map { item in
            item.conditions.map { condition in
                let named = indexes[condition.question].map { all[$0] }
                let isUsable = named.map { $0 !== item && !$0.ancestors.contains(item.index) } ?? false
                let target = isUsable ? named : nil
                let shared = zip(item.ancestors, target?.ancestors ?? []).prefix { $0 == $1 }.count
                return Source(
                    condition: named.map { condition.measured(by: $0) } ?? condition, named: named, target: target,
                    sharedDepth: shared)
            }
        }
    }
}
