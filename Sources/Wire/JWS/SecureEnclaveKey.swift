#if canImport(Security)
    import Crypto
    import Foundation

    /// A P-256 key that was generated in the Secure Enclave of an Apple device and never leaves it.
    public struct SecureEnclaveKey: DeviceSigning {
        /// The public half.
        public let publicKey: P256PublicKey
        private let key: SecureEnclave.P256.Signing.PrivateKey

        /// Whether this device has a Secure Enclave.
        public static var isAvailable: Bool { SecureEnclave.isAvailable }

        /// Generates a new key. Throws the errors of the system.
        public init() throws { try self.init(SecureEnclave.P256.Signing.PrivateKey()) }

        /// Restores a key. Throws the system's error if it is another device's key.
        /// - Parameter dataRepresentation: the key's ``dataRepresentation``.
        public init(dataRepresentation: Data) throws {
            try self.init(SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: dataRepresentation))
        }

        private init(_ key: SecureEnclave.P256.Signing.PrivateKey) throws {
            self.key = key
            publicKey = try P256PublicKey(x963: key.publicKey.x963Representation)
        }

        /// Data from which only this device's Secure Enclave can restore the key.
        public var dataRepresentation: Data { key.dataRepresentation }

        public func signature(of bytes: Data) throws -> Data { try key.signature(for: bytes).rawRepresentation }
    }
#endif
