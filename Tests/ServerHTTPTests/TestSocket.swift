import Foundation
import TestSupport

/// A client's socket, driven byte by byte. It never blocks: it polls until a deadline.
final class TestSocket {
    private let descriptor: Int32
    private var isOpen = true
    private let start = ContinuousClock.now

    /// - Parameter receiveBuffer: Bytes that the kernel accepts for a client that does not read.
    init(port: Int, receiveBuffer: Int32? = nil) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        if var size = receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port)).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0, fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else {
            close()
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
    }

    deinit { close() }

    func close() {
        if isOpen { Glibc.close(descriptor) }
        isOpen = false
    }

    /// Resets the connection without a regular close.
    func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
        close()
    }

    /// Sends the bytes that the kernel accepts; returns nil if the connection is closed.
    @discardableResult func send(_ text: String) -> Int? { send(Array(text.utf8)[...]) }

    func send(_ bytes: ArraySlice<UInt8>) -> Int? {
        let count = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        if count < 0 { return errno == EAGAIN ? 0 : nil }
        return count
    }

    /// Returns the available bytes, or nil if the connection has ended.
    func read() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count > 0 { return Array(buffer.prefix(count)) }
        return count < 0 && errno == EAGAIN ? [] : nil
    }

    /// Reads until the text contains `end`, or the connection ends, or time is up.
    func text(until end: String? = nil, within seconds: Double = Patience.seconds) async throws -> String {
        var text = ""
        try await poll(within: seconds) {
            guard let bytes = self.read() else { return true }
            text += String(decoding: bytes, as: UTF8.self)
            return end.map { text.contains($0) } ?? false
        }
        return text
    }

    /// Returns the seconds from before the connection was made to its end, or nil if it is still open after `seconds`.
    ///
    /// - Parameter feed: Text that is sent repeatedly.
    func lifetime(within seconds: Double = Patience.seconds, feeding feed: String? = nil, every: Double = 0.05)
        async throws
        -> Double?
    {
        var fed = ContinuousClock.now
        let isClosed = try await poll(within: seconds) {
            if let feed, fed.duration(to: .now) > .seconds(every) {
                fed = .now
                if self.send(feed) == nil { return true }
            }
            return self.read() == nil
        }
        return isClosed ? start.duration(to: .now) / .seconds(1) : nil
    }
}

/// Repeats the check until it is true or time is up.
@discardableResult
func poll(within seconds: Double = Patience.seconds, _ isDone: () async throws -> Bool) async throws -> Bool {
    let start = ContinuousClock.now
    while start.duration(to: .now) < .seconds(seconds) {
        if try await isDone() { return true }
        try await Task.sleep(for: .milliseconds(5))
    }
    return try await isDone()
}
