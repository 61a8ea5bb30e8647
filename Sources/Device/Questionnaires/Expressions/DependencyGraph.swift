import FHIR

/// The computations that a change of an item's answers affects, and an order in which each computation follows those
/// that it reads. Computed once for a form.
struct DependencyGraph: Sendable {
    /// The kind of a computation.
    enum Kind: Sendable, Hashable {
        /// The enablement, initial values and calculated answers of an item.
        case value
        /// The problems of an item: its options, limits and rules can depend on other answers.
        case check
        /// The variable of an expression.
        case variable
    }

    /// A computation that reads answers of an item.
    struct Dependent: Sendable, Hashable {
        let kind: Kind
        /// The index of the item, or of the variable's expression.
        let index: Int
        /// Number of common ancestors: below these, only the same instance is affected.
        let sharedDepth: Int
    }

    /// The computations that read an item or items inside of it, by its index; of variables only those that read it
    /// themselves.
    private(set) var dependents: [Int: [Dependent]] = [:]
    /// The items whose values read the whole response, in the form's order. They are computed after all others.
    private(set) var wholeValues: [Int] = []
    /// The items whose problems depend on the whole response.
    private(set) var wholeChecks: Set<Int> = []
    /// The variables that read the whole response themselves.
    private(set) var wholeVariables: Set<Int> = []
    /// Whether the value of an item is computed: it has conditions, or expressions.
    private(set) var isComputed: [Bool]
    /// The rank of an item in the order of computation.
    private(set) var ranks: [Int]
    /// The number of the circle of an item whose conditions depend on each other.
    private(set) var circles: [Int: Int] = [:]
    /// The items of each circle, in the form's order.
    private(set) var circleItems: [[Int]] = []
    /// Expressions that depend on themselves, with the linkIds of the cycle. They are not evaluated.
    private(set) var cyclic: [Int: [String]] = [:]

    /// The same computations as ``dependents``, while the graph is made.
    private var known: [Int: Set<Dependent>] = [:]

    /// An item that a computation of another item reads.
    private struct Read {
        let source: Int
        let target: Int
        /// The expression that reads it; nil for a condition.
        let expression: Int?
        /// Whether it does not read the items inside.
        let isShallow: Bool
        /// The vertex after which the computation follows.
        var vertex: Int { isShallow ? 2 * source : 2 * source + 1 }
    }

    init(items: [FormItem], conditions: EnablementGraph, program: FormProgram) {
        isComputed = items.map { item in
            !item.conditions.isEmpty
                || item.expressions.map {
                    $0.enablement != nil || $0.calculated != nil || $0.initial != nil || $0.population != nil
                } ?? false
        }
        ranks = Array(items.indices)
        var reads: [Read] = []
        var soft: [Read] = []
        let found = ExpressionSources(items: items, program: program)
        for item in items where !item.conditions.isEmpty {
            for source in conditions.sources[item.index] {
                guard let target = source.target else { continue }
                reads.append(Read(source: target.index, target: item.index, expression: nil, isShallow: true))
                add(Dependent(kind: .value, index: item.index, sharedDepth: source.sharedDepth), to: target.index)
            }
        }
        for item in items {
            guard let own = item.expressions else { continue }
            for expression in [own.enablement, own.calculated].compactMap({ $0 }) {
                let sources = found.sources(of: expression, at: item)
                for (source, depth, isShallow) in sources.items {
                    let read = Read(source: source, target: item.index, expression: expression, isShallow: isShallow)
                    reads.append(read)
                    add(Dependent(kind: .value, index: item.index, sharedDepth: depth), to: source)
                }
                if sources.isWhole, wholeValues.last != item.index { wholeValues.append(item.index) }
            }
            for expression in [own.initial, own.population?.expression].compactMap({ $0 }) {
                for (source, _, isShallow) in found.sources(of: expression, at: item).items {
                    let read = Read(source: source, target: item.index, expression: expression, isShallow: isShallow)
                    soft.append(read)
                }
            }
            let checks =
                [own.options, own.candidates, own.text, own.valueSet, own.minimum, own.maximum, own.calculated]
                .compactMap { $0 } + own.toggles.map(\.expression) + own.constraints.map(\.expression)
            for expression in checks {
                let sources = found.sources(of: expression, at: item)
                for (source, depth, _) in sources.items where source != item.index {
                    add(Dependent(kind: .check, index: item.index, sharedDepth: depth), to: source)
                }
                if sources.isWhole { wholeChecks.insert(item.index) }
            }
        }
        for index in program.entries.indices {
            let owner = program.entries[index].owner
            let sources = found.sources(of: index, at: owner.map { items[$0] }, isDirect: true)
            for (source, _, _) in sources.items {
                add(Dependent(kind: .variable, index: index, sharedDepth: 0), to: source)
            }
            if sources.isWhole { wholeVariables.insert(index) }
        }
        known = [:]
        guard !reads.isEmpty || !soft.isEmpty else { return }
        breakCycles(&reads, items: items)
        order(reads, soft: soft, items: items)
    }

