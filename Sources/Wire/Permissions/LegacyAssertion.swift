import Core
import Crypto
import Foundation

/// The form of the document's assertions: header, payload and signature in base64, joined by dots.
///
/// It is no JWS: the signature is DER over the bytes of the payload, and covers no header. So the header proves nothing
/// and is ignored; the key is that of the payload's `iss`.
struct LegacyAssertion: Sendable, Hashable {
    /// The signed bytes.
    let payload: Data
    /// The payload, without duplicate names.
    let claims: JSON
    private let signature: Data

    /// Maximum bytes of an assertion.
    static let maximumBytes = 16_384

    /// Reads an assertion. Accepted are: base64 or base64url, padded or not; a blank for each `+`, which a form makes of
    /// it; a blank instead of the dot before the signature.
    ///
    /// - Throws: ``PermissionError`` `invalid_client`.
    init(reading text: String) throws(PermissionError) {
        guard text.utf8.count <= Self.maximumBytes else { throw Self.refusal }
        let dot = UInt8(ascii: ".")
        let blank = UInt8(ascii: " ")
        let bytes = Array(text.utf8)
        let parts = bytes.split(separator: dot, omittingEmptySubsequences: false)
        if parts.count == 3, let found = LegacyAssertion(payload: parts[1], signature: parts[2]) {
            self = found
            return
        }
        // The last separator is a blank. A signature has up to 96 characters, which limits the candidates.
        guard parts.count == 2 else { throw Self.refusal }
        let rest = parts[1]
        for index in rest.indices.suffix(98) where rest[index] == blank {
            let signature = rest[rest.index(after: index)...]
            if let found = LegacyAssertion(payload: rest[..<index], signature: signature) {
                self = found
                return
            }
        }
        throw Self.refusal
    }

    private init?(payload text: ArraySlice<UInt8>, signature signatureText: ArraySlice<UInt8>) {
        guard let payload = Self.decoded(text), let signature = Self.decoded(signatureText),
            CsiSignature.rawSignature(der: signature) != nil, let claims = JSON(reading: payload),
            claims.object != nil
        else { return nil }
        self.payload = payload
        self.claims = claims
        self.signature = signature
    }

    /// Signs a payload, and returns the assertion with base64 and padding as the document's client writes it.
    static func signed(header: String, payload: Data, with key: some DeviceSigning) throws -> String {
        let signature = try key.derSignature(of: payload)
        return [Data(header.utf8), payload, signature].map { $0.base64EncodedString() }.joined(separator: ".")
    }

    /// Verifies the signature with the key of the issuer. Throws ``PermissionError`` `invalid_client`.
    func verify(with key: P256PublicKey) throws(PermissionError) {
        guard key.verifies(derSignature: signature, of: payload) else { throw Self.refusal }
    }

    /// SHA-256 of the payload, 64 hexadecimal digits in lower case.
    var digest: String { Hexadecimal.text(SHA256.hash(data: payload)) }

    /// Returns a claim that is a csi. Throws ``PermissionError`` `invalid_client`.
    func guid(_ name: String) throws(PermissionError) -> CsiGuid {
        guard let guid = claims[name]?.string.flatMap({ CsiGuid($0) }) else { throw Self.refusal }
        return guid
    }

    /// Returns a claim that is a text of up to `limit` bytes. Throws ``PermissionError`` `invalid_client`.
    func text(_ name: String, limit: Int) throws(PermissionError) -> String {
        guard let text = claims[name]?.string, text.utf8.count <= limit else { throw Self.refusal }
        return text
    }

    /// Returns a claim that is a time in seconds since 1970 UTC, as a number or as the text of one. Throws
    /// ``PermissionError`` `invalid_client`.
    func seconds(_ name: String) throws(PermissionError) -> Int {
        let seconds: Int?
        switch claims[name] {
        case .number(let number)?: seconds = number.integer
        case .string(let text)? where text.utf8.allSatisfy({ (0x30...0x39).contains($0) }): seconds = Int(text)
        default: seconds = nil
        }
        // The years until 9999.
        guard let seconds, (0..<253_402_300_800).contains(seconds) else { throw Self.refusal }
        return seconds
    }

    /// Decodes base64 or base64url, padded or not; a blank counts as `+`.
    private static func decoded(_ text: ArraySlice<UInt8>) -> Data? {
        var padding = 0
        var urlText = Data()
        urlText.reserveCapacity(text.count)
        for byte in text {
            guard byte != UInt8(ascii: "=") else {
                padding += 1
                continue
            }
            guard padding == 0 else { return nil }
            switch byte {
            case UInt8(ascii: "+"), UInt8(ascii: " "): urlText.append(UInt8(ascii: "-"))
            case UInt8(ascii: "/"): urlText.append(UInt8(ascii: "_"))
            default: urlText.append(byte)
            }
        }
        guard padding == 0 || (padding <= 2 && (urlText.count + padding).isMultiple(of: 4)), !urlText.isEmpty else {
            return nil
        }
        return Data(base64URLText: urlText)
    }

    /// One error for each fault of an assertion.
    static let refusal = PermissionError(.invalidClient, "The assertion is not valid.")
}

/// A form of the document's token calls.
struct LegacyForm {
    private let fields: [String: String]

    /// Maximum bytes of a form.
    static let maximumBytes = 65_536
    static let grantType = "authorization_code"
    static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

    /// Reads a form whose grant type is `authorization_code`. A value may contain `=`; a field that is not known is
    /// ignored.
    ///
    /// - Parameter typeField: the name of the field with the type of the assertion, which may be escaped once more.
    /// - Throws: ``PermissionError`` `invalid_request`, `unsupported_grant_type`.
    init(reading body: Data, typeField: String) throws(PermissionError) {
        guard body.count <= Self.maximumBytes, let text = String(validUTF8: body),
            let pairs = PercentEncoding.fields(text), pairs.count <= 32
        else { throw Self.refusal("The body is not a form.") }
        var fields: [String: String] = [:]
        for pair in pairs {
            guard fields.updateValue(pair.value, forKey: pair.name) == nil else {
                throw Self.refusal("The form has a field twice.")
            }
        }
        guard let grantType = fields["grant_type"] else { throw Self.refusal("The field grant_type is missing.") }
        guard grantType == Self.grantType else {
            throw PermissionError(.unsupportedGrantType, "The grant type must be \(Self.grantType).")
        }
        guard let type = fields[typeField],
            type == Self.assertionType || PercentEncoding.decode(type) == Self.assertionType
        else { throw Self.refusal("The field \(typeField) is missing, or has another value.") }
        self.fields = fields
    }

    /// Returns a field. Throws ``PermissionError`` `invalid_request` if it is missing or empty.
    func value(_ name: String) throws(PermissionError) -> String {
        guard let value = fields[name], !value.isEmpty else { throw Self.refusal("The field \(name) is missing.") }
        return value
    }

    private static func refusal(_ message: String) -> PermissionError { PermissionError(.invalidRequest, message) }
}
