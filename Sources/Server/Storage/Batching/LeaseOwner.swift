import Core
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Owner of leases: host, process id and a random nonce of a process, so that it is unique.
package struct LeaseOwner: Sendable, CustomStringConvertible {
    private let host: String
    private let process: Int32
    private let nonce: String

    /// Creates a new owner for this process.
    package static func ofThisProcess() -> LeaseOwner {
        let process = ProcessInfo.processInfo
        return LeaseOwner(
            host: process.hostName, process: process.processIdentifier, nonce: UUID().lowercaseText)
    }

    private init(host: String, process: Int32, nonce: String) {
        self.host = host
        self.process = process
        self.nonce = nonce
    }

    /// Parses an owner; nil for any other text.
    package init?(_ text: String) {
        let parts = text.split(separator: " ").map(String.init)
        guard parts.count == 3, let process = Int32(parts[1]), process > 0 else { return nil }
        self.init(host: parts[0], process: process, nonce: parts[2])
    }

    package var description: String { "\(host) \(process) \(nonce)" }

    /// Whether the owner was a process of this host that has ended. An owner with this process's own id was an earlier
    /// process.
    package var isGone: Bool {
        let own = ProcessInfo.processInfo
        guard host == own.hostName else { return false }
        return process == own.processIdentifier || (kill(process, 0) != 0 && errno == ESRCH)
    }
}
