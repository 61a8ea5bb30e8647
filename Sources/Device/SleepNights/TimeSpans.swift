import HealthData

/// A set of seconds: sorted spans that neither touch nor overlap.
package struct TimeSpans {
    package private(set) var spans: [Range<Int64>] = []
    /// The number of seconds in the spans before each span.
    private var before: [Int64] = []
    /// The total number of seconds.
    package private(set) var total: Int64 = 0

    package init() {}

    /// Creates a set from ranges that are sorted by their lower bounds. Empty ranges are ignored.
    package init(sorted ranges: some Sequence<Range<Int64>>) {
        for range in ranges where !range.isEmpty { append(range) }
    }

    /// Returns the number of seconds of the range that are in the set.
    package func seconds(in range: Range<Int64>) -> Int64 {
        range.isEmpty ? 0 : seconds(before: range.upperBound) - seconds(before: range.lowerBound)
    }

    /// Returns the number of seconds that are in both sets.
    package func secondsShared(with other: TimeSpans) -> Int64 { other.spans.reduce(0) { $0 + seconds(in: $1) } }

    package mutating func formUnion(_ other: TimeSpans) {
        guard !other.spans.isEmpty else { return }
        guard !spans.isEmpty else {
            self = other
            return
        }
        var union = TimeSpans()
        var (left, right) = (spans[...], other.spans[...])
        while let first = left.first, let second = right.first {
            if first.lowerBound <= second.lowerBound {
                union.append(left.removeFirst())
            } else {
                union.append(right.removeFirst())
            }
        }
        for rest in left { union.append(rest) }
        for rest in right { union.append(rest) }
        self = union
    }

    /// Adds a range that begins at or after the start of the last span.
    private mutating func append(_ range: Range<Int64>) {
        guard let last = spans.last, range.lowerBound <= last.upperBound else {
            before.append(total)
            spans.append(range)
            total += range.upperBound - range.lowerBound
            return
        }
        guard range.upperBound > last.upperBound else { return }
        spans[spans.count - 1] = last.lowerBound..<range.upperBound
        total += range.upperBound - last.upperBound
    }

    private func seconds(before moment: Int64) -> Int64 {
        var (low, high) = (0, spans.count)
        while low < high {
            let middle = (low + high) / 2
            if spans[middle].lowerBound < moment { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return 0 }
        let span = spans[low - 1]
        return before[low - 1] + min(moment, span.upperBound) - span.lowerBound
    }
}
