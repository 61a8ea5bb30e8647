import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A mail server on loopback whose answers a test sets. It serves one connection at a time.
final class SMTPResponder: Sendable {
    /// The reaction at a point of the dialogue.
    enum Reaction: Sendable {
        case reply(Int)
        case hang
        case close
    }

    let port: Int
    private let listener: Int32
    /// By the first four letters of a command; `HELO` for the greeting, `.` for the end of a message.
    private let reactions: [String: Reaction]
    private let received = Mutex<[String]>([])

    /// The accepted messages.
    var messages: [String] { received.withLock { $0 } }

    init(_ reactions: [String: Reaction] = [:]) throws {
        self.reactions = reactions
        (listener, port) = try SMTPResponder.bound()
        guard listen(listener, 16) == 0 else { throw CocoaError(.fileReadUnknown) }
        Thread.detachNewThread { [self] in serve() }
    }

    /// Returns a port that no program listens on.
    static func freePort() throws -> Int {
        let (descriptor, port) = try bound()
        close(descriptor)
        return port
    }

    /// Returns a socket with a port of its own.
    private static func bound() throws -> (descriptor: Int32, port: Int) {
        let descriptor = socket(AF_INET, stream, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
            }
        }
        guard isBound else { throw CocoaError(.fileReadUnknown) }
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }

    #if canImport(Glibc)
        private static let stream = Int32(SOCK_STREAM.rawValue)
        private static let noSignal = Int32(MSG_NOSIGNAL)
    #else
        private static let stream = SOCK_STREAM
        private static let noSignal: Int32 = 0
    #endif

    private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int {
        send(descriptor, bytes.baseAddress, bytes.count, noSignal)
    }

    /// Ends the server.
    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    private func serve() {
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { break }
            converse(Connection(connection))
            close(connection)
        }
        close(listener)
    }

    private func converse(_ connection: Connection) {
        guard react("HELO", usually: 220, connection) else { return }
        while let line = connection.line() {
            let verb = line.prefix(4).uppercased()
            switch verb {
            case "EHLO":
                connection.send("250-test\r\n")
                guard react(verb, usually: 250, connection) else { return }
            case "DATA":
                guard react(verb, usually: 354, connection) else { return }
                if case .reply = reactions[verb] { continue }
                guard let message = connection.message(), react(".", usually: 250, connection) else { return }
                if reactions["."] == nil { received.withLock { $0.append(message) } }
            case "QUIT":
                connection.send("221 bye\r\n")
                return
            default: guard react(verb, usually: 250, connection) else { return }
            }
        }
    }

    /// Returns whether the dialogue continues.
    private func react(_ point: String, usually code: Int, _ connection: Connection) -> Bool {
        switch reactions[point] {
        case nil: connection.send("\(code) ok\r\n")
        case .reply(let other): connection.send("\(other) ann@example.org is not wanted\r\n")
        case .close: return false
        case .hang:
            while connection.line() != nil {}
            return false
        }
        return true
    }

    private final class Connection {
        private let descriptor: Int32
        private var buffer: [UInt8] = []

        init(_ descriptor: Int32) { self.descriptor = descriptor }

        func send(_ text: String) {
            let bytes = Array(text.utf8)
            _ = bytes.withUnsafeBytes { SMTPResponder.write($0, to: descriptor) }
        }

        /// Returns the next line without CR LF; nil at the end of the connection.
        func line() -> String? {
            while true {
                if let end = buffer.firstRange(of: [13, 10]) {
                    let line = String(decoding: buffer[..<end.lowerBound], as: UTF8.self)
                    buffer.removeSubrange(..<end.upperBound)
                    return line
                }
                var part = [UInt8](repeating: 0, count: 4_096)
                let count = recv(descriptor, &part, part.count, 0)
                guard count > 0 else { return nil }
                buffer += part[..<count]
            }
        }

        /// Returns a message, without the dots that SMTP adds.
        func message() -> String? {
            var text = ""
            while let line = line() {
                if line == "." { return text }
                text += (line.hasPrefix(".") ? String(line.dropFirst()) : line) + "\r\n"
            }
            return nil
        }
    }
}
