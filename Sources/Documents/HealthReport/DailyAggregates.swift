import FHIR
import HealthData
import SleepNights

/// Daily aggregates: sums of steps, energy, distances and the like by day of the person's clock. If phone and watch
/// counted the same thing, it is counted once. The samples themselves are not changed.
///
/// The rule, for each type separately:
///
/// 1. A sample covers the seconds from its start to its end, at least one; its amount is distributed evenly over them.
/// 2. At each second one source is used: the first by ``SourceRank`` of those with a sample at that time. The amounts
///    of the others are omitted there. Samples of one source are added if they overlap: two meals eaten together are
///    two.
/// 3. A sample that is partly covered by sources with higher priority contributes the part of its seconds that is not
///    covered.
/// 4. A sample's seconds belong to the days of the clock that it was recorded by (the offset of its start), so a sample
///    that spans midnight is split there.
///
/// It follows that the total is never more than the plain sum of the samples, and never less than the sum of the source
/// with the highest priority. (It *can* be less than the sum of another source: a watch that counted few steps in an
/// hour has priority over a phone that counted many.) The result does not depend on the order of the samples, to the
/// last digit.
///
/// The following are not included, but counted in ``leftOut``: negative amounts, samples longer than ``longest`` (their
/// day is unknown), and samples beyond ``sampleLimit``. Memory: 24 bytes a sample.
public struct DailyAggregates: Sendable {
    /// Maximum number of samples of all types together.
    public static let sampleLimit = 4_000_000
    /// Maximum duration of a sample that is split by days: 31 days, in seconds.
    public static let longest: Int64 = 31 * 86_400
    /// Maximum number of sources that are distinguished; further sources are combined by kind of product.
    static let sourceLimit = 256

    /// The reason why a sample is not in the daily aggregates.
    public enum LeftOut: String, Sendable, CaseIterable {
        /// The amount is negative.
        case negative
        /// The sample is longer than the limit.
        case tooLong = "too-long"
        /// The maximum number of samples is reached.
        case overLimit = "over-limit"
    }

    /// The number of samples that are not in the daily aggregates, by reason.
    public private(set) var leftOut: [LeftOut: Int] = [:]
    private var entries: [HealthType: [Entry]]
    private var count = 0
    private var ranks: [SourceRank] = []
    private var sourceIndices: [SourceRank: UInt16] = [:]

    struct Entry: Sendable {
        let start: Int64
        let amount: Double
        let length: UInt32
        let source: UInt16
        let offsetMinutes: Int16

        var range: Range<Int64> { start..<start + Int64(length) }
    }

    /// - Parameter types: the types to sum. Types that are not cumulative (``HealthType/Aggregation/discrete``) are
    ///   ignored.
    public init(of types: some Sequence<HealthType>) {
        entries = Dictionary(
            types.filter { $0.aggregation == .cumulative }.map { ($0, []) }, uniquingKeysWith: { first, _ in first })
    }

    /// Adds a sample. Samples of other types, and samples without a quantity, are ignored.
    public mutating func add(_ sample: HealthSample) {
        guard case .quantity(let quantity) = sample.value, entries[sample.type] != nil else { return }
        let amount = quantity.number.double
        let length = max(1, sample.end.seconds - sample.start.seconds)
        guard amount >= 0, amount.isFinite else { return leaveOut(.negative) }
        guard length <= Self.longest else { return leaveOut(.tooLong) }
        guard count < Self.sampleLimit else { return leaveOut(.overLimit) }
        count += 1
        let entry = Entry(
            start: sample.start.seconds, amount: amount, length: UInt32(length),
            source: sourceIndex(of: SourceRank(sample)),
            offsetMinutes: sample.start.offsetMinutes)
        entries[sample.type]?.reserveForOneMore()
        entries[sample.type]?.append(entry)
    }

    /// Returns the days with data, in order.
    public mutating func days(of type: HealthType) -> [DailyAggregate] {
        guard var list = entries[type] else { return [] }
        // The list is removed from the dictionary while it is sorted, so that it is not copied.
        entries[type] = []
        let sorted = ranks.indices.sorted { ranks[$0] < ranks[$1] }
        var order = Array(repeating: 0, count: ranks.count)
        for (rank, source) in sorted.enumerated() { order[source] = rank }
        list.sort { Self.precedes($0, $1, order: order) }
        var days = UnfinishedDays(ranks: ranks)
        var begin = 0
        while begin < list.count {
            // A chain of samples that overlap each other. Samples outside of the chain do not affect it.
            var end = begin + 1
            var reach = list[begin].range.upperBound
            var isOneSource = true
            while end < list.count, list[end].start < reach {
                reach = max(reach, list[end].range.upperBound)
                isOneSource = isOneSource && list[end].source == list[begin].source
                end += 1
            }
            days.add(list[begin..<end], isOneSource: isOneSource, order: order)
            begin = end
        }
        entries[type] = list
        return days.finished
    }

    /// Defines an order that depends only on the samples, because floating-point sums depend on the order.
    private static func precedes(_ left: Entry, _ right: Entry, order: [Int]) -> Bool {
        if left.start != right.start { return left.start < right.start }
        if left.length != right.length { return left.length < right.length }
        if left.source != right.source { return order[Int(left.source)] < order[Int(right.source)] }
        if left.amount != right.amount { return left.amount < right.amount }
        return left.offsetMinutes < right.offsetMinutes
    }

    private mutating func leaveOut(_ reason: LeftOut) { leftOut[reason, default: 0] += 1 }

    private mutating func sourceIndex(of rank: SourceRank) -> UInt16 {
        if let index = sourceIndices[rank] { return index }
        if ranks.count >= Self.sourceLimit, let product = rank.ofProduct { return sourceIndex(of: product) }
        let index = UInt16(ranks.count)
        ranks.append(rank)
        sourceIndices[rank] = index
        return index
    }
}

/// A daily aggregate: the sum of one day.
public struct DailyAggregate: Sendable, Hashable {
    /// The day.
    public let day: HealthDay
    /// The total in the unit of the type, each second counted once.
    public let total: Double
    /// The plain sum of all samples, including overlaps.
    public let plainSum: Double
    /// The contributions of the sources to the total, in descending priority.
    public let sources: [Contribution]

    /// The contribution of one source.
    public struct Contribution: Sendable, Hashable {
        /// The source.
        public let source: SourceRank
        /// The amount, in the type's unit.
        public let amount: Double
    }
}
