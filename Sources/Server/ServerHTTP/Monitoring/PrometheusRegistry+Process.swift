import Foundation

extension PrometheusRegistry {
    /// Registers what is known of the process itself, by the names that Prometheus's own clients use
    /// (https://prometheus.io/docs/instrumenting/writing_clientlibs/#process-metrics), and how often the descriptors held
    /// back were needed.
    public func registerProcessGauges() {
        gauge("process_open_fds", help: "Descriptors that are open.") { Double(Descriptors.open) }
        gauge("process_max_fds", help: "Descriptors that may be open.") { Double(Descriptors.limit) }
        gauge("process_resident_memory_bytes", help: "Memory in use.") { ProcessMemory.residentBytes.map(Double.init) }
        gauge("descriptor_reserve_used", help: "How often the runtime needed a descriptor held back.") {
            Double(Descriptors.reserveUsed)
        }
    }

    /// Registers what is known of a listener and of the bodies in flight.
    public func register(_ server: HTTPServer, bodies: BodyBudget? = nil) {
        gauge("http_connections_open", help: "Connections that are open or still worked for.") {
            Double(server.connections.open)
        }
        gauge("http_connections_refused", help: "Connections refused since the start.") {
            Double(server.connections.refused)
        }
        guard let bodies else { return }
        gauge("http_body_bytes_in_flight", help: "Bytes of request bodies in memory.") { Double(bodies.bytesInFlight) }
        gauge("http_body_bytes_limit", help: "The most bytes of request bodies in memory.") { Double(bodies.bytes) }
    }
}

enum ProcessMemory {
    /// Bytes of the process in memory; nothing where the system does not tell.
    static var residentBytes: Int? {
        // The second number is the pages in memory (proc(5), /proc/pid/statm).
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
        let numbers = text.split(separator: " ")
        return numbers.count > 1 ? Int(numbers[1]).map { $0 * sysconf(Int32(_SC_PAGESIZE)) } : nil
    }
}
