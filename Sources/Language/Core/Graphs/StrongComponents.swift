/// The strongly connected components of a directed graph, by Tarjan's algorithm without recursion.
package struct StrongComponents {
    /// The number of the component of each vertex.
    package private(set) var component: [Int]

    /// - Parameter edges: the followers of each vertex.
    package init(_ edges: [[Int]]) {
        component = [Int](repeating: -1, count: edges.count)
        var index = [Int](repeating: -1, count: edges.count)
        var low = [Int](repeating: 0, count: edges.count)
        var stack: [Int] = []
        var isOpen = [Bool](repeating: false, count: edges.count)
        var counter = 0
        var components = 0
        for start in edges.indices where index[start] < 0 {
            var calls: [(vertex: Int, edge: Int)] = [(start, 0)]
            while let (vertex, edge) = calls.last {
                if edge == 0 {
                    index[vertex] = counter
                    low[vertex] = counter
                    counter += 1
                    stack.append(vertex)
                    isOpen[vertex] = true
                }
                if edge < edges[vertex].count {
                    calls[calls.count - 1].edge += 1
                    let follower = edges[vertex][edge]
                    if index[follower] < 0 {
                        calls.append((follower, 0))
                    } else if isOpen[follower] {
                        low[vertex] = min(low[vertex], index[follower])
                    }
                    continue
                }
                calls.removeLast()
                if let (parent, _) = calls.last { low[parent] = min(low[parent], low[vertex]) }
                guard low[vertex] == index[vertex] else { continue }
                while let last = stack.popLast() {
                    isOpen[last] = false
                    component[last] = components
                    if last == vertex { break }
                }
                components += 1
            }
        }
    }
}
