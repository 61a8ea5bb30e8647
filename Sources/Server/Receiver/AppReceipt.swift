import Core
import Crypto
import Foundation
import SwiftASN1

/// A verified App Store receipt in its PKCS#7 form.
///
/// Its content is an ASN.1 SET of SEQUENCE { type INTEGER, version INTEGER, value OCTET STRING } (Apple, "Receipt
/// fields"); attribute 2 is the app's bundle identifier.
package struct AppReceipt: Sendable, Hashable {
    /// Bundle identifier of the app.
    package let bundleIdentifier: String
    /// SHA-256 of the signed content, hexadecimal; it identifies the receipt. The bytes around the content are not
    /// covered, because they can be encoded in many ways without breaking the signature.
    package let digest: String

    /// Verifies a receipt.
    /// - Parameters:
    ///   - bytes: PKCS#7 in DER or BER.
    /// - roots: trusted authorities; one of them must have signed.
    /// - bundleIdentifier: app that the receipt must belong to.
    /// - Throws: ``AppReceiptError``.
    package init(
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

    /// Returns the value of attribute 2; nil if the content is not a list of attributes or does not contain it exactly
    /// once.
    static func bundleIdentifier(in content: Data) -> String? {
        // Parse as BER, because the attributes of a receipt are not in DER order.
        guard let attributes = (try? BER.parse([UInt8](content)))?.elements(of: .set) else { return nil }
        var found: String?
        for attribute in attributes {
            guard let parts = attribute.elements(of: .sequence), parts.count == 3,
                parts[0].identifier == .integer, parts[1].identifier == .integer,
                let value = try? ASN1OctetString(berEncoded: parts[2])
            else { return nil }
            // A type beyond 64 bits is not 2.
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
    /// Returns the elements of a constructed node with this identifier; nil for any other node.
    fileprivate func elements(of identifier: ASN1Identifier) -> [ASN1Node]? {
        guard self.identifier == identifier, case .constructed(let nodes) = content else { return nil }
        return Array(nodes)
    }
}
