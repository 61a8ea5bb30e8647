import Crypto
import FHIR
import Foundation
import Trust

/// A resource that is to be stored, with all that search finds it by. It is made without the database, so that one can be
/// made while others are being written (``RecordWriter``).
///
/// A reference: it waits in one row after the other, and a copy of its parts for each takes the writer's time.
public final class NewRecord: Sendable {
    /// A value that a token parameter finds: the code and its system, empty where there is none.
    public struct Token: Sendable, Hashable {
        public let system: String
        public let code: String

        public init(system: String, code: String) {
            self.system = system
            self.code = code
        }
    }

    public let type: String
    public let id: String
    /// The participant that it is about; nil where it is about nobody, or about several.
    public let subject: String?
    /// Its R4 bytes.
    public let content: Data
    /// The bytes as they came where they were converted.
    public let original: OriginalContent?
    /// The SHA-256 of the R4 bytes.
    public let digest: Data
    /// What is stored of the R4 bytes, and of those that came: made here, so that no transaction waits for it.
    let stored: (content: Data, original: Data?)
    let entries: [SearchIndexEntry]
    /// Milliseconds since 1970, half open.
    let date: (low: Int64, high: Int64)?
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
    public init(
        _ resource: Resource, id: String, subject: String?, content: Data, original: OriginalContent? = nil
    ) {
        type = resource.resourceType
        self.id = id
        self.subject = subject
        self.content = content
        self.original = original
        digest = Self.digest(of: content)
        let name = resource.resourceType
        stored = (
            ContentCodec.stored(content, type: name), original.map { ContentCodec.stored($0.bytes, type: name) }
        )
        // In one order, so that the same resources get the same numbers for their codes.
        entries = SearchIndex.tokens(of: resource).sorted().map { SearchIndexEntry($0, type: name) }
        date = SearchIndex.date(of: resource)
        protection = RecordProtection.rows(
            of: RecordFacts(resource, storedAs: id, subject: subject), subject: subject)
    }

    /// Any resource.
    ///
    /// - Parameters:
    ///   - content: its R4 bytes as they came.
    ///   - original: the bytes as they came where they were converted.
    public convenience init(_ resource: Resource, id: String, content: Data, original: OriginalContent? = nil) {
        self.init(
            resource, id: id, subject: SearchIndex.subject(of: resource, id: id), content: content, original: original)
    }

    /// A resource whose maker knows what it is found by, without looking into its JSON. It must be what the other
    /// initialisers would find; it has no security labels.
    ///
    /// - Parameters:
    ///   - subject: the Patient's id that the resource names as its one owner.
    ///   - codes: each once, as the identifiers.
    ///   - seconds: when it happened, in seconds since 1970: the first, and the first that is past it.
    public init(
        type: String, id: String, subject: String?, content: Data, identifiers: [Token], codes: [Token],
        seconds: Range<Int64>
    ) {
        self.type = type
        self.id = id
        self.subject = subject
        self.content = content
        original = nil
        digest = Self.digest(of: content)
        stored = (ContentCodec.stored(content, type: type), nil)
        let tokens =
            identifiers.map { SearchIndex.Token(parameter: "identifier", system: $0.system, code: $0.code) }
            + codes.map { SearchIndex.Token(parameter: "code", system: $0.system, code: $0.code) }
        entries = tokens.map { SearchIndexEntry($0, type: type) }
        date = (seconds.lowerBound * 1000, seconds.upperBound * 1000)
        protection = []
    }

    /// The codes that search finds a resource by.
    public static func codes(of resource: Resource) -> [Token] {
        SearchIndex.tokens(of: resource).filter { $0.parameter == "code" }.sorted()
            .map { Token(system: $0.system, code: $0.code) }
    }

    private static func digest(of content: Data) -> Data { Data(SHA256.hash(data: content)) }
}
