import CoreMetrics
import Foundation
import Logging
import ServiceLifecycle
import Synchronization
import Testing

@testable import ServerHTTP

@Suite struct MonitoringTests {
    let registry = PrometheusRegistry(maximumSeries: 5)

    @Test func metricsAreWrittenInTheTextFormat() async {
        Counter(label: "queue.rejects", dimensions: [("code", "a\"b\\c\nd")], factory: registry).increment(by: 2)
        Gauge(label: "9lives", factory: registry).record(1.5)
        Timer(label: "lock_wait", factory: registry).recordMilliseconds(20)
        registry.gauge("queue_depth", help: "What waits.\nBy state.") {
            [.init(3, labels: [("state", "held")]), .init(.nan), .init(.infinity)]
        }
        registry.gauge("unknown", help: "Nothing.") { nil as Double? }
        let text = await registry.text()
        #expect(
            text.contains("# TYPE queue_rejects_total counter\n" + #"queue_rejects_total{code="a\"b\\c\nd"} 2"# + "\n"))
        #expect(text.contains("# TYPE _9lives gauge\n_9lives 1.5\n"))
        #expect(text.contains("lock_wait_seconds_bucket{le=\"0.01\"} 0\nlock_wait_seconds_bucket{le=\"0.025\"} 1\n"))
        #expect(text.contains("lock_wait_seconds_bucket{le=\"+Inf\"} 1\n"))
        #expect(text.contains("lock_wait_seconds_sum 0.02\nlock_wait_seconds_count 1\n"))
        #expect(
            text.contains(
                "# HELP queue_depth What waits.\\nBy state.\n# TYPE queue_depth gauge\n"
                    + "queue_depth{state=\"held\"} 3.0\nqueue_depth NaN\nqueue_depth +Inf\n"))
        #expect(!text.contains("unknown"))
    }

    @Test func theNumberOfSeriesIsBounded() async {
        for index in 0..<100 {
            Counter(label: "made", dimensions: [("up", "\(index)")], factory: registry).increment()
        }
        let text = await registry.text()
        #expect(text.components(separatedBy: "made_total{").count == 6)
        #expect(text.contains("metrics_series_dropped_total 95\n"))
    }

    @Test func countersOnlyIncrease() async {
        let counter = FloatingPointCounter(label: "sum", factory: registry)
        counter.increment(by: 1.5)
        counter.increment(by: -1)
        counter.increment(by: Double.nan)
        #expect(await registry.text().contains("sum_total 1.5\n"))
        let meter = Meter(label: "level", factory: registry)
        meter.set(5)
        meter.decrement(by: 2)
        #expect(await registry.text().contains("level 3.0\n"))
    }

    @Test func processAndListenerHaveMetrics() async throws {
        let bodies = BodyBudget(bytes: 1_000)
        let reservation = try bodies.reserve(200)
        registry.registerProcessGauges()
        try await TestServer.run { server in
            registry.register(server.server, bodies: bodies)
            let socket = try TestSocket(port: server.port)
            #expect(try await poll { server.server.connections.open == 1 })
            let text = await registry.text()
            #expect(text.contains("\nhttp_connections_open 1.0\n") && text.contains("\nhttp_connections_refused 0.0\n"))
            #expect(text.contains("\nhttp_body_bytes_in_flight 200.0\n"))
            #expect(text.contains("\nprocess_max_fds \(Double(Descriptors.limit))\n"))
            #expect(text.contains("\nprocess_open_fds "))
            socket.close()
        }
        reservation.release()
        #expect(try #require(ProcessMemory.residentBytes) > 1 << 20)
    }

    func get(_ path: String, port: Int) async throws -> String {
        let socket = try TestSocket(port: port)
        socket.send("GET \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        return try await socket.text()
    }

    @Test func serverReportsLivenessReadinessAndMetrics() async throws {
        let problems = Mutex<[ReadinessProblem]>([])
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        registry.gauge("open", help: "Open.") { 7.0 }
        let shared = Shared(problems)
        // The test checks the responses: on a busy machine they may be slow.
        var limits = HTTPLimits.small
        limits.idle = .seconds(600)
        limits.header = .seconds(600)
        limits.answer = .seconds(600)
        limits.request = .seconds(600)
        let server = try MonitoringServer(
            registry: registry, limits: limits, logger: logger, readiness: { shared.value },
            onListening: {
                port.yield($0)
                port.finish()
            })
        let group = ServiceGroup.bounded([server], logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            for await port in ports {
                let live = try await get("/livez", port: port)
                #expect(live.hasPrefix("HTTP/1.1 200") && live.contains(#"{"status":"live"}"#))
                let ready = try await get("/readyz", port: port)
                #expect(ready.hasPrefix("HTTP/1.1 200") && ready.contains(#"{"reasons":[],"status":"ready"}"#))
                shared.value = [ReadinessProblem(code: "disk-full", message: "The disk is full.")]
                let unready = try await get("/readyz", port: port)
                #expect(unready.hasPrefix("HTTP/1.1 503"))
                #expect(
                    unready.contains(
                        #"{"reasons":[{"code":"disk-full","message":"The disk is full."}],"status":"unready"}"#))
                let metrics = try await get("/metrics", port: port)
                #expect(metrics.contains("text/plain; version=0.0.4") && metrics.contains("\nopen 7.0\n"))
                #expect(try await get("/other", port: port).hasPrefix("HTTP/1.1 404"))
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }

    /// A value that a test and a server share.
    final class Shared<Value: Sendable>: Sendable {
        private let held: Mutex<Value>
        var value: Value {
            get { held.withLock { $0 } }
            set { held.withLock { $0 = newValue } }
        }
        init(_ value: borrowing Mutex<Value>) { held = Mutex(value.withLock { $0 }) }
    }
}
