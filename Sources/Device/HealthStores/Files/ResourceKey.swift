import Core
import Crypto
import Foundation
import HealthData
import HealthSync

/// The key of a resource in a set.
enum ResourceKey {
    /// Returns the key of a reference such as `Observation/ID`. For Observations whose id is a UUID, which are nearly
    /// all, it is derived from the bits of the UUID; for all others it is a prefix of a digest.
    static func key(of reference: String) -> FingerprintKey {
        switch HealthTarget(reference) {
        case .observation(let id): return key(of: id)
        case .other(var text):
            return text.withUTF8 { text in
                SHA256.hash(data: text).withUnsafeBytes { bytes in
                    FingerprintKey(
                        high: bytes.loadUnaligned(as: UInt64.self),
                        low: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
                }
            }
        }
    }

    /// Returns the key of the Observation with this id.
    static func key(of id: UUID) -> FingerprintKey {
        // Some bits of a UUID are constant, and UUIDs of an app may be consecutive numbers.
        let (high, low) = id.halves
        let first = spread(high &+ low &* 0x9E37_79B9_7F4A_7C15)
        return FingerprintKey(high: first, low: spread(low ^ first.byteSwapped))
    }

    /// A bijective mix of the bits of a number (MurmurHash3's finalizer,
    /// <https://github.com/aappleby/smhasher/wiki/MurmurHash3>).
    private static func spread(_ number: UInt64) -> UInt64 {
        var number = number
        number = (number ^ number >> 33) &* 0xFF51_AFD7_ED55_8CCD
        number = (number ^ number >> 33) &* 0xC4CE_B9FE_1A85_EC53
        return number ^ number >> 33
    }
}
