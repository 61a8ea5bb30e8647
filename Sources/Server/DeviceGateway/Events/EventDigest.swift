import Core
import Crypto
import Foundation
import Storage

/// By what an event that comes again is known: 16 bytes, of which 12 are the beginning of the SHA-256 of its body.
///
/// Before them stands the first hour that the body names. Events that come together are of about one time, so they are known
/// side by side; digests alone would lie anywhere among millions, and each that comes would change a page of its own.
enum EventDigest {
    static func digest(of body: Data) -> Data {
        var digest = Data(capacity: 16)
        let hour = body.withUnsafeBytes { WrittenHour.first(in: $0) } ?? 0
        withUnsafeBytes(of: hour.bigEndian) { digest.append(contentsOf: $0) }
        digest.append(SHA256.hash(data: body).first(12))
        return digest
    }
}
