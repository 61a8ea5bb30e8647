import Crypto
import FHIR
import Foundation
import Trust

/// A resource that is to be stored, with all that search finds it by. It is made without the database, so that one can be
/// made while others are being written (``RecordWriter``).
///
/// A reference: it waits in one row after the other, and a copy of its parts for each takes the writer's time.
public final class NewRecord: Sendable {
    public let type: String
    public let id: String
    /// The participant that it is about; nil where it is about nobody, or about several.
    public let subject: String?
    /// Its R4 bytes.
    public let content: Data
    /// The bytes as they came where they were converted.
    public let original: OriginalContent?
    /// Half of the SHA-256 of the R4 bytes, by which nobody finds others.
    public let digest: Data
    /// What is stored of the R4 bytes, and of those that came: made here, so that no transaction waits for it.
    let stored: (content: Data, original: Data?)
    /// What no other record has (``RecordAddress``).
    let address: Data
    let entries: [SearchEntry]
    /// When it happened, as far as the row of the record says it.
    let time: SearchPeriod?
    /// What decides who sees it, beyond ``subject``.
    let protection: [RecordProtection.Row]

    /// How many rows storing it writes: the record, its version and what search finds it by.
    public var rowCount: Int { 2 + entries.count + protection.count }

    /// A resource whose owner is known.
    ///
    /// - Parameters:
    ///   - subject: the Patient's id that the resource names as its one owner (``FHIR/Resource/owners``); a Patient's own.
    ///   - content: its R4 bytes as they came.
    ///   - original: the bytes as they came where they were converted.
    ///   - ownBases: the server's own base URLs, without a last slash, which references to its resources may have in front.
    public init(
        _ resource: Resource, id: String, subject: String?, content: Data, original: OriginalContent? = nil,
        at ownBases: [String] = []
    ) {
        type = resource.resourceType
        self.id = id
        address = RecordAddress.digest(type: type, id: id)
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

    /// Any resource.
    ///
    /// - Parameters:
    ///   - content: its R4 bytes as they came.
    ///   - original: the bytes as they came where they were converted.
    ///   - ownBases: the server's own base URLs, without a last slash, which references to its resources may have in front.
    public convenience init(
        _ resource: Resource, id: String, content: Data, original: OriginalContent? = nil, at ownBases: [String] = []
    ) {
        self.init(
            resource, id: id, subject: SearchIndex.subject(of: resource, id: id, at: ownBases), content: content,
            original: original, at: ownBases)
    }

    /// An observation of a kind of which one was looked into: without looking into its JSON. It has no security labels.
    ///
    /// - Parameters:
    ///   - subject: the Patient's id that the resource names as its one owner.
    ///   - pattern: what all of the kind are found by.
    ///   - values: the values of its identifiers, in their order.
    ///   - quantity: the number of its value as it is written; nil where it has none.
    ///   - milliseconds: when it happened, in milliseconds since 1970: the first, and the first that is past it.
    /// - Returns: nil where it is not as the pattern: then it has to be looked into.
    public init?(
        id: String, subject: String?, content: Data, pattern: SearchPattern, identifiers values: [String],
        quantity: String?, milliseconds: Range<Int64>
    ) {
        guard let entries = pattern.entries(identifiers: values, quantity: quantity) else { return nil }
        type = pattern.type
        self.id = id
        address = RecordAddress.digest(type: type, id: id)
        self.subject = subject
        self.content = content
        original = nil
        digest = Self.digest(of: content)
        stored = (ContentCodec.stored(content, type: pattern.type), nil)
        self.entries = entries
        time = SearchPeriod(low: milliseconds.lowerBound, high: milliseconds.upperBound)
        protection = []
    }

    /// The same of what differs.
    public convenience init?(
        _ values: ObservationValues, subject: String?, content: Data, pattern: SearchPattern
    ) {
        guard let period = values.searchPeriod else { return nil }
        self.init(
            id: values.id, subject: subject, content: content, pattern: pattern, identifiers: values.identifiers,
            quantity: values.number?.text, milliseconds: period.low..<period.high)
    }

    private static func digest(of content: Data) -> Data { SHA256.hash(data: content).first(digestLength) }

    /// So many bytes has a digest.
    static let digestLength = 16

    /// Whether a version with a digest has the same R4 bytes. Older versions have the whole SHA-256.
    public func isSame(asStored digest: Data) -> Bool { digest.prefix(Self.digestLength) == self.digest }
}
