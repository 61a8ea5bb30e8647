import Foundation

/// The growth of processor time with the size of the input.
public struct Growth: CustomStringConvertible {
    public let size: Int
    /// Nanoseconds for the size, and for four times the size: medians of three.
    public let small: UInt64
    public let large: UInt64

    /// The ratio of the times for four times the size and for the size: four if the cost is linear.
    public var factor: Double { Double(large) / Double(max(small, 1)) }

    public var description: String {
        "\(size): \(small / 1000) µs, \(size * 4): \(large / 1000) µs, \((factor * 100).rounded() / 100) times"
    }

    /// Measures work on input of a size. The size is doubled until the work takes some milliseconds. Other load of the
    /// machine can make a measurement worse, but not better: the best of three counts.
    public static func of<Input>(
        from size: Int = 200, _ make: (Int) -> Input, _ work: (Input) throws -> Void
    ) rethrows -> Growth {
        var size = size
        var input = make(size)
        try work(input)
        while try time(input, work) < 3_000_000, size < 1 << 20 {
            size *= 2
            input = make(size)
        }
        let larger = make(size * 4)
        var best: Growth?
        for _ in 0..<3 {
            var (small, large): ([UInt64], [UInt64]) = ([], [])
            for _ in 0..<3 {
                small.append(try time(input, work))
                large.append(try time(larger, work))
            }
            let growth = Growth(size: size, small: small.sorted()[1], large: large.sorted()[1])
            if best.map({ growth.factor < $0.factor }) ?? true { best = growth }
            if growth.factor <= 6 { break }
        }
        return best ?? Growth(size: size, small: 0, large: 0)
    }

    private static func time<Input>(_ input: Input, _ work: (Input) throws -> Void) rethrows -> UInt64 {
        let start = ThreadTime.now()
        try work(input)
        return ThreadTime.now() - start
    }
}
