import COpenSSL
import Foundation
import Wire

/// A self-signed X.509 certificate with the study's RSA key, for bundling in C3-PRO's apps (`.crt`, DER).
///
/// The apps use it only as a container of the public key; they check neither chain nor dates.
package enum SelfSignedCertificate {
    /// Creates the certificate, valid for ten years from `now`.
    package static func make(for key: PrivateKey, commonName: String, now: Date) throws -> Data {
        let failure = StudyKeyError(code: "certificate-unmade", message: "OpenSSL could not create the certificate.")
        let pkcs8 = key.pkcs8
        let loaded = pkcs8.withUnsafeBytes { bytes -> OpaquePointer? in
            var cursor = bytes.bindMemory(to: UInt8.self).baseAddress
            return d2i_AutoPrivateKey(nil, &cursor, bytes.count)
        }
        guard let privateKey = loaded else { throw failure }
        defer { EVP_PKEY_free(privateKey) }
        guard let certificate = X509_new() else { throw failure }
        defer { X509_free(certificate) }
        let serial = Int(UInt32.random(in: 1...UInt32.max))
        guard X509_set_version(certificate, 2) == 1,
            ASN1_INTEGER_set(X509_get_serialNumber(certificate), serial) == 1,
            ASN1_TIME_set(X509_getm_notBefore(certificate), Int(now.timeIntervalSince1970)) != nil,
            ASN1_TIME_set(X509_getm_notAfter(certificate), Int(now.timeIntervalSince1970) + 3650 * 86400) != nil,
            X509_set_pubkey(certificate, privateKey) == 1
        else { throw failure }
        let name = X509_get_subject_name(certificate)
        let label = Array(commonName.utf8.prefix(64))
        guard
            X509_NAME_add_entry_by_txt(name, "CN", V_ASN1_UTF8STRING, label, Int32(label.count), -1, 0) == 1,
            X509_set_issuer_name(certificate, name) == 1,
            X509_sign(certificate, privateKey, EVP_sha256()) > 0
        else { throw failure }
        var encoded: UnsafeMutablePointer<UInt8>?
        let length = i2d_X509(certificate, &encoded)
        guard length > 0, let encoded else { throw failure }
        defer { CRYPTO_free(encoded, nil, 0) }
        return Data(bytes: encoded, count: Int(length))
    }
}
