import HealthData
import SleepNights

/// The nights with the time in each stage.
struct SleepView {
    /// The displayed nights, in order.
    let nights: [(day: HealthDay, times: SleepTimes)]

    private static let stages: [(stage: SleepStage, style: StaticString)] = [
        (.deep, "deep"), (.core, "core"), (.rem, "rem"), (.unspecified, "unspecified"), (.awake, "awake"),
    ]

    func write(to html: inout HTML) {
        guard let sums = Periods(nights.map { (day: $0.day, value: Sum($0.times)) }, combine: { $0.add($1) }) else {
            html.element("p", "There are no nights.")
            return
        }
        let withStages = nights.filter { $0.times.hasStages }
        let asleep = withStages.reduce(Int64(0)) { $0 + $1.times.asleep }
        var lead = ReportNumber.count(nights.count, "night")
        if !withStages.isEmpty {
            let mean = ReportNumber.hours(asleep / Int64(withStages.count))
            lead += ", \(mean) asleep in an average one"
            if withStages.count < nights.count { lead += " of the \(withStages.count) with stages of sleep" }
        }
        html.element("p", lead + ".")
        let word = sums.period == .day ? "night" : sums.period.rawValue
        let title = sums.period == .day ? "Sleep by night" : "Sleep per night, average of each \(word)"
        let highest = sums.filled.map(\.value.highest).max() ?? 0
        let top = max(2, (highest / 7200).rounded(.up) * 2)
        let chart = TimeChart(
            name: "sleep", title: title,
            description: "A bar for each \(word) from \(sums.range), with the hours in each stage of sleep and a "
                + "line at the hours in bed.",
            scale: 0...top, labels: [top, top / 2, 0].map { ReportNumber.tenth($0) + " h" }, period: sums.period,
            starts: sums.starts)
        html.element("figure") { html in
            html.element("h3", title)
            TimeChart.legend(keys, to: &html)
            chart.write(to: &html) { html in
                for (index, sum) in sums.values.enumerated() {
                    if let sum { draw(sum, at: index, of: sums, chart: chart, to: &html) }
                }
            }
            html.element(
                "figcaption",
                "A night is named after its morning and lasts from 18:00 to 18:00. Each second is counted once: if "
                    + "several sources report the stage, the order is: entries by hand, the watch, the phone. "
                    + "Time in bed is counted separately.")
            table(sums).writeDetails(to: &html, summary: "Sleep as a table")
        }
    }

    /// The legend of the stages with data.
    private var keys: [(style: StaticString, words: String)] {
        let total = nights.reduce(into: SleepTimes()) { $0 += $1.times }
        var keys = Self.stages.filter { total[$0.stage] > 0 }.map { (style: $0.style, words: $0.stage.title) }
        if total[.inBed] > 0 { keys.append(("bed", "In bed (line)")) }
        return keys
    }

    private func draw(
        _ sum: Sum, at index: Int, of sums: Periods<Sum>, chart: TimeChart, to html: inout HTML
    ) {
        let label = sums.period.label(sums.starts[index])
        var base = 0.0
        for (stage, style) in Self.stages where sum.times[stage] > 0 {
            let hours = sum.mean(stage) / 3600
            chart.mark(
                style, at: index, from: base, to: base + hours, gap: 1,
                words: "\(label): \(stage.title), \(ReportNumber.hours(Int64(sum.mean(stage))))", in: &html)
            base += hours
        }
        if sum.times[.inBed] > 0 {
            let seconds = sum.mean(.inBed)
            chart.mark(
                "bed", at: index, from: seconds / 3600, to: seconds / 3600, least: 2,
                words: "\(label): In bed, \(ReportNumber.hours(Int64(seconds)))", in: &html)
        }
    }

    private func table(_ sums: Periods<Sum>) -> ReportTable {
        let isByNight = sums.period == .day
        let columns: [SleepStage] = [.core, .deep, .rem, .unspecified, .awake]
        return ReportTable(
            caption: isByNight ? "Minutes by night" : "Minutes by \(sums.period.rawValue), over all its nights",
            header: [isByNight ? "Night" : sums.period.title] + (isByNight ? [] : ["Nights"])
                + ["In bed", "Asleep", "Core", "Deep", "REM", "Unspecified", "Awake"],
            rows: sums.filled.map { start, sum in
                let seconds = [sum.times[.inBed], sum.times.asleep] + columns.map { sum.times[$0] }
                let cells = seconds.map { ReportTable.Cell.number(ReportNumber.minutes($0)) }
                return (sums.period.label(start), (isByNight ? [] : [.number(sum.nights)]) + cells)
            })
    }

    private struct Sum {
        var times: SleepTimes
        var nights = 1
        /// Nights with stages of sleep, and nights with time in bed.
        var nightsWithStages: Int
        var nightsInBed: Int

        init(_ times: SleepTimes) {
            self.times = times
            nightsWithStages = times.hasStages ? 1 : 0
            nightsInBed = times[.inBed] > 0 ? 1 : 0
        }

        mutating func add(_ other: Sum) {
            times += other.times
            nights += other.nights
            nightsWithStages += other.nightsWithStages
            nightsInBed += other.nightsInBed
        }

        /// Returns the seconds of an average night, among the nights with data.
        func mean(_ stage: SleepStage) -> Double {
            Double(times[stage]) / Double(max(1, stage == .inBed ? nightsInBed : nightsWithStages))
        }

        /// The height of the bar, in seconds.
        var highest: Double {
            let stages = SleepStage.allCases.filter { $0 != .inBed }.reduce(0) { $0 + mean($1) }
            return max(stages, mean(.inBed))
        }
    }
}
