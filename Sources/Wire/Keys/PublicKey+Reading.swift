import Core
import Foundation

extension PublicKey {
    /// Reads the public keys in these bytes and finds the format itself: a JWK set, one JWK, PEM (`PUBLIC KEY`,
    /// `RSA PUBLIC KEY`, `CERTIFICATE`), or DER of a SubjectPublicKeyInfo or an X.509 certificate.
    ///
    /// Of a JWK set, keys of other kinds and those for signing are passed over. Of a certificate chain only the first
    /// counts: the rest are the issuers'. A certificate is only a wrapping here: neither its dates nor its issuer are
    /// checked, as in C3-PRO.
    /// Throws `key-malformed`, `key-unsupported` or `key-is-private`.
    public static func read(from bytes: Data) throws -> [PublicKey] {
        let start = bytes.drop { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
        if start.first == UInt8(ascii: "{") { return try readJSON(bytes) }
        if let text = String(data: bytes, encoding: .utf8), text.contains("-----BEGIN ") { return try readPEM(text) }
        guard let element = DERElement(whole: bytes) else {
            throw WireError(.keyMalformed, "The file is neither a JWK, nor PEM, nor DER.")
        }
        return [try readDER(element)]
    }

    private static func readJSON(_ bytes: Data) throws -> [PublicKey] {
        guard let json = JSON(reading: bytes) else { throw WireError(.keyMalformed, "The key's JSON cannot be read.") }
        guard let keys = json["keys"] else { return [try PublicKey(jwk: json)] }
        guard let keys = keys.array else { throw WireError(.keyMalformed, "The member keys of a JWK set is a list.") }
        // RFC 7517 section 5: keys of a kind we do not understand are passed over.
        let usable = try keys.compactMap { key -> PublicKey? in
            if let use = key["use"]?.string, use != "enc" { return nil }
            do { return try PublicKey(jwk: key) } catch let error as WireError where error.reason == .keyUnsupported {
                return nil
            }
        }
        guard !usable.isEmpty else {
            throw WireError(.keyUnsupported, "The JWK set has no RSA or P-256 key for encryption.")
        }
        return usable
    }

    private static func readPEM(_ text: String) throws -> [PublicKey] {
        guard let document = PEMDocument(text) else { throw WireError(.keyMalformed, "The PEM text is damaged.") }
        if document.blocks.contains(where: { $0.label.hasSuffix("PRIVATE KEY") }) {
            throw WireError(.keyIsPrivate, "This is a private key: keep it secret, and give the published one instead.")
        }
        var keys: [PublicKey] = []
        var certificateSeen = false
        for block in document.blocks {
            switch block.label {
            case "CERTIFICATE", "X509 CERTIFICATE":
                if certificateSeen { continue }
                certificateSeen = true
            case "PUBLIC KEY", "RSA PUBLIC KEY": break
            default: continue
            }
            guard let element = DERElement(whole: block.bytes) else {
                throw WireError(.keyMalformed, "The PEM block holds no DER.")
            }
            keys.append(try readDER(element))
        }
        guard !keys.isEmpty else {
            throw WireError(.keyMalformed, "The PEM text holds neither a public key nor a certificate.")
        }
        return keys
    }

    /// One of: SubjectPublicKeyInfo, Certificate, RSAPublicKey of PKCS#1; told apart by the shape of the outer sequence.
    private static func readDER(_ element: DERElement) throws -> PublicKey {
        guard element.tag == DERElement.sequence, let children = element.children, let first = children.first else {
            throw WireError(.keyMalformed, "The DER is neither a public key nor a certificate.")
        }
        if children.count == 2, first.tag == DERElement.integer { return .rsa(try rsaKey(pkcs1: element)) }
        if children.count == 2, first.tag == DERElement.sequence { return try readSubjectPublicKeyInfo(element) }
        if children.count == 3, first.tag == DERElement.sequence {
            guard let info = subjectPublicKeyInfo(ofToBeSigned: first) else {
                throw WireError(.keyMalformed, "The certificate is damaged.")
            }
            return try readSubjectPublicKeyInfo(info)
        }
        if first.tag == DERElement.integer {
            throw WireError(.keyIsPrivate, "This looks like a private key: give the published one instead.")
        }
        throw WireError(.keyMalformed, "The DER is neither a public key nor a certificate.")
    }

    /// RFC 5280 section 4.1: version [0] (absent in v1), serialNumber, signature, issuer, validity, subject, then the key.
    private static func subjectPublicKeyInfo(ofToBeSigned element: DERElement) -> DERElement? {
        guard var fields = element.children?[...] else { return nil }
        if fields.first?.tag == 0xA0 { fields = fields.dropFirst() }
        guard fields.count >= 6, fields.first?.tag == DERElement.integer else { return nil }
        let rest = fields.dropFirst()
        guard rest.prefix(5).allSatisfy({ $0.tag == DERElement.sequence }) else { return nil }
        return rest.dropFirst(4).first
    }

    private static func readSubjectPublicKeyInfo(_ element: DERElement) throws -> PublicKey {
        let rsaEncryption: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
        let ecPublicKey: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
        let prime256v1: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
        guard element.tag == DERElement.sequence, let fields = element.children, fields.count == 2,
            let algorithm = fields[0].children, let identifier = algorithm.first,
            identifier.tag == DERElement.objectIdentifier, let key = fields[1].bitStringOctets
        else { throw WireError(.keyMalformed, "The public key's DER is damaged.") }
        if identifier.content.elementsEqual(rsaEncryption) {
            guard let inner = DERElement(whole: Data(key)) else {
                throw WireError(.keyMalformed, "The RSA key's DER is damaged.")
            }
            return .rsa(try rsaKey(pkcs1: inner))
        }
        if identifier.content.elementsEqual(ecPublicKey) {
            guard algorithm.count == 2, algorithm[1].content.elementsEqual(prime256v1) else {
                throw WireError(.keyUnsupported, "Of elliptic curves only P-256 is used.")
            }
            return .p256(try P256PublicKey(x963: Data(key)))
        }
        throw WireError(.keyUnsupported, "The key is neither RSA nor P-256.")
    }

    private static func rsaKey(pkcs1 element: DERElement) throws -> RSAPublicKey {
        guard element.tag == DERElement.sequence, let numbers = element.children, numbers.count == 2,
            let modulus = numbers[0].unsignedInteger, let exponent = numbers[1].unsignedInteger
        else { throw WireError(.keyMalformed, "The RSA key's DER is damaged.") }
        return try RSAPublicKey(modulus: modulus, exponent: exponent)
    }
}
