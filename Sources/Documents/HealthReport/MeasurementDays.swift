import HealthData

/// Lowest, average and highest value of each day, in memory that grows with the days.
public struct MeasurementDays: Sendable, Hashable {
    /// The values of one day, or of several days.
    public struct Values: Sendable, Hashable {
        /// The number of values.
        public private(set) var count = 0
        /// The lowest value.
        public private(set) var lowest = Double.infinity
        /// The highest value.
        public private(set) var highest = -Double.infinity
        private var sum = 0.0

        /// The arithmetic mean; nil without values.
        public var mean: Double? { count == 0 ? nil : sum / Double(count) }

        mutating func add(_ value: Double) {
            count += 1
            lowest = min(lowest, value)
            highest = max(highest, value)
            sum += value
        }

        mutating func add(_ other: Values) {
            count += other.count
            lowest = min(lowest, other.lowest)
            highest = max(highest, other.highest)
            sum += other.sum
        }
    }

    private var days: [Int: Values] = [:]

    /// Creates days without values.
    public init() {}

    /// Adds a value. A value that is not finite is ignored.
    public mutating func add(_ value: Double, on day: HealthDay) {
        guard value.isFinite else { return }
        days[day.number, default: Values()].add(value)
    }

    /// The days with values, in order.
    public var all: [(day: HealthDay, values: Values)] {
        days.sorted { $0.key < $1.key }.map { (HealthDay(number: $0.key), $0.value) }
    }
}
