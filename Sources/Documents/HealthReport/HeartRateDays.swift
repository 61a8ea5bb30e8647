import HealthData

/// Lowest, highest and median heart rate by day, in memory that grows with the days, not with the samples.
///
/// The median is that of the values rounded to whole beats (for an even number of values, the lower of the two middle
/// ones). Each day has a count for every value; the counts of weeks and months are sums of these.
public struct HeartRateDays: Sendable {
    /// Maximum of the counted rates; for the median, higher rates are replaced by it.
    static let highestCounted = 400

    private var days: [Int: Range] = [:]

    /// Creates days without rates.
    public init() {}

    /// Adds a rate in beats per minute. Negative rates and values that are not finite are ignored.
    public mutating func add(_ rate: Double, on day: HealthDay) {
        guard rate >= 0, rate.isFinite else { return }
        days[day.number, default: Range()].add(rate)
    }

    /// The days with data, in order.
    public var all: [(day: HealthDay, range: Range)] {
        days.sorted { $0.key < $1.key }.map { (HealthDay(number: $0.key), $0.value) }
    }

    /// The rates of a period.
    public struct Range: Sendable, Hashable {
        /// The number of rates.
        public private(set) var count = 0
        /// The lowest rate, in beats per minute.
        public private(set) var lowest = Double.infinity
        /// The highest rate, in beats per minute.
        public private(set) var highest = -Double.infinity
        /// The number of occurrences of each value, from ``first`` on.
        private var counts: [UInt32] = []
        private var first = 0

        /// Creates a range without rates.
        public init() {}

        /// The median in whole beats; nil if there are no rates.
        public var median: Int? {
            guard count > 0 else { return nil }
            var rest = (count - 1) / 2
            for (index, number) in counts.enumerated() {
                if rest < Int(number) { return first + index }
                rest -= Int(number)
            }
            return nil
        }

        mutating func add(_ rate: Double) {
            lowest = min(lowest, rate)
            highest = max(highest, rate)
            add(1, at: min(HeartRateDays.highestCounted, Int(min(rate, 1000).rounded())))
        }

        mutating func add(_ other: Range) {
            lowest = min(lowest, other.lowest)
            highest = max(highest, other.highest)
            for (index, number) in other.counts.enumerated() where number > 0 { add(number, at: other.first + index) }
        }

        private mutating func add(_ number: UInt32, at value: Int) {
            if counts.isEmpty { first = value }
            if value < first {
                counts.insert(contentsOf: repeatElement(0, count: first - value), at: 0)
                first = value
            }
            while first + counts.count <= value { counts.append(0) }
            counts[value - first] += number
            count += Int(number)
        }
    }
}
