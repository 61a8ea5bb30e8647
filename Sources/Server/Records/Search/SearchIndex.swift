import Core
import FHIR
import Foundation
import Storage

/// What the index of search has of texts, and of whose a resource is. Pure.
enum SearchIndex {
    /// What the index has of a value that is a resource's own: 16 bytes, the beginning of its SHA-256, by which nobody finds
    /// another.
    ///
    /// Where the value names a time, its hour stands in the first two: those of a device's readings, which come together,
    /// stand side by side among the millions that are there, and each does not change a page of its own.
    static func print(of value: String) -> [UInt8] {
        let digest = digest(of: value)
        guard let hour = hour(in: value) else { return digest }
        var print = digest
        print.replaceSubrange(2..., with: digest[..<14])
        (print[0], print[1]) = (UInt8(truncatingIfNeeded: hour >> 8), UInt8(truncatingIfNeeded: hour))
        return print
    }

    /// The prints that a value may have in the index: its print, and where that has an hour also the digest alone, which
    /// rows of earlier releases have.
    static func prints(of value: String) -> [[UInt8]] {
        hour(in: value) == nil ? [print(of: value)] : [print(of: value), digest(of: value)]
    }

    private static func digest(of value: String) -> [UInt8] { Array(TextDigest.of(value)) }

    /// The hour is the same in upper and lower case, in which values are kept (``TokenCase``).
    private static func hour(in value: String) -> UInt32? {
        var value = value
        return value.withUTF8 { bytes in
            withUnsafeTemporaryAllocation(byteCount: bytes.count, alignment: 1) { upper in
                for (place, byte) in bytes.enumerated() { upper[place] = byte == UInt8(ascii: "t") ? 0x54 : byte }
                return WrittenHour.last(in: UnsafeRawBufferPointer(upper))
            }
        }
    }

    /// So many bytes of a print does PostgreSQL's index have.
    static let printStart = 7

    /// The beginning of a print, which another one has by chance once in 2^56.
    static func start(ofPrint print: [UInt8]) -> [UInt8] { Array(print.prefix(printStart)) }

    /// What the index has of a system or a code. Of a text that no key of PostgreSQL takes
    /// (https://www.postgresql.org/docs/current/btree.html, a third of a page) it has the digest, which is
    /// looked for likewise.
    static func indexed(_ text: String) -> String {
        guard text.utf8.count > longest else { return text }
        return digestPrefix + Hexadecimal.text(TextDigest.whole(text))
    }

    /// Whether a text of the index may be the digest of a longer one.
    static func isDigest(_ text: String) -> Bool { text.hasPrefix(digestPrefix) }

    private static let digestPrefix = "sha256:"

    private static let longest = 500

    /// The id of the one Patient whose the resource is (``FHIR/Resource/owners``); a Patient is stored under its own.
    ///
    /// - Parameter ownBases: the server's own base URLs, without a last slash.
    static func subject(of resource: Resource, id: String, at ownBases: [String] = []) -> String? {
        resource.resourceType == Patient.resourceType ? id : resource.owners.local(to: ownBases).one
    }
}
