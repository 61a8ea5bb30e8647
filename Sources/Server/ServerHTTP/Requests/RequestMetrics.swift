import CoreMetrics
import HTTPTypes
import Synchronization

/// Counts requests by method and status, and measures their durations.
final class RequestMetrics: Sendable {
    private struct Kind: Hashable {
        let method: String
        let status: Int
    }

    private let factory: any MetricsFactory
    /// Cached, because creating a counter costs more than counting. Methods and statuses are few.
    private let counters = Mutex<[Kind: Counter]>([:])
    private let time: CoreMetrics.Timer

    init(factory: any MetricsFactory) {
        self.factory = factory
        time = CoreMetrics.Timer(
            label: "http_request", dimensions: [], preferredDisplayUnit: .seconds, factory: factory)
    }

    @inline(never)
    func count(method: HTTPRequest.Method, status: Int, duration: Duration) {
        let kind = Kind(method: RequestMetrics.name(method), status: status)
        let counter = counters.withLock { counters in
            if let known = counters[kind] { return known }
            let made = Counter(
                label: "http_requests", dimensions: [("method", kind.method), ("status", String(status))],
                factory: factory)
            counters[kind] = made
            return made
        }
        counter.increment()
        let (seconds, attoseconds) = duration.components
        time.recordNanoseconds(seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000)
    }

    /// Returns the name of a method. All unknown methods share one name, so that a client cannot create series or log
    /// lines.
    static func name(_ method: HTTPRequest.Method) -> String {
        switch method {
        case .get, .head, .post, .put, .patch, .delete, .options: method.rawValue
        default: "OTHER"
        }
    }
}
