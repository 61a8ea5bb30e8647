import Foundation
import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension HTTPServer.Address {
    /// Checks that no other program listens on the address, before anything is begun that a failure would have to end.
    ///
    /// - Throws: ``ServerHTTPError`` `address-in-use`.
    public func requireFree() throws(ServerHTTPError) {
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
        // As the listener: connections of an earlier run that are being closed are in nobody's way.
        var flag: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &flag, socklen_t(MemoryLayout<Int32>.size))
        let isTaken = address.withSockAddr { bind(descriptor, $0, socklen_t($1)) != 0 && errno == EADDRINUSE }
        guard isTaken else { return }
        throw ServerHTTPError(
            code: "address-in-use",
            message: "Another program listens on \(host), port \(port); stop it, or choose another port.")
    }
}
