import COpenSSL
import Foundation

/// Private keys protected by a passphrase: `ENCRYPTED PRIVATE KEY` in PEM (PKCS#8, RFC 5958), with AES-256-CBC under a
/// key that scrypt derives from the passphrase (RFC 7914), as `openssl pkcs8 -topk8 -scrypt` writes it.
enum ProtectedPrivateKey {
    /// Cost parameters of scrypt: 16 MiB and some tens of milliseconds.
    private static let (costs, blocks, parallelization): (UInt64, UInt64, UInt64) = (16_384, 8, 1)

    /// Returns the key as unencrypted PKCS#8 in PEM; nil for a wrong passphrase or another kind of text.
    static func open(_ pem: String, passphrase: String) -> String? {
        withKey(pem, passphrase: passphrase) { key in
            write { PEM_write_bio_PKCS8PrivateKey($0, key, nil, nil, 0, nil, nil) }
        }
    }

    /// Returns the key protected by a passphrase; nil if OpenSSL cannot read the key.
    static func protect(_ pem: String, passphrase: String) -> String? {
        withKey(pem, passphrase: nil) { key in
            guard let plain = EVP_PKEY2PKCS8(key) else { return nil }
            defer { PKCS8_PRIV_KEY_INFO_free(plain) }
            guard let algorithm = PKCS5_pbe2_set_scrypt(EVP_aes_256_cbc(), nil, 0, nil, costs, blocks, parallelization)
            else {
                return nil
            }
            let sealed = passphrase.withCString {
                PKCS8_set0_pbe($0, Int32(strlen($0)), plain, algorithm)
            }
            guard let sealed else {
                X509_ALGOR_free(algorithm)
                return nil
            }
            defer { X509_SIG_free(sealed) }
            return write { PEM_write_bio_PKCS8($0, sealed) }
        }
    }

    private static func withKey(
        _ pem: String, passphrase: String?, _ body: (OpaquePointer) -> String?
    ) -> String? {
        defer { ERR_clear_error() }
        let bytes = Array(pem.utf8)
        // Without a passphrase OpenSSL would prompt at the terminal, so pass an empty one.
        let word = Array((passphrase ?? "").utf8CString)
        let key = bytes.withUnsafeBytes { buffer -> OpaquePointer? in
            guard let source = BIO_new_mem_buf(buffer.baseAddress, Int32(buffer.count)) else { return nil }
            defer { BIO_free(source) }
            return word.withUnsafeBytes { word in
                PEM_read_bio_PrivateKey(source, nil, nil, UnsafeMutableRawPointer(mutating: word.baseAddress))
            }
        }
        guard let key else { return nil }
        defer { EVP_PKEY_free(key) }
        return body(key)
    }

    private static func write(_ body: (OpaquePointer) -> Int32) -> String? {
        guard let target = BIO_new(BIO_s_mem()) else { return nil }
        defer { BIO_free(target) }
        guard body(target) == 1 else { return nil }
        var start: UnsafeMutablePointer<CChar>?
        let count = BIO_ctrl(target, BIO_CTRL_INFO, 0, &start)
        guard count > 0, let start else { return nil }
        return String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
    }
}
