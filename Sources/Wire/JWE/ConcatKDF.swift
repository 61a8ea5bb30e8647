import Crypto
import Foundation

/// The key derivation of NIST SP 800-56A section 5.8.1 with SHA-256, as RFC 7518 section 4.6.2 uses it.
enum ConcatKDF {
    /// Derives a key of up to 256 bits (one round of the hash).
    /// - Parameters:
    ///   - secret: the shared secret Z.
    /// - algorithm: the algorithm that uses the key; for `ECDH-ES+A256KW` the whole of that name.
    ///   - partyU: the decoded `apu` header, empty if absent.
    ///   - partyV: the decoded `apv` header, empty if absent.
    /// - bits: the key's length, a multiple of 8, with a maximum of 256.
    static func derive(secret: Data, algorithm: String, partyU: Data, partyV: Data, bits: Int = 256) -> SymmetricKey {
        var hash = SHA256()
        hash.update(data: bigEndian(1))
        hash.update(data: secret)
        for field in [Data(algorithm.utf8), partyU, partyV] {
            hash.update(data: bigEndian(field.count))
            hash.update(data: field)
        }
        hash.update(data: bigEndian(bits))
        return SymmetricKey(data: Array(hash.finalize()).prefix(bits / 8))
    }

    private static func bigEndian(_ number: Int) -> Data {
        withUnsafeBytes(of: UInt32(truncatingIfNeeded: number).bigEndian) { Data($0) }
    }
}
