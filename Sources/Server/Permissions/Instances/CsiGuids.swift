import Core
import Crypto
import Foundation
import Storage
import Wire

/// Issues guids for new csis, and recognises them later without a list of them.
///
/// A guid is a UUID of version 8 (RFC 9562 section 5.8): the time of issue in seconds (32 bits), random bits (42 bits),
/// and the start of an HMAC-SHA-256 over both (48 bits). All processes of a store have the same key.
struct CsiGuids: Sendable {
    /// Seconds from the issue of a guid until it expires.
    static let lifetime: TimeInterval = 900
    /// Maximum difference in seconds between the clocks of two hosts.
    private static let clockTolerance: TimeInterval = 300

    private let key: SymmetricKey

    /// - Parameter key: 32 random bytes.
    init(key: Data) { self.key = SymmetricKey(data: key) }

    /// Returns a new guid.
    ///
    /// - Parameter random: returns a number of random bytes.
    func issue(now: Date, random: (Int) -> [UInt8]) -> CsiGuid? {
        let bytes = random(8)
        let seconds = UInt64(UInt32(clamping: Int64(now.timeIntervalSince1970.rounded(.down))))
        let noise = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let high = seconds << 32 | (noise >> 48) << 16 | 0x8000 | (noise >> 36 & 0xFFF)
        let low = UInt64(0b10) << 62 | (noise & 0x3FFF) << 48
        return CsiGuid(UUID((high, low | mac(high, low))).lowercaseText)
    }

    /// Whether this key issued a guid at most 15 minutes ago.
    func recognizes(_ guid: CsiGuid, now: Date) -> Bool {
        guard let uuid = UUID(text: guid.text, isLowercase: true) else { return false }
        let (high, low) = uuid.halves
        let stated = low & Self.macBits
        guard stated ^ mac(high, low & ~Self.macBits) == 0 else { return false }
        let age = now.timeIntervalSince1970 - Double(high >> 32)
        return (-Self.clockTolerance...Self.lifetime).contains(age)
    }

    private static let macBits: UInt64 = 0xFFFF_FFFF_FFFF

    /// Returns the 48 bits of the HMAC over the other 80 bits.
    private func mac(_ high: UInt64, _ low: UInt64) -> UInt64 {
        var text = Data("csi guid 1 ".utf8)
        withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { text.append(contentsOf: $0.prefix(10)) }
        let code = HMAC<SHA256>.authenticationCode(for: text, using: key)
        return code.prefix(6).reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension CsiGuids {
    /// Creates the key of a store if there is none. The first process creates it, and all others use it.
    ///
    /// - Parameter random: returns a number of random bytes that are suitable for secrets.
    static func createKey(in transaction: any SQLTransaction, random: (Int) -> [UInt8]) throws {
        try transaction.execute(
            "INSERT INTO csi_guid_key (id, mac_key) VALUES (1, ?) ON CONFLICT (id) DO NOTHING",
            [SQLValue(Data(random(32)))])
    }

    /// Creates the value with the key of a store.
    ///
    /// - Throws: ``Storage/StorageError`` if the store has no key.
    init(in transaction: any SQLTransaction) throws {
        guard let key = try transaction.first("SELECT mac_key FROM csi_guid_key WHERE id = 1")?.blob("mac_key") else {
            throw StorageError(
                code: "storage-failed", message: "The store has no key for guids; start the server again.")
        }
        self.init(key: key)
    }
}
