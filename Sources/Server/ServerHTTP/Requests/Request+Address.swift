import Hummingbird

extension Request {
    /// Returns the address of this server, without a path, as the client named it.
    ///
    /// - Parameter scheme: `https` if the server uses TLS.
    package func address(scheme: String) -> String {
        let authority = head.authority ?? ""
        let isPlain = authority.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: "-._~:[]".utf8.contains(byte)
            }
        }
        return "\(scheme)://\(isPlain && !authority.isEmpty ? authority : "localhost")"
    }
}
