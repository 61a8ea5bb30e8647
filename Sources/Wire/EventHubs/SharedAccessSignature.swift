import Core
import Crypto
import Foundation

/// The credential of a request to an event hub: the owner of a key signs a resource and an expiry time. It is the value
/// of an `Authorization` header: `SharedAccessSignature sr=...&sig=...&se=...&skn=...`.
///
/// <https://learn.microsoft.com/azure/event-hubs/authenticate-shared-access-signature>
public struct SharedAccessSignature: Sendable, Hashable {
    /// The resource that it grants access to, `sr`, as received: percent-encoded, which is the form that is signed.
    public let encodedResource: String
    /// The name of the key, `skn`.
    public let keyName: String
    /// The expiry time, `se`, in seconds since 1970.
    public let expiry: Int64
    /// The HMAC-SHA256, `sig`.
    private let code: Data

    /// Maximum length of a header in bytes.
    public static let maximumBytes = 4_096
    /// Lifetime of a signature in seconds.
    public static let lifetime: Int64 = 3_600
    private static let scheme = "SharedAccessSignature "

    /// Signs a resource.
    ///
    /// - Parameters:
    /// - url: the URL of the resource: the host and the path; the scheme, a query and the case are ignored.
    /// - key: the key's text, whose UTF-8 bytes are the key.
    public init(reaching url: URL, keyName: String, key: String, now: Date) {
        let path = url.path(percentEncoded: false)
        let resource = Self.authority(of: url) + (path.hasSuffix("/") ? path : path + "/")
        self.init(
            encodedResource: PercentEncoding.encode(resource).lowercased(), keyName: keyName, key: key,
            expiry: Int64(now.timeIntervalSince1970) + Self.lifetime)
    }

    private init(encodedResource: String, keyName: String, key: String, expiry: Int64) {
        self.encodedResource = encodedResource
        self.keyName = keyName
        self.expiry = expiry
        code = Data(Self.code(of: encodedResource, expiry: expiry, key: key))
    }

    /// Reads the value of a header.
    ///
    /// - Throws: ``WireError`` `shared-access-signature-invalid` if it is not a shared access signature.
    public init(reading header: String) throws(WireError) {
        guard header.utf8.count <= Self.maximumBytes, header.hasPrefix(Self.scheme) else { throw Self.refusal }
        var parts: [Substring: Substring] = [:]
        for pair in header.dropFirst(Self.scheme.count).split(separator: "&") {
            let halves = pair.split(separator: "=", maxSplits: 1)
            guard halves.count == 2, parts.updateValue(halves[1], forKey: halves[0]) == nil else { throw Self.refusal }
        }
        guard let resource = parts["sr"], PercentEncoding.decodeForm(resource) != nil,
            let name = parts["skn"].flatMap({ PercentEncoding.decodeForm($0) }),
            let end = parts["se"], end.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let expiry = Int64(end),
            // The characters of base64 may be percent-encoded or not, and a plus is never a space.
            let text = parts["sig"].flatMap({ PercentEncoding.decode($0) }), let code = Data(base64Encoded: text),
            code.count == SHA256Digest.byteCount
        else { throw Self.refusal }
        encodedResource = String(resource)
        keyName = name
        self.expiry = expiry
        self.code = code
    }

    /// The value of the header.
    public var header: String {
        Self.scheme + "sr=" + encodedResource + "&sig=" + PercentEncoding.encode(code.base64EncodedString())
            + "&se=\(expiry)&skn=" + PercentEncoding.encode(keyName)
    }

    /// Whether the signature was made with a key. Compares in constant time.
    public func isSigned(with key: String) -> Bool {
        HMAC<SHA256>.isValidAuthenticationCode(
            code, authenticating: Data(Self.signed(encodedResource, expiry).utf8),
            using: SymmetricKey(data: Data(key.utf8)))
    }

    /// Whether the signature has not expired.
    public func isCurrent(at now: Date) -> Bool { Double(expiry) > now.timeIntervalSince1970 }

    /// Whether the signature grants access to a hub: its resource is the hub's URL or a path below it. Scheme, case and
    /// a trailing slash are ignored.
    public func reaches(_ url: URL) -> Bool {
        guard var named = PercentEncoding.decodeForm(encodedResource)?.lowercased() else { return false }
        if let scheme = named.range(of: "://") { named.removeSubrange(..<scheme.upperBound) }
        let path = url.path(percentEncoded: false)
        let hub = (Self.authority(of: url) + (path.hasSuffix("/") ? String(path.dropLast()) : path)).lowercased()
        guard named.hasPrefix(hub) else { return false }
        return named == hub || named.dropFirst(hub.count).hasPrefix("/")
    }

    /// Returns the host and, if the URL has one, the port.
    private static func authority(of url: URL) -> String {
        let host = url.host(percentEncoded: false) ?? ""
        let written = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        return written + (url.port.map { ":\($0)" } ?? "")
    }

    private static func signed(_ resource: String, _ expiry: Int64) -> String { "\(resource)\n\(expiry)" }

    private static func code(of resource: String, expiry: Int64, key: String) -> HMAC<SHA256>.MAC {
        HMAC<SHA256>.authenticationCode(
            for: Data(signed(resource, expiry).utf8), using: SymmetricKey(data: Data(key.utf8)))
    }

    private static let refusal = WireError(
        .sharedAccessSignatureInvalid,
        "The Authorization header is not a shared access signature with sr, sig, se and skn.")
}
