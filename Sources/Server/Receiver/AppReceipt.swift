import Core
import Crypto
import Foundation
import SwiftASN1

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
            digest = Hexadecimal.text(SHA256.hash(data: content))
            return
        }
        throw failure
    }

    /// The value of the one attribute 2; nil if the content is no list of attributes or has not exactly one.
    static func bundleIdentifier(in content: Data) -> String? {
        // BER: the attributes of a receipt are not in DER's order.
        guard let attributes = (try? BER.parse([UInt8](content)))?.elements(of: .set) else { return nil }
        var found: String?
        for attribute in attributes {
            guard let parts = attribute.elements(of: .sequence), parts.count == 3,
                parts[0].identifier == .integer, parts[1].identifier == .integer,
                let value = try? ASN1OctetString(berEncoded: parts[2])
            else { return nil }
            // A type beyond 64 bits is another one.
            guard (try? Int(berEncoded: parts[0])) == 2 else { continue }
            guard found == nil, let text = try? ASN1UTF8String(berEncoded: value.bytes),
                let name = String(validUTF8: text.bytes), !name.isEmpty
            else { return nil }
            found = name
        }
        return found
    }
}

extension ASN1Node {
    /// The elements of a constructed element with this identifier; nil for anything else.
    fileprivate func elements(of identifier: ASN1Identifier) -> [ASN1Node]? {
        guard self.identifier == identifier, case .constructed(let nodes) = content else { return nil }
        return Array(nodes)
    }
}
