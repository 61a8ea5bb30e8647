import HealthData

/// Lowest, highest and median heart rate by day, in memory that grows with the days and not with the samples.
///
/// The median is that of the values rounded to whole beats (of an even number the lower one in the middle): each day
/// has a count for every value, and the counts of days add up to those of weeks and months.
public struct HeartRateDays: Sendable {
    /// Rates are counted up to this; what is higher counts as this in the median.
    static let highestCounted = 400

    private var days: [Int: Range] = [:]

    /// Makes days without rates.
    public init() {}

    /// Takes a rate in beats a minute. What is below zero or no number is passed over.
    public mutating func add(_ rate: Double, on day: HealthDay) {
        guard rate >= 0, rate.isFinite else { return }
        days[day.number, default: Range()].add(rate)
    }

    /// The days that have data, in order.
    public var all: [(day: HealthDay, range: Range)] {
        days.sorted { $0.key < $1.key }.map { (HealthDay(number: $0.key), $0.value) }
    }

    /// The rates of a span of time.
    public struct Range: Sendable, Hashable {
        /// The number of rates.
        public private(set) var count = 0
        /// The lowest rate, in beats a minute.
        public private(set) var lowest = Double.infinity
        /// The highest rate, in beats a minute.
        public private(set) var highest = -Double.infinity
        /// How often each value comes, from ``first`` on.
        private var counts: [UInt32] = []
        private var first = 0

        /// Makes a range without rates.
        public init() {}

        /// The median in whole beats; nil where there is no rate.
        public var median: Int? {
            guard count > 0 else { return nil }
            var rest = (count - 1) / 2
            for (place, number) in counts.enumerated() {
                if rest < Int(number) { return first + place }
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
            for (place, number) in other.counts.enumerated() where number > 0 { add(number, at: other.first + place) }
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
