import HealthData
import SleepNights

extension HealthReportPage {
    /// Returns the page: one HTML document that loads nothing, contains no scripts, and contains no name of a person,
    /// app or device.
    ///
    /// It adapts to narrow screens, to dark mode and to paper. Each plot is an SVG with a title and a description,
    /// followed by a table of its numbers.
    ///
    /// - Parameter importReport: the import report, which is shown at the end.
    public mutating func html(importReport: HealthImportReport) -> String {
        let stepDays = stepType.map { steps.days(of: $0) } ?? []
        let shownSteps = stepDays.filter { days.contains($0.day) }
        var shownNights: [(day: HealthDay, times: SleepTimes)] = []
        nights.forEachNight { if days.contains($0.day) { shownNights.append(($0.day, $0.times)) } }
        var html = HTML()
        html.verbatim("<!DOCTYPE html>\n")
        html.element("html", attributes: ["lang": "en"]) { html in
            html.line()
            html.element("head") { ReportStyle.writeHead("Health report", to: &$0) }
            html.line()
            html.element("body") { html in
                html.element("header") { writeHeader(importReport, to: &$0) }
                html.line()
                html.element("main") { html in
                    Self.section("steps", title: "Steps", to: &html) {
                        StepsView(days: shownSteps, implausible: implausibleSteps).write(to: &$0)
                    }
                    Self.section("heart-rate", title: "Heart rate", to: &html) {
                        HeartRateView(days: heartRate.all, implausible: implausibleRates).write(to: &$0)
                    }
                    Self.section("sleep", title: "Sleep", to: &html) { SleepView(nights: shownNights).write(to: &$0) }
                    Self.section("workouts", title: "Workouts", to: &html) {
                        WorkoutsView(
                            activities: workouts.sorted { $0.key < $1.key }.map { (name: $0.key, totals: $0.value) }
                        ).write(to: &$0)
                    }
                    Self.section("sources", title: "Sources", to: &html) {
                        CoverageView(
                            sources: coverage.sorted { $0.key < $1.key }.map { ($0.key.rank.title, $0.value) }
                        ).write(to: &$0)
                    }
                    Self.section("types", title: "Kinds of data", to: &html) { writeTypes(to: &$0) }
                    Self.section("account", title: "What was read and what was not", to: &html) {
                        ImportReportView(importReport: importReport, leftOut: leftOut).write(to: &$0)
                    }
                    Self.writeFooter(to: &html)
                }
            }
        }
        html.line()
        return html.text
    }

    private static let sections: [(id: String, title: String)] = [
        ("steps", "Steps"), ("heart-rate", "Heart rate"), ("sleep", "Sleep"), ("workouts", "Workouts"),
        ("sources", "Sources"), ("types", "Kinds of data"), ("account", "What was read"),
    ]

    private func writeHeader(_ importReport: HealthImportReport, to html: inout HTML) {
        html.element("h1", "Health report")
        html.line()
        if importReport.outcome != .complete {
            html.element("p", attributes: ["class": "warning"], ImportReportView.truncated)
        }
        let count = types.values.reduce(0) { $0 + $1.count }
        let first = types.values.compactMap(\.first).min()
        let last = types.values.compactMap(\.last).max()
        html.element("dl", attributes: ["class": "facts"]) { html in
            func fact(_ name: String, _ value: String) {
                html.element("div") { html in
                    html.element("dt", name)
                    html.element("dd", value)
                }
                html.line()
            }
            fact("Observations", ReportNumber.grouped(count))
            fact("Kinds of data", ReportNumber.grouped(types.count))
            fact("First day", first?.text ?? "–")
            fact("Last day", last?.text ?? "–")
        }
        if isLimited.since || isLimited.until {
            var words = "Only the days"
            if isLimited.since { words += " from \(days.lowerBound.text)" }
            if isLimited.until { words += " up to \(days.upperBound.text)" }
            html.element("p", words + " are shown.")
        }
        html.element("nav", attributes: ["aria-label": "Contents"]) { html in
            html.element("ul") { html in
                for section in Self.sections {
                    html.element("li") { $0.element("a", attributes: ["href": "#" + section.id], section.title) }
                }
            }
        }
        html.line()
    }

    private static func section(
        _ id: String, title: String, to html: inout HTML, _ body: (inout HTML) -> Void
    ) {
        html.line()
        html.element("section", attributes: ["aria-labelledby": id]) { html in
            html.element("h2", attributes: ["id": id], title)
            html.line()
            body(&html)
        }
        html.line()
    }

    private func writeTypes(to html: inout HTML) {
        guard !types.isEmpty else {
            html.element("p", "There are no observations.")
            return
        }
        let rows = types.sorted { ($0.value.title, $0.key) < ($1.value.title, $1.key) }
        html.element(
            "div", attributes: ["class": "scroll", "role": "region", "tabindex": "0", "aria-label": "Kinds of data"]
        ) {
            html in
            ReportTable(
                caption: "Observations by kind of data", names: .words, isCaptionHidden: true,
                header: ["Kind", "Observations", "First day", "Last day"],
                rows: rows.map { _, span in
                    (
                        span.title,
                        [
                            .number(span.count), ReportTable.Cell(text: span.first?.text ?? "–"),
                            ReportTable.Cell(text: span.last?.text ?? "–"),
                        ]
                    )
                }
            ).write(to: &html)
        }
    }

    /// The observations that were read and are in no plot, counted by reason.
    private var leftOut: [(what: String, count: Int)] {
        [
            ("Outside of the days asked for", outsideDays),
            ("Steps: an unlikely number", implausibleSteps),
            ("Steps: a negative number", steps.leftOut[.negative] ?? 0),
            ("Steps: longer than 31 days", steps.leftOut[.tooLong] ?? 0),
            ("Steps: more samples than fit", steps.leftOut[.overLimit] ?? 0),
            ("Heart rate: an unlikely rate", implausibleRates),
            ("Workouts: an unlikely figure", unlikelyFigures),
            ("Sleep: without length", nights.leftOut[.empty] ?? 0),
            ("Sleep: longer than a day", nights.leftOut[.tooLong] ?? 0),
            ("Sleep: more samples than fit", nights.leftOut[.overLimit] ?? 0),
        ]
    }

    private static func writeFooter(to html: inout HTML) {
        html.element(
            "footer",
            "Days are those of the clock that a sample was recorded by, if the export contains it. This page contains "
                + "all its data and loads nothing. It is not medical advice.")
        html.line()
    }
}
