import COpenSSL
import Crypto
import Foundation
import SwiftASN1

/// A certificate authority of the operator that signs receipts for use without the App Store.
package struct DevelopmentReceiptRoot: Sendable {
    /// Self-signed certificate in PEM.
    package let certificatePEM: String
    /// RSA-2048 key of the certificate in PKCS#8 PEM. It permits registering devices.
    package let privateKeyPEM: String

    package init(certificatePEM: String, privateKeyPEM: String) {
        self.certificatePEM = certificatePEM
        self.privateKeyPEM = privateKeyPEM
    }
}

extension AppReceipt {
    /// Creates a new development root, valid for ten years.
    /// - Throws: ``AppReceiptError/notMade``.
    package static func makeDevelopmentRoot() throws(AppReceiptError) -> DevelopmentReceiptRoot {
        defer { ERR_clear_error() }
        // 1. The key.
        guard let context = EVP_PKEY_CTX_new_from_name(nil, "RSA", nil) else { throw .notMade }
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_CTX_set_rsa_keygen_bits(context, 2048) == 1,
            EVP_PKEY_generate(context, &key) == 1
        else { throw .notMade }
        defer { EVP_PKEY_free(key) }
        // 2. The certificate.
        guard let certificate = X509_new() else { throw .notMade }
        defer { X509_free(certificate) }
        let name = X509_get_subject_name(certificate)
        let title = Array("Tributary development receipts".utf8)
        let serial = Int.random(in: 1...(Int.max >> 1))
        guard X509_set_version(certificate, 2) == 1,
            ASN1_INTEGER_set(X509_get_serialNumber(certificate), serial) == 1,
            X509_gmtime_adj(X509_getm_notBefore(certificate), -3600) != nil,
            X509_gmtime_adj(X509_getm_notAfter(certificate), 10 * 366 * 86_400) != nil,
            X509_set_pubkey(certificate, key) == 1,
            X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, title, Int32(title.count), -1, 0) == 1,
            X509_set_issuer_name(certificate, name) == 1
        else { throw .notMade }
        for (nid, value) in [
            (NID_basic_constraints, "critical,CA:TRUE"), (NID_key_usage, "critical,keyCertSign,digitalSignature"),
        ] {
            guard let part = X509V3_EXT_conf_nid(nil, nil, nid, value) else { throw .notMade }
            defer { X509_EXTENSION_free(part) }
            guard X509_add_ext(certificate, part, -1) == 1 else { throw .notMade }
        }
        guard X509_sign(certificate, key, EVP_sha256()) > 0 else { throw .notMade }
        // 3. Both as PEM.
        let certificateOutput = OpenSSLMemory()
        let keyOutput = OpenSSLMemory()
        guard PEM_write_bio_X509(certificateOutput.bio, certificate) == 1,
            PEM_write_bio_PKCS8PrivateKey(keyOutput.bio, key, nil, nil, 0, nil, nil) == 1
        else { throw .notMade }
        return DevelopmentReceiptRoot(
            certificatePEM: String(decoding: certificateOutput.bytes, as: UTF8.self),
            privateKeyPEM: String(decoding: keyOutput.bytes, as: UTF8.self))
    }

    /// Creates a receipt for an app, PKCS#7 in DER, signed by a development root (RSA, SHA-256). Each receipt is
    /// different.
    /// - Throws: ``AppReceiptError/rootInvalid`` or ``AppReceiptError/notMade``.
    package static func makeDevelopment(
        bundleIdentifier: String, root: DevelopmentReceiptRoot, created: Date = Date()
    ) throws(AppReceiptError) -> Data {
        defer { ERR_clear_error() }
        guard (1...255).contains(bundleIdentifier.utf8.count) else { throw .notMade }
        let certificateInput = OpenSSLMemory(Data(root.certificatePEM.utf8))
        let keyInput = OpenSSLMemory(Data(root.privateKeyPEM.utf8))
        guard let certificate = PEM_read_bio_X509(certificateInput.bio, nil, nil, nil) else { throw .rootInvalid }
        defer { X509_free(certificate) }
        guard let key = PEM_read_bio_PrivateKey(keyInput.bio, nil, nil, nil) else { throw .rootInvalid }
        defer { EVP_PKEY_free(key) }
        guard let payload = try? payload(bundleIdentifier: bundleIdentifier, created: created) else { throw .notMade }
        let content = OpenSSLMemory(payload)
        guard let cms = CMS_sign(certificate, key, nil, content.bio, UInt32(CMS_BINARY)) else { throw .notMade }
        defer { CMS_ContentInfo_free(cms) }
        let output = OpenSSLMemory()
        guard i2d_CMS_bio(output.bio, cms) == 1 else { throw .notMade }
        return output.bytes
    }

    /// Returns the attributes with Apple's numbers: 0 environment, 2 app, 3 version, 4 opaque value, 5 hash, 12
    /// creation.
    static func payload(bundleIdentifier: String, created: Date) throws -> Data {
        var generator = SystemRandomNumberGenerator()
        let opaque = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        let app = try encoded(ASN1UTF8String(bundleIdentifier))
        let attributes = [
            Attribute(type: 0, value: try encoded(ASN1UTF8String("ProductionSandbox"))),
            Attribute(type: 2, value: app),
            Attribute(type: 3, value: try encoded(ASN1UTF8String("1.0"))),
            Attribute(type: 4, value: opaque),
            Attribute(type: 5, value: Array(Insecure.SHA1.hash(data: opaque + app))),
            Attribute(type: 12, value: try encoded(ASN1IA5String(ISO8601DateFormatter().string(from: created)))),
        ]
        var serializer = DER.Serializer()
        try serializer.serializeSetOf(attributes)
        return Data(serializer.serializedBytes)
    }

    private static func encoded(_ value: some DERSerializable) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.serialize(value)
        return serializer.serializedBytes
    }

    /// SEQUENCE { type INTEGER, version INTEGER, value OCTET STRING }.
    private struct Attribute: DERSerializable {
        let type: Int
        let value: [UInt8]

        func serialize(into serializer: inout DER.Serializer) throws {
            try serializer.appendConstructedNode(identifier: .sequence) { attribute in
                try attribute.serialize(type)
                try attribute.serialize(1)
                try attribute.serialize(ASN1OctetString(contentBytes: value[...]))
            }
        }
    }
}
