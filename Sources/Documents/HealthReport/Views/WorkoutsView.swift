import HealthData

/// The workouts by kind of activity.
struct WorkoutsView {
    /// The activities, ordered by name.
    let activities: [(name: String, totals: ActivityTotals)]

    private static let rowHeight = 40

    func write(to html: inout HTML) {
        guard !activities.isEmpty else {
            html.element("p", "There are no workouts.")
            return
        }
        let count = activities.reduce(0) { $0 + $1.totals.count }
        let minutes = activities.reduce(0) { $0 + $1.totals.minutes }
        html.element(
            "p",
            "\(ReportNumber.count(count, "workout")), \(ReportNumber.hours(Int64(min(minutes, 1e12) * 60))) in all.")
        let ordered = activities.sorted {
            $0.totals.minutes == $1.totals.minutes ? $0.name < $1.name : $0.totals.minutes > $1.totals.minutes
        }
        let longest = ordered.first?.totals.minutes ?? 0
        let title = "Time by activity"
        html.element("figure") { html in
            html.element("h3", title)
            TimeChart.drawing(
                name: "workouts", title: title,
                description: "A bar for each activity, the longest first: \(ordered.first?.name ?? "") with "
                    + "\(ReportNumber.grouped(longest)) minutes.",
                height: ordered.count * Self.rowHeight, to: &html
            ) { html in
                for (row, activity) in ordered.enumerated() { draw(activity, row: row, longest: longest, to: &html) }
            }
            html.line()
            html.element(
                "figcaption",
                "Minutes of the workouts themselves. If watch and app recorded the same workout, both are included.")
            ReportTable(
                caption: "Workouts by activity", names: .words,
                header: ["Activity", "Workouts", "Minutes", "Kilometres", "Active kilocalories"],
                rows: ordered.map { name, totals in
                    (
                        name,
                        [
                            .number(totals.count), .number(totals.minutes),
                            totals.distance > 0 ? .number(totals.distance / 1000) : .none,
                            totals.energy > 0 ? .number(ReportNumber.whole(totals.energy)) : .none,
                        ]
                    )
                }
            ).writeDetails(to: &html, summary: "Workouts as a table")
        }
    }

    private func draw(
        _ activity: (name: String, totals: ActivityTotals), row: Int, longest: Double, to html: inout HTML
    ) {
        let totals = activity.totals
        let words = "\(ReportNumber.grouped(totals.minutes)) min in \(ReportNumber.count(totals.count, "workout"))"
        let y = row * Self.rowHeight
        html.element("text", attributes: ["class": "name", "x": "0", "y": String(y + 15)], activity.name)
        html.element("text", attributes: ["x": "100%", "y": String(y + 15), "text-anchor": "end"], words)
        let size: KeyValuePairs<StaticString, String> = [
            "class": "track", "x": "0", "y": String(y + 21), "width": "100%", "height": "11",
        ]
        html.element("rect", attributes: size) { _ in }
        html.element(
            "rect",
            attributes: [
                "class": "bar", "x": "0", "y": String(y + 21), "height": "11",
                "width": ReportNumber.percent(longest > 0 ? totals.minutes / longest : 0),
            ]
        ) { $0.element("title", "\(activity.name): \(words)") }
        html.line()
    }
}
