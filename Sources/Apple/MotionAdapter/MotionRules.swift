import Foundation

/// C3-PRO's rules that turn the reports of the motion coprocessor into what a person does.
///
/// 1. Reports without an activity are omitted: the activity before them continues.
/// 2. Adjacent reports of the same activities are joined, and adjacent reports with a vehicle too.
/// 3. A vehicle for less than five minutes is stationary. A bicycle for less than two minutes is running or walking if
///    the time before or after is, otherwise stationary.
/// 4. Adjacent times of the same interpretation are joined.
/// 5. Stationary for three hours or longer is sleeping.
///
/// C3-PRO's own code differs in two cases that its documentation does not intend: it calls a short ride driving, and it
/// does not extend joined times.
public enum MotionRules {
    /// Maximum number of reports; the newest are interpreted. A phone keeps seven days, some thousand reports.
    public static let maximumReports = 100_000

    private static let (shortestRide, shortestCycling, shortestSleep) = (300.0, 120.0, 10_800.0)

    /// Interprets reports.
    ///
    /// - Parameters:
    ///   - reports: the reports in any order; of several with one time the last counts.
    ///   - end: the end of the last report's activity; later reports are ignored.
    /// - Returns: intervals in the order of time, without gaps from the first known activity on.
    public static func intervals(_ reports: [MotionActivity], until end: Date) -> [MotionInterval] {
        let spans = joined(reports, until: end)
        var intervals: [MotionInterval] = []
        for (index, span) in spans.enumerated() {
            let neighbours = [index - 1, index + 1].filter(spans.indices.contains).map { spans[$0].kinds }
            let interpretation = interpretation(of: span, between: neighbours)
            if let last = intervals.indices.last, intervals[last].interpretation == interpretation {
                intervals[last].end = span.end
            } else {
                intervals.append(MotionInterval(start: span.start, end: span.end, interpretation: interpretation))
            }
        }
        for index in intervals.indices
        where intervals[index].interpretation == .stationary && intervals[index].seconds >= shortestSleep {
            intervals[index].interpretation = .sleeping
        }
        return intervals
    }

    private struct Span {
        let start: Date
        var end: Date
        var kinds: MotionActivity.Kinds
    }

    /// Rules 1 and 2.
    private static func joined(_ reports: [MotionActivity], until end: Date) -> [Span] {
        var spans: [Span] = []
        let known = reports.enumerated().filter { !$0.element.kinds.isEmpty && $0.element.start < end }
            .sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }.map(\.element)
        for report in known.suffix(maximumReports) {
            guard let last = spans.indices.last else {
                spans.append(Span(start: report.start, end: end, kinds: report.kinds))
                continue
            }
            let bothInVehicle = spans[last].kinds.contains(.automotive) && report.kinds.contains(.automotive)
            if spans[last].kinds == report.kinds || bothInVehicle {
                spans[last].kinds.formUnion(report.kinds)
                continue
            }
            spans[last].end = report.start
            // A report that another one replaces at the same time lasts no time.
            if spans[last].start == report.start { spans.removeLast() }
            spans.append(Span(start: report.start, end: end, kinds: report.kinds))
        }
        return spans
    }

    /// Rule 3, and the order in which several activities of one report count.
    private static func interpretation(
        of span: Span, between neighbours: [MotionActivity.Kinds]
    ) -> MotionInterpretation {
        let seconds = span.end.timeIntervalSince(span.start)
        if span.kinds.contains(.automotive), seconds < shortestRide { return .stationary }
        if span.kinds.contains(.cycling), seconds < shortestCycling {
            if neighbours.contains(where: { $0.contains(.running) }) { return .running }
            return neighbours.contains { $0.contains(.walking) } ? .walking : .stationary
        }
        if span.kinds.contains(.cycling) { return .cycling }
        if span.kinds.contains(.running) { return .running }
        if span.kinds.contains(.walking) { return .walking }
        return span.kinds.contains(.automotive) ? .driving : .stationary
    }
}
