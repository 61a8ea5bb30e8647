import Core
import Crypto
import Foundation

/// By what an event that comes again is known: 16 bytes, of which 12 are the beginning of the SHA-256 of its body.
///
/// Before them stands the first date that the body names. Events that come together are of about one time, so they are known
/// side by side; digests alone would lie anywhere among millions, and each that comes would change a page of its own.
enum EventDigest {
    static func digest(of body: Data) -> Data {
        var digest = Data(capacity: 16)
        withUnsafeBytes(of: date(in: body).bigEndian) { digest.append(contentsOf: $0) }
        digest.append(contentsOf: SHA256.hash(data: body).prefix(12))
        return digest
    }

    /// The first date in a text, in hours: of one like `2026-03-01T08` as it is written, of seconds or milliseconds since 1970 as
    /// they count. 0 where there is none. It need not be right, but the same for the same text.
    static func date(in body: Data) -> UInt32 {
        body.withUnsafeBytes { text in
            var place = 0
            while place < text.count {
                guard isDigit(text[place]) else {
                    place += 1
                    continue
                }
                let start = place
                while place < text.count, isDigit(text[place]) { place += 1 }
                let length = place - start
                if length == 4, let hours = civilHours(text, start) { return hours }
                // 2001 to 2286.
                if length == 10 || length == 13, text[start] != UInt8(ascii: "0") {
                    return UInt32(number(text, start, 10) / 3_600)
                }
            }
            return 0
        }
    }

    private static func civilHours(_ text: UnsafeRawBufferPointer, _ start: Int) -> UInt32? {
        guard start + 13 <= text.count, text[start + 4] == UInt8(ascii: "-"), text[start + 7] == UInt8(ascii: "-"),
            text[start + 10] == UInt8(ascii: "T") || text[start + 10] == UInt8(ascii: " "),
            [5, 6, 8, 9, 11, 12].allSatisfy({ isDigit(text[start + $0]) })
        else { return nil }
        let (year, month) = (number(text, start, 4), number(text, start + 5, 2))
        let (day, hour) = (number(text, start + 8, 2), number(text, start + 11, 2))
        return UInt32(((year * 12 + month) * 31 + day) * 24 + hour)
    }

    private static func number(_ text: UnsafeRawBufferPointer, _ start: Int, _ count: Int) -> Int {
        text[start..<start + count].reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }
}
