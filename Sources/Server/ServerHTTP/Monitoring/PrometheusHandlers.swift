import CoreMetrics

/// A counter of a ``PrometheusRegistry``.
final class PrometheusCounter: CounterHandler, FloatingPointCounterHandler {
    private let registry: PrometheusRegistry
    private let series: PrometheusRegistry.Series

    init(_ registry: PrometheusRegistry, _ series: PrometheusRegistry.Series) {
        self.registry = registry
        self.series = series
    }

    func increment(by amount: Int64) {
        registry.change(series, from: .count(0)) { value in
            switch value {
            case .count(let count): value = .count(count &+ max(0, amount))
            case .sum(let sum): value = .sum(sum + Double(max(0, amount)))
            case .level, .histogram: break
            }
        }
    }

    func increment(by amount: Double) {
        guard amount.isFinite, amount > 0 else { return }
        registry.change(series, from: .sum(0)) { value in
            switch value {
            case .count(let count): value = .sum(Double(count) + amount)
            case .sum(let sum): value = .sum(sum + amount)
            case .level, .histogram: break
            }
        }
    }

    func reset() {
        registry.change(series, from: .count(0)) { $0 = .count(0) }
    }
}

/// A gauge of a ``PrometheusRegistry``: a value that goes up and down.
final class PrometheusLevel: MeterHandler, RecorderHandler {
    private let registry: PrometheusRegistry
    private let series: PrometheusRegistry.Series

    init(_ registry: PrometheusRegistry, _ series: PrometheusRegistry.Series) {
        self.registry = registry
        self.series = series
    }

    func set(_ value: Int64) { set(Double(value)) }

    func set(_ value: Double) {
        registry.change(series, from: .level(0)) { $0 = .level(value) }
    }

    func increment(by amount: Double) {
        registry.change(series, from: .level(0)) { value in
            if case .level(let level) = value { value = .level(level + amount) }
        }
    }

    func decrement(by amount: Double) { increment(by: -amount) }
    func record(_ value: Int64) { set(Double(value)) }
    func record(_ value: Double) { set(value) }
}

/// A histogram of a ``PrometheusRegistry``.
final class PrometheusHistogram: TimerHandler, RecorderHandler {
    private let registry: PrometheusRegistry
    private let series: PrometheusRegistry.Series
    private let scale: Double

    init(_ registry: PrometheusRegistry, _ series: PrometheusRegistry.Series, scale: Double) {
        self.registry = registry
        self.series = series
        self.scale = scale
    }

    func recordNanoseconds(_ duration: Int64) { record(Double(duration)) }
    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        guard value.isFinite else { return }
        registry.change(series, from: .histogram(PrometheusRegistry.Histogram())) { known in
            guard case .histogram(var histogram) = known else { return }
            // Releases the enum's reference first, so that the counts are changed without a copy.
            known = .count(0)
            histogram.record(value * scale)
            known = .histogram(histogram)
        }
    }
}
