import FHIR
import HealthData

/// Daily aggregates: sums of steps, energy, distances and the like by day of the person's clock, in which phone and
/// watch that counted the same thing count once. A view: the samples themselves are never changed.
///
/// The rule, for each type by itself:
///
/// 1. A sample covers the seconds from its start until its end, at least one; its amount is spread evenly over them.
/// 2. At each second one source counts: the first by ``SourceRank`` of those with a sample there. What the others have
///    there is left out. Samples of one source add up where they overlap: two meals eaten together are two.
/// 3. A sample that is covered in part by sources before its own counts with the part of its seconds that is not.
/// 4. A sample's seconds belong to the days of the clock that it was recorded by (the offset of its start), so one that
///    spans midnight is split there.
///
/// From it follows: the total is never more than the plain sum of the samples, and never less than the sum of the most
/// believed source. (It *can* be less than that of another source: the watch that counted few steps in an hour is
/// believed over the phone that counted many.) The order in which samples come makes no difference, to the last digit.
///
/// Not counted, but in ``leftOut``: negative amounts, samples longer than ``longest`` (nothing tells the day), and what
/// is over ``sampleLimit``. Memory: 24 bytes a sample.
public struct DailyAggregates: Sendable {
    /// As many samples are kept of all types together.
    public static let sampleLimit = 4_000_000
    /// The longest sample that is split by days: 31 days, in seconds.
    public static let longest: Int64 = 31 * 86_400
    /// As many sources are told apart; more are one source a kind of product.
    static let sourceLimit = 256

    /// The reason that a sample is not in the daily aggregates.
    public enum LeftOut: String, Sendable, CaseIterable {
        /// The amount is negative.
        case negative
        /// The sample lasts longer than is believed.
        case tooLong = "too-long"
        /// More samples came than are kept.
        case overLimit = "over-limit"
    }

    /// The number of samples that are not in the daily aggregates, by reason.
    public private(set) var leftOut: [LeftOut: Int] = [:]
    private var entries: [HealthType: [Entry]]
    private var count = 0
    private var ranks: [SourceRank] = []
    private var places: [SourceRank: UInt16] = [:]

    struct Entry: Sendable {
        let start: Int64
        let amount: Double
        let length: UInt32
        let source: UInt16
        let offsetMinutes: Int16

        var range: Range<Int64> { start..<start + Int64(length) }
    }

    /// - Parameter types: the types to sum; those that do not add up (``HealthType/Aggregation/discrete``) are not.
    public init(of types: some Sequence<HealthType>) {
        entries = Dictionary(
            types.filter { $0.aggregation == .cumulative }.map { ($0, []) }, uniquingKeysWith: { first, _ in first })
    }

    /// Takes a sample. Those of other types, and those without a quantity, are passed over.
    public mutating func add(_ sample: HealthSample) {
        guard case .quantity(let quantity) = sample.value, entries[sample.type] != nil else { return }
        let amount = quantity.number.double
        let length = max(1, sample.end.seconds - sample.start.seconds)
        guard amount >= 0, amount.isFinite else { return leaveOut(.negative) }
        guard length <= Self.longest else { return leaveOut(.tooLong) }
        guard count < Self.sampleLimit else { return leaveOut(.overLimit) }
        count += 1
        let entry = Entry(
            start: sample.start.seconds, amount: amount, length: UInt32(length), source: place(of: SourceRank(sample)),
            offsetMinutes: sample.start.offsetMinutes)
        entries[sample.type]?.reserveForOneMore()
        entries[sample.type]?.append(entry)
    }

    /// The days that have data, in order.
    public mutating func days(of type: HealthType) -> [DailyAggregate] {
        guard var list = entries[type] else { return [] }
        // The list is taken out while it is sorted, so that there is one copy of it.
        entries[type] = []
        let sorted = ranks.indices.sorted { ranks[$0] < ranks[$1] }
        var order = Array(repeating: 0, count: ranks.count)
        for (place, source) in sorted.enumerated() { order[source] = place }
        list.sort { Self.precedes($0, $1, order) }
        var days = UnfinishedDays(ranks: ranks)
        var begin = 0
        while begin < list.count {
            // Samples that overlap one another, in a chain: what lies outside of the chain makes no difference to it.
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

    /// An order that depends on the samples alone: floating-point sums depend on theirs.
    private static func precedes(_ left: Entry, _ right: Entry, _ order: [Int]) -> Bool {
        if left.start != right.start { return left.start < right.start }
        if left.length != right.length { return left.length < right.length }
        if left.source != right.source { return order[Int(left.source)] < order[Int(right.source)] }
        if left.amount != right.amount { return left.amount < right.amount }
        return left.offsetMinutes < right.offsetMinutes
    }

    private mutating func leaveOut(_ reason: LeftOut) { leftOut[reason, default: 0] += 1 }

    private mutating func place(of rank: SourceRank) -> UInt16 {
        if let place = places[rank] { return place }
        if ranks.count >= Self.sourceLimit, let product = rank.ofProduct { return place(of: product) }
        let place = UInt16(ranks.count)
        ranks.append(rank)
        places[rank] = place
        return place
    }
}

/// A daily aggregate: the sum of one day.
public struct DailyAggregate: Sendable, Hashable {
    /// The day.
    public let day: HealthDay
    /// The total in the unit of the type, each second counted once.
    public let total: Double
    /// The plain sum of all samples, whatever they overlap.
    public let plainSum: Double
    /// The parts of the total that the sources contribute, the most believed first.
    public let sources: [Contribution]

    /// The part of one source.
    public struct Contribution: Sendable, Hashable {
        /// The source.
        public let source: SourceRank
        /// The amount, in the type's unit.
        public let amount: Double
    }
}