    private mutating func add(_ dependent: Dependent, to source: Int) {
        if known[source, default: []].insert(dependent).inserted { dependents[source, default: []].append(dependent) }
    }

    // MARK: Order

    /// The vertices of an item are its begin, `2 * index`, and its end after all items inside, `2 * index + 1`.
    private static func edges(_ reads: [Read], items: [FormItem]) -> [[Int]] {
        var edges = [[Int]](repeating: [], count: 2 * items.count)
        for item in items {
            edges[2 * item.index].append(2 * item.index + 1)
            guard let parent = item.ancestors.last else { continue }
            edges[2 * parent].append(2 * item.index)
            edges[2 * item.index + 1].append(2 * parent + 1)
        }
        for read in reads { edges[read.vertex].append(2 * read.target) }
        return edges
    }

    /// Removes the reads of expressions that are in cycles, and finds circles of conditions.
    private mutating func breakCycles(_ reads: inout [Read], items: [FormItem]) {
        var components = StrongComponents(Self.edges(reads, items: items)).component
        func isCircular(_ read: Read) -> Bool { components[read.vertex] == components[2 * read.target] }
        // The expressions of one component share its path, so that many of them cost no more than one.
        let circular = reads.filter(isCircular)
        var paths: [Int: [Int]] = [:]
        for read in circular {
            guard let expression = read.expression, cyclic[expression] == nil else { continue }
            let component = components[2 * read.target]
            let path = paths[component] ?? Self.path(from: read, in: circular, items: items)
            paths[component] = path
            cyclic[expression] = Self.path(path, from: read.target).map { items[$0].linkID }
        }
        reads.removeAll { read in read.expression.map { cyclic[$0] != nil } ?? false }
        components = StrongComponents(Self.edges(reads, items: items)).component
        var numbers: [Int: Int] = [:]
        for read in reads where isCircular(read) { numbers[components[2 * read.target]] = -1 }
        guard !numbers.isEmpty else { return }
        for item in items where numbers[components[2 * item.index]] != nil {
            let component = components[2 * item.index]
            if numbers[component] == -1 {
                numbers[component] = circleItems.count
                circleItems.append([])
            }
            let number = numbers[component] ?? 0
            circles[item.index] = number
            circleItems[number].append(item.index)
        }
        reads.removeAll(where: isCircular)
    }

    /// Returns the items from one item through those that it reads, without the item at the end again.
    private static func path(from read: Read, in reads: [Read], items: [FormItem]) -> [Int] {
        var sources: [Int: [Int]] = [:]
        for read in reads { sources[read.target, default: []].append(read.source) }
        // An item is read by way of the items inside of it and around it, too.
        var inside: [Int: [Int]] = [:]
        for target in sources.keys.sorted() {
            for ancestor in items[target].ancestors { inside[ancestor, default: []].append(target) }
        }
        var previous: [Int: Int] = [read.source: read.target]
        var open = [read.source]
        var next = 0
        while next < open.count, open[next] != read.target {
            let related = [open[next]] + items[open[next]].ancestors + (inside[open[next]] ?? [])
            for source in related.flatMap({ sources[$0] ?? [] }) where previous[source] == nil {
                previous[source] = open[next]
                open.append(source)
            }
            next += 1
        }
        var path: [Int] = []
        var index = previous[read.target] ?? read.target
        while index != read.target, path.count < maximumPath {
            path.append(index)
            index = previous[index] ?? read.target
        }
        return [read.target] + path.reversed()
    }

    /// Returns a cycle that begins and ends with an item, if it contains the item.
    private static func path(_ cycle: [Int], from item: Int) -> [Int] {
        let start = cycle.firstIndex(of: item) ?? 0
        return Array(cycle[start...] + cycle[..<start] + cycle[start...start])
    }

    /// Maximum number of items in the path of a cycle.
    private static let maximumPath = 100

    /// Ranks the items. The inputs of initial values come first where that makes no cycle.
    private mutating func order(_ reads: [Read], soft: [Read], items: [FormItem]) {
        let wanted = StrongComponents(Self.edges(reads + soft, items: items)).component
        let kept = soft.filter { wanted[$0.vertex] != wanted[2 * $0.target] }
        let edges = Self.edges(reads + kept, items: items)
        var waiting = [Int](repeating: 0, count: edges.count)
        for followers in edges { for follower in followers { waiting[follower] += 1 } }
        var order = edges.indices.filter { waiting[$0] == 0 }
        var next = 0
        while next < order.count {
            for follower in edges[order[next]] {
                waiting[follower] -= 1
                if waiting[follower] == 0 { order.append(follower) }
            }
            next += 1
        }
        for (rank, vertex) in order.enumerated() where vertex.isMultiple(of: 2) { ranks[vertex / 2] = rank }
    }
}
