import CoreMetrics
import Synchronization

/// The process's metrics, in Prometheus's text format 0.0.4.
///
/// ```swift
/// let registry = PrometheusRegistry()
/// MetricsSystem.bootstrap(registry)        // once a process
/// registry.gauge("queue_depth", help: "Submissions that wait.") { try? await queue.depth() }
/// ```
///
/// The number of series is bounded. Beyond the limit, values are only counted in `metrics_series_dropped_total`.
package final class PrometheusRegistry: MetricsFactory, Sendable {
    /// A value of a gauge that is read on request.
    package struct Sample: Sendable {
        package let value: Double
        package let labels: [(String, String)]

        package init(_ value: Double, labels: [(String, String)] = []) {
            self.value = value
            self.labels = labels
        }
    }

    struct Series: Hashable, Comparable {
        let name: String
        let labels: String

        static func < (one: Series, other: Series) -> Bool {
            one.name == other.name ? one.labels < other.labels : one.name < other.name
        }
    }

    enum Value {
        case count(Int64)
        case sum(Double)
        case level(Double)
        case histogram(Histogram)
    }

    struct Histogram {
        static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
        var counts = [Int64](repeating: 0, count: bounds.count)
        var count: Int64 = 0
        var sum = 0.0

        mutating func record(_ value: Double) {
            if let index = Histogram.bounds.firstIndex(where: { value <= $0 }) { counts[index] += 1 }
            count += 1
            sum += value
        }
    }

    struct Gauge: Sendable {
        let help: String
        let read: @Sendable () async -> [Sample]
    }

    struct State {
        var values: [Series: Value] = [:]
        var gauges: [String: Gauge] = [:]
        var dropped: Int64 = 0
    }

    /// Maximum number of series that are kept, and of values that one gauge reports.
    package let maximumSeries: Int
    let state = Mutex(State())

    package init(maximumSeries: Int = 2_000) { self.maximumSeries = maximumSeries }

    /// Registers a gauge that is read for each request of the metrics. A second gauge of the same name replaces the
    /// first.
    ///
    /// - Parameter read: returns the samples; the gauge is omitted if there are none.
    package func gauge(_ name: String, help: String, samples read: @escaping @Sendable () async -> [Sample]) {
        state.withLock { $0.gauges[PrometheusText.name(name)] = Gauge(help: help, read: read) }
    }

    /// Registers a gauge with a single value.
    package func gauge(_ name: String, help: String, read: @escaping @Sendable () async -> Double?) {
        gauge(name, help: help) { await read().map { [Sample($0)] } ?? [] }
    }

    /// Changes a series. Its initial value is `first`.
    func change(_ series: Series, from first: Value, _ change: (inout Value) -> Void) {
        state.withLock { state in
            guard state.values[series] != nil || state.values.count < maximumSeries else {
                state.dropped += 1
                return
            }
            change(&state.values[series, default: first])
        }
    }

    private func series(_ label: String, dimensions: [(String, String)], suffix: String = "") -> Series {
        Series(name: PrometheusText.name(label) + suffix, labels: PrometheusText.labels(dimensions))
    }

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        PrometheusCounter(self, series(label, dimensions: dimensions, suffix: "_total"))
    }

    package func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        PrometheusCounter(self, series(label, dimensions: dimensions, suffix: "_total"))
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        PrometheusLevel(self, series(label, dimensions: dimensions))
    }

    package func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        aggregate
            ? PrometheusHistogram(self, series(label, dimensions: dimensions), scale: 1)
            : PrometheusLevel(self, series(label, dimensions: dimensions))
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        PrometheusHistogram(self, series(label, dimensions: dimensions, suffix: "_seconds"), scale: 1e-9)
    }

    // A series outlives its handlers: Prometheus requires counters that never decrease.
    package func destroyCounter(_ handler: any CounterHandler) {}
    package func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    package func destroyMeter(_ handler: any MeterHandler) {}
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    package func destroyTimer(_ handler: any TimerHandler) {}
}
