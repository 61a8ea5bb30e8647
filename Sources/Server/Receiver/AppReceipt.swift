import Core
import Crypto
import Foundation

/// An App Store receipt in its PKCS#7 form, verified.
///
/// Its content is an ASN.1 SET of SEQUENCE { type INTEGER, version INTEGER, value OCTET STRING } (Apple, "Receipt
/// fields"); attribute 2 names the app.
public struct AppReceipt: Sendable, Hashable {
    /// The app's bundle identifier.
    public let bundleIdentifier: String
    /// SHA-256 of the signed content, hex: what makes two receipts the same. The bytes around it could be written in
    /// many ways without breaking the signature, so they do not count.
    public let digest: String

    /// Verifies a receipt.
    /// - Parameters:
    ///   - bytes: PKCS#7 in DER or BER.
    ///   - roots: the authorities of which one must have signed.
    ///   - bundleIdentifier: the app that it must belong to.
    /// - Throws: ``AppReceiptError``.
    public init(
        verifying bytes: Data, roots: [AppReceiptRoot], bundleIdentifier: String
    ) throws(AppReceiptError) {
        var failure = AppReceiptError.untrusted
        for root in roots {
            let content: Data
            do {
                content = try SignedMessage.content(of: bytes, signedUnder: root)
            } catch {
                failure = error
                continue
            }
            guard let named = Self.bundleIdentifier(in: content) else { throw .payloadInvalid }
            guard named == bundleIdentifier else { throw .otherApp }
            self.bundleIdentifier = named
            digest = SHA256.hash(data: content).map { String(format: "%02x", $0) }.joined()
            return
        }
        throw failure
    }

    /// The value of the one attribute 2; nil if the content is no list of attributes or has not exactly one.
    static func bundleIdentifier(in content: Data) -> String? {
        var outside = DERReader(content)
        guard var attributes = outside.read(.set), outside.isAtEnd else { return nil }
        var found: String?
        while !attributes.isAtEnd {
            guard var attribute = attributes.read(.sequence), let type = attribute.readSmallInteger(),
                attribute.read(.integer) != nil, var value = attribute.read(.octetString), attribute.isAtEnd
            else { return nil }
            guard type == 2 else { continue }
            guard found == nil, let text = value.read(.utf8String), value.isAtEnd,
                let name = String(validUTF8: text.bytes), !name.isEmpty
            else { return nil }
            found = name
        }
        return found
    }
}

/// Reads tag, length and value after one another; never beyond the end.
struct DERReader {
    enum Tag: UInt8 {
        case integer = 0x02
        case octetString = 0x04
        case utf8String = 0x0C
        case sequence = 0x30
        case set = 0x31
    }

    private(set) var bytes: ArraySlice<UInt8>

    init(_ data: Data) {
        bytes = Array(data)[...]
    }

    private init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { bytes.isEmpty }

    /// The value of the next element if it has this tag and a definite length that fits; nil otherwise.
    mutating func read(_ tag: Tag) -> DERReader? {
        var rest = bytes
        guard rest.popFirst() == tag.rawValue, let first = rest.popFirst() else { return nil }
        var length = Int(first)
        if first >= 0x80 {
            let octets = Int(first & 0x7F)
            guard (1...4).contains(octets), rest.count >= octets else { return nil }
            length = rest.prefix(octets).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(octets)
        }
        guard rest.count >= length else { return nil }
        let value = rest.prefix(length)
        bytes = rest.dropFirst(length)
        return DERReader(value)
    }

    /// A non-negative INTEGER of at most four bytes; -1 for one that is larger or negative.
    mutating func readSmallInteger() -> Int? {
        guard let value = read(.integer), let first = value.bytes.first else { return nil }
        guard value.bytes.count <= 4, first < 0x80 else { return -1 }
        return value.bytes.reduce(0) { $0 << 8 | Int($1) }
    }
}
