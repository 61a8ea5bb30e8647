import Core
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The name under which a process leases submissions: its host, its number and a random word, so that no two processes ever
/// have the same.
struct LeaseOwner: Sendable, CustomStringConvertible {
    private let host: String
    private let process: Int32
    private let word: String

    /// A new name for this process.
    static func ofThisProcess() -> LeaseOwner {
        let process = ProcessInfo.processInfo
        return LeaseOwner(
            host: process.hostName, process: process.processIdentifier, word: UUID().lowercaseText)
    }

    private init(host: String, process: Int32, word: String) {
        self.host = host
        self.process = process
        self.word = word
    }

    /// Reads a name; nil for any other text.
    init?(_ text: String) {
        let parts = text.split(separator: " ").map(String.init)
        guard parts.count == 3, let process = Int32(parts[1]), process > 0 else { return nil }
        self.init(host: parts[0], process: process, word: parts[2])
    }

    var description: String { "\(host) \(process) \(word)" }

    /// Whether it was a process of this host that has ended. One whose number this process has was its predecessor.
    var isGone: Bool {
        let own = ProcessInfo.processInfo
        guard host == own.hostName else { return false }
        return process == own.processIdentifier || (kill(process, 0) != 0 && errno == ESRCH)
    }
}
