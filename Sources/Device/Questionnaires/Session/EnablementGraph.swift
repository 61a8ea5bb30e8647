/// The dependencies of items' enablement on other items' answers, computed once for a form.
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
    /// The items in an order in which each follows all items that its enablement depends on.
    let order: [Int]
    /// Items that depend on themselves through others; they are at the end of the order, in the form's order.
    let circular: [Int]

    init(_ all: [FormItem], _ indexes: [String: Int]) {
        let sources = all.map { item in
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
        // Kahn's algorithm: an item depends on its parent and on the questions of its conditions.
        var waiting = [Int](repeating: 0, count: all.count)
        var followers = [[Int]](repeating: [], count: all.count)
        for item in all {
            let needs = Set([item.ancestors.last].compactMap { $0 } + sources[item.index].compactMap(\.target?.index))
            waiting[item.index] = needs.count
            for need in needs { followers[need].append(item.index) }
        }
        var order = all.indices.filter { waiting[$0] == 0 }
        var next = 0
        while next < order.count {
            for follower in followers[order[next]] {
                waiting[follower] -= 1
                if waiting[follower] == 0 { order.append(follower) }
            }
            next += 1
        }
        let rest = all.indices.filter { waiting[$0] > 0 }
        self.sources = sources
        self.order = order + rest
        circular = rest
    }
}
