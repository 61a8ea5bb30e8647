import COpenSSL
import Foundation

/// A certificate authority that is trusted to sign app receipts.
package struct AppReceiptRoot: Sendable, Hashable {
    /// Certificate in DER.
    let certificate: Data
    /// Extension that the signer's certificate must have, as a dotted object identifier.
    let signerMarker: String?

    /// Reads a root from PEM or DER.
    ///
    /// Apple's root also issues the certificates of all developers. So for a root of the organization `Apple Inc.` the
    /// signer's certificate must have the extension for receipt signing, 1.2.840.113635.100.6.11.1 (Apple, "Validating
    /// receipts on the device"). For another root, `signerMarker` may specify such an extension.
    /// - Throws: ``AppReceiptError/rootInvalid``.
    package init(_ bytes: Data, signerMarker: String? = nil) throws(AppReceiptError) {
        let input = OpenSSLMemory(bytes)
        defer { ERR_clear_error() }
        let isPEM = bytes.starts(with: Data("-----BEGIN ".utf8))
        guard
            let read = isPEM ? PEM_read_bio_X509(input.bio, nil, nil, nil) : d2i_X509_bio(input.bio, nil)
        else { throw .rootInvalid }
        defer { X509_free(read) }
        let output = OpenSSLMemory()
        guard i2d_X509_bio(output.bio, read) == 1 else { throw .rootInvalid }
        certificate = output.bytes
        var organization = [CChar](repeating: 0, count: 64)
        let length = X509_NAME_get_text_by_NID(
            X509_get_subject_name(read), NID_organizationName, &organization, Int32(organization.count))
        let isApples =
            length > 0 && organization.prefix(Int(length)).map(UInt8.init(bitPattern:)) == Array("Apple Inc.".utf8)
        self.signerMarker = signerMarker ?? (isApples ? "1.2.840.113635.100.6.11.1" : nil)
    }
}
