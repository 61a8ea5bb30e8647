import Core
import FHIR
import FHIRSearch
import Foundation
import Storage

extension SearchIndex {
    /// Returns the index key of a high-cardinality value: the first 16 bytes of its SHA-256, enough that no one can
    /// make another value with the same key.
    ///
    /// Where the value contains a time, its hour is in the first two bytes. The readings of a device, which are
    /// received together, then have adjacent keys among millions of others, and do not each change a page of their own.
    package static func key(of value: String) -> [UInt8] {
        let digest = digest(of: value)
        guard let hour = hour(in: value) else { return digest }
        var key = digest
        key.replaceSubrange(2..., with: digest[..<14])
        (key[0], key[1]) = (UInt8(truncatingIfNeeded: hour >> 8), UInt8(truncatingIfNeeded: hour))
        return key
    }

    private static func digest(of value: String) -> [UInt8] { Array(TextDigest.of(value)) }

    /// Values may be stored in lower case (``TokenCase``); the hour is the same.
    private static func hour(in value: String) -> UInt32? {
        var value = value
        return value.withUTF8 { bytes in
            withUnsafeTemporaryAllocation(byteCount: bytes.count, alignment: 1) { upper in
                for (index, byte) in bytes.enumerated() { upper[index] = byte == UInt8(ascii: "t") ? 0x54 : byte }
                return WrittenHour.last(in: UnsafeRawBufferPointer(upper))
            }
        }
    }

    /// Number of bytes of a key in PostgreSQL's index.
    package static let keyPrefixLength = 7

    /// Returns the first bytes of a key, which two keys share by chance once in 2^56.
    package static func prefix(ofKey key: [UInt8]) -> [UInt8] { Array(key.prefix(keyPrefixLength)) }

    /// Returns the id of the only Patient that owns the resource (``FHIR/Resource/owners``); a Patient owns itself.
    ///
    /// - Parameter ownBases: the server's own base URLs, without a final slash.
    package static func subject(of resource: Resource, id: String, at ownBases: [String] = []) -> String? {
        resource.resourceType == Patient.resourceType ? id : resource.owners.local(to: ownBases).one
    }
}
