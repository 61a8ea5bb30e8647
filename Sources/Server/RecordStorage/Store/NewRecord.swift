import AccessPolicy
import Crypto
import FHIR
import FHIRSearch
import Foundation

/// A resource to be stored, with its search entries. It is made without the database, so that one can be made while
/// others are written (``RecordWriter``).
///
/// A class, because several buffered rows hold it and a copy of its fields in each would cost the writer time.
package final class NewRecord: Sendable {
    package let type: String
    package let id: String
    /// The participant that it is about; nil where it is about no one, or about several.
    package let subject: String?
    /// The R4 bytes.
    package let content: Data
    /// The bytes before the conversion, where the resource was converted.
    package let original: OriginalContent?
    /// The first half of the SHA-256 of the R4 bytes. It is long enough that no one can make other bytes with the same
    /// digest.
    package let digest: Data
    /// The encoded R4 bytes and the encoded original bytes. They are encoded here so that no transaction waits for it.
    package let stored: (content: Data, original: Data?)
    /// The digest of the record's address, unique among all records (``RecordKey``).
    package let address: Data
    package let entries: [SearchEntry]
    /// The time of the event, for the columns of the record's row.
    package let time: SearchPeriod?
    /// The rows that decide who sees the record, in addition to ``subject``.
    package let protection: [RecordProtection.Row]

    /// The number of rows that storing it writes: the record, its version, its search entries and its protection.
    package var rowCount: Int { 2 + entries.count + protection.count }

    /// Creates a record from a resource whose owner is known.
    ///
    /// - Parameters:
    ///   - subject: the Patient's id that the resource names as its one owner (``FHIR/Resource/owners``); for a Patient
    ///     its own id.
    ///   - content: its R4 bytes as received.
    ///   - original: the bytes before the conversion, where the resource was converted.
    ///   - ownBases: the server's own base URLs, without a final slash, which may precede references to its resources.
    package init(
        _ resource: Resource, id: String, subject: String?, content: Data, original: OriginalContent? = nil,
        at ownBases: [String] = []
    ) {
        type = resource.resourceType
        self.id = id
        address = RecordKey.digest(type: type, id: id)
        self.subject = subject
        self.content = content
        self.original = original
        digest = Self.digest(of: content)
        let name = resource.resourceType
        stored = (
            ContentCodec.stored(content, type: name), original.map { ContentCodec.stored($0.bytes, type: name) }
        )
        let found = SearchEntries(of: resource, subject: subject)
        (entries, time) = (found.entries, found.time)
        protection = RecordProtection.rows(
            of: RecordFacts(resource, storedAs: id, subject: subject, at: ownBases), subject: subject)
    }

    /// Creates a record from any resource.
    ///
    /// - Parameters:
    ///   - content: its R4 bytes as received.
    ///   - original: the bytes before the conversion, where the resource was converted.
    ///   - ownBases: the server's own base URLs, without a final slash, which may precede references to its resources.
    package convenience init(
        _ resource: Resource, id: String, content: Data, original: OriginalContent? = nil, at ownBases: [String] = []
    ) {
        self.init(
            resource, id: id, subject: SearchIndex.subject(of: resource, id: id, at: ownBases), content: content,
            original: original, at: ownBases)
    }

    /// Creates a record whose search entries are known, without reading its JSON. It has no security labels.
    ///
    /// - Parameters:
    ///   - subject: the Patient's id that the resource names as its one owner.
    ///   - content: its R4 bytes as received.
    ///   - entries: its search entries.
    ///   - time: the time of the event.
    package init(
        type: String, id: String, subject: String?, content: Data, entries: [SearchEntry], time: SearchPeriod
    ) {
        self.type = type
        self.id = id
        address = RecordKey.digest(type: type, id: id)
        self.subject = subject
        self.content = content
        original = nil
        digest = Self.digest(of: content)
        stored = (ContentCodec.stored(content, type: type), nil)
        self.entries = entries
        self.time = time
        protection = []
    }

    private static func digest(of content: Data) -> Data { SHA256.hash(data: content).first(16) }
}
