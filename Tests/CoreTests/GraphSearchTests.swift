import Core
import TestSupport
import Testing

@Suite struct GraphSearchTests {
    @Test func verticesAreReachedAlongEdges() {
        let edges = [[1], [2], [0], [4], []]
        #expect(GraphSearch.reached(from: [1], along: edges) == [true, true, true, false, false])
        #expect(GraphSearch.reached(from: [3, 4], along: edges) == [false, false, false, true, true])
        #expect(GraphSearch.reached(from: [], along: edges) == [false, false, false, false, false])
    }

    @Test func aCycleEndsWithItsVertex() {
        // 0 -> 1 -> 2 -> 0, 3 -> 3, 4 leads to a cycle and is on none.
        let cycles = GraphSearch.cycles(along: [[1], [2], [0], [3], [0]], limit: 10)
        #expect(cycles == [0: [1, 2, 0], 1: [2, 0, 1], 2: [0, 1, 2], 3: [3]])
    }

    /// 0 -> 1 -> 0 and 0 -> 2 -> 0.
    @Test func aVertexOutsideOfTheCycleHasThatOfItsComponent() {
        let cycles = GraphSearch.cycles(along: [[1, 2], [0], [0]], limit: 10)
        #expect(cycles == [0: [1, 0], 1: [0, 1], 2: [1, 0]])
    }

    @Test func aLongCycleIsCut() {
        let count = 50_000
        let cycles = GraphSearch.cycles(along: (0..<count).map { [($0 + 1) % count] }, limit: 3)
        #expect(cycles.count == count && cycles[0] == [1, 2, 3] && cycles[count - 1] == [0, 1, 2])
    }

    /// Compared with a search from each vertex.
    @Test func randomGraphs() {
        var random = Seeded.fresh()
        for _ in 0..<300 {
            let count = Int.random(in: 1...12, using: &random)
            let edges = (0..<count).map { _ in
                (0..<Int.random(in: 0...2, using: &random)).map { _ in Int.random(in: 0..<count, using: &random) }
            }
            let cycles = GraphSearch.cycles(along: edges, limit: count)
            for vertex in 0..<count {
                let isOnCycle = edges[vertex].contains { GraphSearch.reached(from: [$0], along: edges)[vertex] }
                #expect((cycles[vertex] != nil) == isOnCycle, "\(edges)")
                guard let cycle = cycles[vertex], let last = cycle.last else { continue }
                var before = last
                for next in cycle {
                    #expect(edges[before].contains(next), "\(edges)")
                    before = next
                }
            }
        }
    }
}
