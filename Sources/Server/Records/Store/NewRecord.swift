import Crypto
import FHIR
import Foundation

/// A resource that is to be stored, with all that search finds it by. It is made without the database, so that many can
/// be made while others are being written (``RecordInsertion``).
public struct NewRecord: Sendable {
    /// What a token parameter finds: the code and its system, empty where there is none.
    public struct Token: Sendable, Hashable {
        public let system: String
        public let code: String

        public init(system: String, code: String) {
            self.system = system
            self.code = code
        }
    }

    public let id: String
    /// Its R4 bytes.
    public let content: Data
    /// Lower-case hexadecimal SHA-256 of the bytes.
    public let digest: String
    let tokens: [SearchIndex.Token]
    /// Milliseconds since 1970, half open.
    let date: (low: Int64, high: Int64)?

    /// How many rows storing it writes: the record, its version and what search finds it by.
    public var rowCount: Int { 2 + tokens.count + (date == nil ? 0 : 1) }

    /// Any resource.
    ///
    /// - Parameter content: its R4 bytes.
    public init(_ resource: Resource, id: String, content: Data) {
        self.id = id
        self.content = content
        digest = Self.digest(of: content)
        tokens = Array(SearchIndex.tokens(of: resource))
        date = SearchIndex.date(of: resource)
    }

    /// A resource whose maker knows what it is found by, without looking into its JSON. It must be what the other
    /// initialiser would find.
    ///
    /// - Parameters:
    ///   - codes: each once, as the identifiers.
    ///   - seconds: when it happened, in seconds since 1970: the first, and the first that is past it.
    public init(id: String, content: Data, identifiers: [Token], codes: [Token], seconds: Range<Int64>) {
        self.id = id
        self.content = content
        digest = Self.digest(of: content)
        tokens =
            identifiers.map { SearchIndex.Token(parameter: "identifier", system: $0.system, code: $0.code) }
            + codes.map { SearchIndex.Token(parameter: "code", system: $0.system, code: $0.code) }
        date = (seconds.lowerBound * 1000, seconds.upperBound * 1000)
    }

    /// The codes that search finds a resource by.
    public static func codes(of resource: Resource) -> [Token] {
        SearchIndex.tokens(of: resource).filter { $0.parameter == "code" }
            .map { Token(system: $0.system, code: $0.code) }
    }

    /// Lower-case hexadecimal SHA-256.
    static func digest(of content: Data) -> String {
        let hash = SHA256.hash(data: content)
        return String(unsafeUninitializedCapacity: 64) { text in
            for (index, byte) in hash.enumerated() {
                text[index * 2] = digit(byte >> 4)
                text[index * 2 + 1] = digit(byte & 15)
            }
            return 64
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }
}
