import Foundation

extension PrometheusRegistry {
    /// Registers the metrics of the process, with the names of Prometheus's own clients
    /// (https://prometheus.io/docs/instrumenting/writing_clientlibs/#process-metrics), and the number of times that a
    /// reserved descriptor was needed.
    package func registerProcessGauges() {
        gauge("process_open_fds", help: "Descriptors that are open.") { Double(Descriptors.open) }
        gauge("process_max_fds", help: "Descriptors that may be open.") { Double(Descriptors.limit) }
        gauge("process_resident_memory_bytes", help: "Memory in use.") { ProcessMemory.residentBytes.map(Double.init) }
        gauge("descriptor_reserve_used", help: "How often the runtime needed a descriptor held back.") {
            Double(Descriptors.reserveUsed)
        }
    }

    /// Registers the metrics of a listener and of the request bodies in memory.
    package func register(_ server: HTTPServer, bodies: BodyBudget? = nil) {
        gauge("http_connections_open", help: "Connections that are open or still worked for.") {
            Double(server.connections.open)
        }
        gauge("http_connections_refused", help: "Connections refused since the start.") {
            Double(server.connections.refused)
        }
        guard let bodies else { return }
        gauge("http_body_bytes_in_flight", help: "Bytes of request bodies in memory.") { Double(bodies.bytesInFlight) }
        gauge("http_body_bytes_limit", help: "Maximum bytes of request bodies in memory.") { Double(bodies.bytes) }
    }
}

enum ProcessMemory {
    /// The resident memory of the process in bytes; nil if the system does not report it.
    static var residentBytes: Int? {
        // The second number is the resident pages (proc(5), /proc/pid/statm).
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
        let numbers = text.split(separator: " ")
        return numbers.count > 1 ? Int(numbers[1]).map { $0 * sysconf(Int32(_SC_PAGESIZE)) } : nil
    }
}
