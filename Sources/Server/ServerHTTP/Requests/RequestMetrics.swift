import CoreMetrics
import HTTPTypes

/// Requests by method and status, and their times.
struct RequestMetrics: Sendable {
    private let factory: any MetricsFactory
    private let time: CoreMetrics.Timer

    init(factory: any MetricsFactory) {
        self.factory = factory
        time = CoreMetrics.Timer(
            label: "http_request", dimensions: [], preferredDisplayUnit: .seconds, factory: factory)
    }

    func count(method: HTTPRequest.Method, status: Int, duration: Duration) {
        Counter(
            label: "http_requests", dimensions: [("method", RequestMetrics.name(method)), ("status", String(status))],
            factory: factory
        ).increment()
        let (seconds, attoseconds) = duration.components
        time.recordNanoseconds(seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000)
    }

    /// A method by name; what nobody knows has one name, so that a client cannot make up series or log lines.
    static func name(_ method: HTTPRequest.Method) -> String {
        switch method {
        case .get, .head, .post, .put, .patch, .delete, .options: method.rawValue
        default: "OTHER"
        }
    }
}
