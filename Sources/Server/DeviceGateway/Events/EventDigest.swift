import Core
import Crypto
import Foundation
import Storage

/// The key by which a repeated event is detected: 16 bytes, of which the last 12 are the beginning of the SHA-256 of
/// its body.
///
/// The first 4 bytes are the first hour that the body names. Events that arrive together have about the same time, so
/// their keys are neighbours in the index. Keys that were only digests would be spread over millions of rows, and each
/// would change a page of its own.
enum EventDigest {
    static func digest(of body: Data) -> Data {
        var digest = Data(capacity: 16)
        let hour = body.withUnsafeBytes { WrittenHour.first(in: $0) } ?? 0
        withUnsafeBytes(of: hour.bigEndian) { digest.append(contentsOf: $0) }
        digest.append(SHA256.hash(data: body).first(12))
        return digest
    }
}
