#if canImport(Security)
    import Crypto
    import Foundation

    /// A P-256 key that was made in the Secure Enclave of an Apple device and never leaves it.
    public struct SecureEnclaveKey: DeviceSigning {
        /// The public half.
        public let publicKey: P256PublicKey
        private let key: SecureEnclave.P256.Signing.PrivateKey

        /// Whether this device has an enclave.
        public static var isAvailable: Bool { SecureEnclave.isAvailable }

        /// Makes a new key. Throws what the system throws.
        public init() throws { try self.init(SecureEnclave.P256.Signing.PrivateKey()) }

        /// Finds a key again. Throws what the system throws where it is another device's.
        /// - Parameter dataRepresentation: what ``dataRepresentation`` was.
        public init(dataRepresentation: Data) throws {
            try self.init(SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: dataRepresentation))
        }

        private init(_ key: SecureEnclave.P256.Signing.PrivateKey) throws {
            self.key = key
            publicKey = try P256PublicKey(x963: key.publicKey.x963Representation)
        }

        /// A block of bytes by which this device's enclave alone finds the key again.
        public var dataRepresentation: Data { key.dataRepresentation }

        public func signature(of bytes: Data) throws -> Data { try key.signature(for: bytes).rawRepresentation }
    }
#endif
