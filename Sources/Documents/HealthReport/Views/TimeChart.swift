import HealthData

/// A plot over time: marks above an axis of days, drawn as SVG without a fixed width.
///
/// Horizontal positions are in percent and vertical positions in pixels, so the plot is as wide as the screen while the
/// size of its text does not change. The scale at the left is HTML next to the drawing.
struct TimeChart {
    static let plotHeight = 180.0
    private static let top = 8.0
    private static let height = 214

    let name: String
    let title: String
    let description: String
    /// The values at the bottom and at the top.
    let scale: ClosedRange<Double>
    /// The labels of the scale from top to bottom.
    let labels: [String]
    let period: ReportPeriod
    let starts: [HealthDay]

    /// Writes the plot with the marks that `marks` draws in it.
    func write(to html: inout HTML, marks: (inout HTML) -> Void) {
        html.element("div", attributes: ["class": "plot"]) { html in
            html.element("div", attributes: ["class": "scale", "aria-hidden": "true"]) { html in
                for label in labels { html.element("span", label) }
            }
            html.line()
            Self.drawing(name: name, title: title, description: description, height: Self.height, to: &html) { html in
                for index in labels.indices {
                    let y = Self.top + Self.plotHeight * Double(index) / Double(max(1, labels.count - 1))
                    html.element(
                        "line",
                        attributes: [
                            "class": "grid", "x1": "0", "x2": "100%", "y1": Self.pixels(y), "y2": Self.pixels(y),
                        ]
                    ) { _ in }
                }
                html.line()
                marks(&html)
                Self.ticks(period, starts, y: Self.height - 6, to: &html)
            }
        }
        html.line()
    }

    /// Draws a rectangle from one value to another at the index of a period.
    ///
    /// - Parameters:
    ///   - least: minimum height in pixels.
    ///   - gap: pixels that are left free above, so that stacked marks can be distinguished.
    ///   - words: the text that is shown when the pointer is over the mark.
    func mark(
        _ style: StaticString, at index: Int, from low: Double, to high: Double, least: Double = 0, gap: Double = 0,
        words: String,
        in html: inout HTML
    ) {
        let count = Double(Self.slots(starts.count))
        var (bottom, top) = (y(low), y(high))
        if bottom - top < least { (bottom, top) = ((bottom + top + least) / 2, (bottom + top - least) / 2) }
        top += min(gap, (bottom - top) / 3)
        html.element(
            "rect",
            attributes: [
                "class": "\(style)", "x": ReportNumber.percent((Double(index) + 0.1) / count),
                "width": ReportNumber.percent(0.8 / count), "y": Self.pixels(top),
                "height": Self.pixels(bottom - top),
            ]
        ) { $0.element("title", words) }
        html.line()
    }

    private func y(_ value: Double) -> Double {
        let length = scale.upperBound - scale.lowerBound
        let part = length > 0 ? (value - scale.lowerBound) / length : 0
        return Self.top + Self.plotHeight * (1 - min(max(part, 0), 1))
    }

    // MARK: - Parts that other drawings use too

    /// Minimum number of slots in a plot, so that a single day does not fill the width.
    private static let minimumSlots = 7

    /// Returns the number of slots for a number of periods.
    static func slots(_ periods: Int) -> Int { max(minimumSlots, periods) }

    /// Writes a drawing with a title and a description for screen readers.
    static func drawing(
        name: String, title: String, description: String, height: Int, to html: inout HTML,
        _ body: (inout HTML) -> Void
    ) {
        html.element(
            "svg",
            attributes: [
                "role": "img", "aria-labelledby": "\(name)-title \(name)-description", "width": "100%",
                "height": String(height),
            ]
        ) { html in
            html.element("title", attributes: ["id": "\(name)-title"], title)
            html.element("desc", attributes: ["id": "\(name)-description"], description)
            html.line()
            body(&html)
        }
    }

    /// Writes the days under a plot: the first, the last, and on a wide screen some between.
    static func ticks(_ period: ReportPeriod, _ starts: [HealthDay], y: Int, to html: inout HTML) {
        guard let last = starts.indices.last else { return }
        let slots = Double(slots(starts.count))
        // Under a few wide marks there is space only for the first day.
        let isFew = starts.count < minimumSlots
        let indices = isFew ? [0] : Set([0, last / 4, last / 2, last * 3 / 4, last]).sorted()
        for index in indices {
            let isEnd = index == 0 || index == last
            let x = index == 0 ? 0 : index == last ? 1 : (Double(index) + 0.5) / slots
            html.element(
                "text",
                attributes: [
                    "class": isEnd ? "tick" : "tick wide", "x": ReportNumber.percent(x), "y": String(y),
                    "text-anchor": index == 0 ? "start" : index == last ? "end" : "middle",
                ], period.tick(starts[index]))
        }
        html.line()
    }

    /// Writes a legend of the colours.
    static func legend(_ keys: [(style: StaticString, words: String)], to html: inout HTML) {
        html.element("ul", attributes: ["class": "legend"]) { html in
            for key in keys {
                html.element("li") { html in
                    html.element("svg", attributes: ["aria-hidden": "true", "width": "12", "height": "12"]) { html in
                        html.element("rect", attributes: ["class": "\(key.style)", "width": "12", "height": "12"]) {
                            _ in
                        }
                    }
                    html.text(key.words)
                }
            }
        }
        html.line()
    }

    /// Returns pixels with one decimal digit.
    static func pixels(_ value: Double) -> String { ReportNumber.tenth(value) }
}
