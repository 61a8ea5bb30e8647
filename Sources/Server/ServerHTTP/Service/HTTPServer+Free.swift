import Foundation
import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension HTTPServer.Address {
    /// Checks that no other program listens on the address. Call it before starting work that a failure would have to
    /// undo.
    ///
    /// - Throws: ``ServerHTTPError`` `address-in-use`.
    package func requireFree() throws(ServerHTTPError) {
        guard port != 0, let address = try? SocketAddress.makeAddressResolvingHost(host, port: port) else { return }
        let family: Int32
        switch address {
        case .v4: family = AF_INET
        case .v6: family = AF_INET6
        case .unixDomainSocket: return
        }
        #if canImport(Glibc)
            let descriptor = socket(family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        #else
            let descriptor = socket(family, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        // As for the listener: connections of an earlier process that are being closed do not block the address.
        var flag: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &flag, socklen_t(MemoryLayout<Int32>.size))
        let isTaken = address.withSockAddr { bind(descriptor, $0, socklen_t($1)) != 0 && errno == EADDRINUSE }
        guard isTaken else { return }
        throw ServerHTTPError(
            code: "address-in-use",
            message: "Another program listens on \(host), port \(port); stop it, or choose another port.")
    }
}
