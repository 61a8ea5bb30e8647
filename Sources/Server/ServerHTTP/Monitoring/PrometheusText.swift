/// Prometheus's text format 0.0.4 (https://prometheus.io/docs/instrumenting/exposition_formats/).
enum PrometheusText {
    static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    /// Returns a name that the format allows: each character other than letters, digits and `_` becomes `_`.
    static func name(_ label: String) -> String {
        let name = String(
            label.unicodeScalars.map { scalar -> Character in
                switch scalar {
                case "a"..."z", "A"..."Z", "0"..."9", "_": Character(scalar)
                default: "_"
                }
            })
        return name.first?.isNumber ?? true ? "_" + name : name
    }

    /// Returns labels such as `a="b",c="d"`, with values truncated to 128 characters.
    static func labels(_ dimensions: [(String, String)]) -> String {
        dimensions.map { label, value in
            let escaped = value.prefix(128).map { character in
                switch character {
                case "\\": "\\\\"
                case "\"": "\\\""
                case "\n", "\r\n": "\\n"
                default: String(character)
                }
            }
            return "\(name(label))=\"\(escaped.joined())\""
        }.joined(separator: ",")
    }

    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return "\(value)"
    }

    static func line(_ name: String, labels: String, value: String) -> String {
        labels.isEmpty ? "\(name) \(value)\n" : "\(name){\(labels)} \(value)\n"
    }
}

extension PrometheusRegistry {
    /// Returns all metrics, after the gauges are read.
    package func text() async -> String {
        let (values, gauges, dropped) = state.withLock { ($0.values, $0.gauges, $0.dropped) }
        var text = ""
        var last = ""
        for (series, value) in values.sorted(by: { $0.key < $1.key }) {
            if series.name != last { text += "# TYPE \(series.name) \(value.kind)\n" }
            last = series.name
            text += value.lines(series)
        }
        for (name, gauge) in gauges.sorted(by: { $0.key < $1.key }) {
            let samples = await gauge.read().prefix(maximumSeries)
            guard !samples.isEmpty else { continue }
            let help = gauge.help.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
            text += "# HELP \(name) \(help)\n# TYPE \(name) gauge\n"
            for sample in samples {
                text += PrometheusText.line(
                    name, labels: PrometheusText.labels(sample.labels), value: PrometheusText.number(sample.value))
            }
        }
        text += "# TYPE metrics_series_dropped_total counter\nmetrics_series_dropped_total \(dropped)\n"
        return text
    }
}

extension PrometheusRegistry.Value {
    fileprivate var kind: String {
        switch self {
        case .count, .sum: "counter"
        case .level: "gauge"
        case .histogram: "histogram"
        }
    }

    fileprivate func lines(_ series: PrometheusRegistry.Series) -> String {
        switch self {
        case .count(let count): return PrometheusText.line(series.name, labels: series.labels, value: "\(count)")
        case .sum(let value), .level(let value):
            return PrometheusText.line(series.name, labels: series.labels, value: PrometheusText.number(value))
        case .histogram(let histogram):
            var text = ""
            var below: Int64 = 0
            func bucket(_ bound: String, _ count: Int64) {
                let labels = series.labels.isEmpty ? "" : series.labels + ","
                text += PrometheusText.line(
                    series.name + "_bucket", labels: labels + "le=\"\(bound)\"", value: "\(count)")
            }
            for (bound, count) in zip(PrometheusRegistry.Histogram.bounds, histogram.counts) {
                below += count
                bucket("\(bound)", below)
            }
            bucket("+Inf", histogram.count)
            text += PrometheusText.line(
                series.name + "_sum", labels: series.labels, value: PrometheusText.number(histogram.sum))
            return text
                + PrometheusText.line(series.name + "_count", labels: series.labels, value: "\(histogram.count)")
        }
    }
}
