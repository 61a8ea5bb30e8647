import Core
import Foundation
import SwiftASN1

extension PublicKey {
    /// Reads the public keys in these bytes and detects the format: a JWK set, one JWK, PEM (`PUBLIC KEY`,
    /// `RSA PUBLIC KEY`, `CERTIFICATE`), or DER of a SubjectPublicKeyInfo or an X.509 certificate.
    ///
    /// In a JWK set, keys of other kinds and keys for signing are ignored. In a certificate chain, only the first
    /// certificate is used: the others are the issuers'. A certificate is only a container here: neither its dates nor
    /// its issuer are checked, as in C3-PRO.
    /// Throws `key-malformed`, `key-unsupported` or `key-is-private`.
    public static func read(from bytes: Data) throws(WireError) -> [PublicKey] {
        let start = bytes.drop { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
        if start.first == UInt8(ascii: "{") { return try readJSON(bytes) }
        if let text = String(data: bytes, encoding: .utf8), text.contains("-----BEGIN ") { return try readPEM(text) }
        guard let node = try? DER.parse([UInt8](bytes)) else {
            throw WireError(.keyMalformed, "The file is neither a JWK, nor PEM, nor DER.")
        }
        return [try readDER(node)]
    }

    private static func readJSON(_ bytes: Data) throws(WireError) -> [PublicKey] {
        guard let json = JSON(reading: bytes) else { throw WireError(.keyMalformed, "The key's JSON cannot be read.") }
        guard let keys = json["keys"] else { return [try PublicKey(jwk: json)] }
        guard let keys = keys.array else { throw WireError(.keyMalformed, "The member keys of a JWK set is a list.") }
        // RFC 7517 section 5: keys of an unknown kind are ignored.
        var usable: [PublicKey] = []
        for key in keys where (key["use"]?.string ?? "enc") == "enc" {
            do { usable.append(try PublicKey(jwk: key)) } catch {
                guard error.reason == .keyUnsupported else { throw error }
            }
        }
        guard !usable.isEmpty else {
            throw WireError(.keyUnsupported, "The JWK set has no RSA or P-256 key for encryption.")
        }
        return usable
    }

    private static func readPEM(_ text: String) throws(WireError) -> [PublicKey] {
        // A private key is reported as one even if its lines are damaged or it is encrypted.
        if text.contains("PRIVATE KEY-----") {
            throw WireError(.keyIsPrivate, "This is a private key: keep it secret, and use the published one instead.")
        }
        guard let documents = try? PEMDocument.parseMultiple(pemString: text) else {
            throw WireError(
                .keyMalformed,
                "The PEM text is damaged: it needs lines of 64 characters of base64 between BEGIN and END of one name.")
        }
        var keys: [PublicKey] = []
        var certificateSeen = false
        for document in documents {
            switch document.discriminator {
            case "CERTIFICATE", "X509 CERTIFICATE":
                if certificateSeen { continue }
                certificateSeen = true
            case "PUBLIC KEY", "RSA PUBLIC KEY": break
            default: continue
            }
            guard let node = try? DER.parse(document.derBytes) else {
                throw WireError(.keyMalformed, "The PEM block does not contain DER.")
            }
            keys.append(try readDER(node))
        }
        guard !keys.isEmpty else {
            throw WireError(.keyMalformed, "The PEM text contains neither a public key nor a certificate.")
        }
        return keys
    }

    /// Reads a SubjectPublicKeyInfo, a Certificate or an RSAPublicKey of PKCS#1, distinguished by the form of the outer
    /// sequence.
    private static func readDER(_ node: ASN1Node) throws(WireError) -> PublicKey {
        guard let children = node.fields, let first = children.first else {
            throw WireError(.keyMalformed, "The DER is neither a public key nor a certificate.")
        }
        switch (children.count, first.identifier) {
        case (2, .integer): return .rsa(try rsaKey(pkcs1: node))
        case (2, .sequence): return try readSubjectPublicKeyInfo(node)
        case (3, .sequence):
            guard let info = subjectPublicKeyInfo(ofToBeSigned: first) else {
                throw WireError(.keyMalformed, "The certificate is damaged.")
            }
            return try readSubjectPublicKeyInfo(info)
        case (_, .integer):
            throw WireError(.keyIsPrivate, "This looks like a private key: use the published one instead.")
        default: throw WireError(.keyMalformed, "The DER is neither a public key nor a certificate.")
        }
    }

    /// RFC 5280 section 4.1: version [0] (absent in v1), serialNumber, signature, issuer, validity, subject, then the
    /// key.
    private static func subjectPublicKeyInfo(ofToBeSigned node: ASN1Node) -> ASN1Node? {
        guard var fields = node.fields?[...] else { return nil }
        if fields.first?.identifier == ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific) {
            fields = fields.dropFirst()
        }
        guard fields.count >= 6, fields.first?.identifier == .integer else { return nil }
        let rest = fields.dropFirst()
        guard rest.prefix(5).allSatisfy({ $0.identifier == .sequence }) else { return nil }
        return rest.dropFirst(4).first
    }

    private static func readSubjectPublicKeyInfo(_ node: ASN1Node) throws(WireError) -> PublicKey {
        guard let fields = node.fields, fields.count == 2, let algorithm = fields[0].fields,
            let identifier = algorithm.first.flatMap({ try? ASN1ObjectIdentifier(derEncoded: $0) }),
            let key = try? ASN1BitString(derEncoded: fields[1]), key.paddingBits == 0
        else { throw WireError(.keyMalformed, "The public key's DER is damaged.") }
        switch identifier {
        case .AlgorithmIdentifier.rsaEncryption:
            guard let inner = try? DER.parse(key.bytes) else {
                throw WireError(.keyMalformed, "The RSA key's DER is damaged.")
            }
            return .rsa(try rsaKey(pkcs1: inner))
        case .AlgorithmIdentifier.idEcPublicKey:
            guard algorithm.count == 2,
                (try? ASN1ObjectIdentifier(derEncoded: algorithm[1])) == .NamedCurves.secp256r1
            else { throw WireError(.keyUnsupported, "P-256 is the only supported elliptic curve.") }
            return .p256(try P256PublicKey(x963: Data(key.bytes)))
        default: throw WireError(.keyUnsupported, "The key is neither RSA nor P-256.")
        }
    }

    private static func rsaKey(pkcs1 node: ASN1Node) throws(WireError) -> RSAPublicKey {
        guard let numbers = node.fields, numbers.count == 2,
            let modulus = try? ArraySlice<UInt8>(derEncoded: numbers[0]),
            let exponent = try? ArraySlice<UInt8>(derEncoded: numbers[1])
        else { throw WireError(.keyMalformed, "The RSA key's DER is damaged.") }
        return try RSAPublicKey(modulus: Data(modulus), exponent: Data(exponent))
    }
}

extension ASN1Node {
    /// The elements of a SEQUENCE; nil for anything else.
    fileprivate var fields: [ASN1Node]? {
        guard identifier == .sequence, case .constructed(let nodes) = content else { return nil }
        return Array(nodes)
    }
}
