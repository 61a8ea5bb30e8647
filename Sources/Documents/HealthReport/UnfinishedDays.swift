import HealthData
import SleepNights

/// The days of ``DailyAggregates`` while the samples are distributed to them.
struct UnfinishedDays {
    private let ranks: [SourceRank]
    private var days: [Int: Day] = [:]

    private struct Day {
        var plainSum = 0.0
        /// Counted amounts by the index of the source.
        var counted: [UInt16: Double] = [:]
    }

    init(ranks: [SourceRank]) { self.ranks = ranks }

    /// Distributes samples of one chain, which overlap each other and no other samples.
    package mutating func add(_ chain: ArraySlice<DailyAggregates.Entry>, isOneSource: Bool, order: [Int]) {
        guard !isOneSource else {
            for entry in chain { add(entry, covered: nil) }
            return
        }
        // 1. The sources one by one, in descending priority.
        var bySource: [UInt16: [DailyAggregates.Entry]] = [:]
        for entry in chain { bySource[entry.source, default: []].append(entry) }
        let sources = bySource.sorted { order[Int($0.key)] < order[Int($1.key)] }
        var covered = TimeSpans()
        for (_, entries) in sources {
            // 2. Each sample contributes the seconds that no source with higher priority covers.
            for entry in entries { add(entry, covered: covered) }
            // 3. Then the seconds of this source are covered too.
            covered.formUnion(TimeSpans(sorted: entries.lazy.map(\.range)))
        }
    }

    private mutating func add(_ entry: DailyAggregates.Entry, covered: TimeSpans?) {
        let range = entry.range
        let length = Double(entry.length)
        let offset = Int64(entry.offsetMinutes) * 60
        var begin = range.lowerBound
        while begin < range.upperBound {
            let day = (begin + offset).flooredDivision(by: 86_400).quotient
            let end = min(range.upperBound, (day + 1) * 86_400 - offset)
            let piece = end - begin
            let free = piece - (covered?.seconds(in: begin..<end) ?? 0)
            // The amount of a whole sample keeps its digits.
            func share(_ seconds: Int64) -> Double {
                seconds == Int64(entry.length) ? entry.amount : entry.amount * (Double(seconds) / length)
            }
            days[Int(day), default: Day()].plainSum += share(piece)
            if free > 0 { days[Int(day), default: Day()].counted[entry.source, default: 0] += share(free) }
            begin = end
        }
    }

    var finished: [DailyAggregate] {
        days.sorted { $0.key < $1.key }.map { number, day in
            let sources = day.counted.map { DailyAggregate.Contribution(source: ranks[Int($0.key)], amount: $0.value) }
                .sorted { $0.source < $1.source }
            return DailyAggregate(
                day: HealthDay(number: number), total: sources.reduce(0) { $0 + $1.amount }, plainSum: day.plainSum,
                sources: sources)
        }
    }
}
