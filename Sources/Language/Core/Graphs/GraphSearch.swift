/// Searches of a directed graph, each in time linear in its vertices and edges.
package enum GraphSearch {
    /// Returns whether each vertex is one of the starts or can be reached from one of them.
    ///
    /// - Parameter edges: the followers of each vertex.
    package static func reached(from starts: [Int], along edges: [[Int]]) -> [Bool] {
        var isReached = [Bool](repeating: false, count: edges.count)
        var open = starts
        for start in starts { isReached[start] = true }
        while let vertex = open.popLast() {
            for follower in edges[vertex] where !isReached[follower] {
                isReached[follower] = true
                open.append(follower)
            }
        }
        return isReached
    }

    /// Returns a cycle for each vertex that is on one: the vertices that follow, with the vertex itself at the end.
    ///
    /// The vertices of one strongly connected component share a cycle. A vertex that this cycle does not contain has
    /// the cycle from its first vertex on.
    ///
    /// - Parameters:
    ///   - edges: the followers of each vertex.
    ///   - limit: the maximum number of vertices in a result; the vertices after them are left out.
    package static func cycles(along edges: [[Int]], limit: Int) -> [Int: [Int]] {
        let component = StrongComponents(edges).component
        var members: [Int: [Int]] = [:]
        for vertex in edges.indices { members[component[vertex], default: []].append(vertex) }
        var cycles: [Int: [Int]] = [:]
        for vertices in members.values {
            guard let first = vertices.first, vertices.count > 1 || edges[first].contains(first) else { continue }
            let cycle = cycle(from: first, along: edges) { component[$0] == component[first] }
            var offsets: [Int: Int] = [:]
            for (offset, vertex) in cycle.enumerated() { offsets[vertex] = offset }
            for vertex in vertices {
                // The cycle begins with the follower of the vertex.
                let start = offsets[vertex].map { $0 + 1 } ?? 0
                let count = min(limit, cycle.count)
                cycles[vertex] = (0..<count).map { cycle[(start + $0) % cycle.count] }
            }
        }
        return cycles
    }

    /// Returns the shortest way from a vertex to itself, without the vertex at its begin.
    private static func cycle(from start: Int, along edges: [[Int]], within isMember: (Int) -> Bool) -> [Int] {
        var previous: [Int: Int] = [:]
        var open = [start]
        var next = 0
        while next < open.count, previous[start] == nil {
            for follower in edges[open[next]] where previous[follower] == nil && isMember(follower) {
                previous[follower] = open[next]
                open.append(follower)
            }
            next += 1
        }
        var way = [start]
        while let vertex = previous[way[way.count - 1]], vertex != start { way.append(vertex) }
        return way.reversed()
    }
}
