import COpenSSL
import Foundation

/// A PKCS#7 / CMS signed message with embedded content (RFC 5652 section 5).
enum SignedMessage {
    /// Returns the content of a message if all its signatures lead to the root.
    ///
    /// RSA and elliptic curves are accepted, and also SHA-1, because older receipts use it. Validity periods are not
    /// checked: a receipt stays valid when its certificates have expired, and it contains no trustworthy time to check
    /// them against. Key usage is not checked either; ``AppReceiptRoot`` checks an extension of the signer instead.
    static func content(of message: Data, signedUnder root: AppReceiptRoot) throws(AppReceiptError) -> Data {
        defer { ERR_clear_error() }
        // 1. Parse the message, without trailing bytes.
        let input = OpenSSLMemory(message)
        guard let cms = d2i_CMS_bio(input.bio, nil) else { throw .malformed }
        defer { CMS_ContentInfo_free(cms) }
        guard input.bytes.isEmpty, OBJ_obj2nid(CMS_get0_type(cms)) == NID_pkcs7_signed else { throw .malformed }
        guard let content = CMS_get0_content(cms), content.pointee != nil else { throw .malformed }
        // 2. Trust only this root, with the options of the chain check.
        guard let store = X509_STORE_new() else { throw .untrusted }
        defer { X509_STORE_free(store) }
        let rootInput = OpenSSLMemory(root.certificate)
        guard let certificate = d2i_X509_bio(rootInput.bio, nil) else { throw .rootInvalid }
        defer { X509_free(certificate) }
        guard X509_STORE_add_cert(store, certificate) == 1,
            X509_STORE_set_flags(store, UInt(X509_V_FLAG_NO_CHECK_TIME)) == 1,
            X509_STORE_set_purpose(store, X509_PURPOSE_ANY) == 1
        else { throw .untrusted }
        X509_VERIFY_PARAM_set_auth_level(X509_STORE_get0_param(store), 0)
        // 3. Verify the signatures.
        let output = OpenSSLMemory()
        guard CMS_verify(cms, nil, store, nil, output.bio, UInt32(CMS_BINARY)) == 1 else { throw .untrusted }
        // 4. Check the signers' extension.
        guard let signers = CMS_get0_signers(cms) else { throw .untrusted }
        defer { OPENSSL_sk_free(signers) }
        let count = OPENSSL_sk_num(signers)
        guard count > 0 else { throw .untrusted }
        if let marker = root.signerMarker {
            guard let object = OBJ_txt2obj(marker, 1) else { throw .rootInvalid }
            defer { ASN1_OBJECT_free(object) }
            for index in 0..<count {
                guard let signer = OPENSSL_sk_value(signers, index),
                    X509_get_ext_by_OBJ(OpaquePointer(signer), object, -1) >= 0
                else { throw .untrusted }
            }
        }
        return output.bytes
    }
}
