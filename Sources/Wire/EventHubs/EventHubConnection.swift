import Core
import Foundation

/// A connection string of an event hub: its URL, and the key or signature for its requests.
///
/// `Endpoint=sb://HOST/;SharedAccessKeyName=NAME;SharedAccessKey=KEY;EntityPath=HUB`; instead of the key,
/// `SharedAccessSignature`. `sb` is replaced by HTTPS; `http` and `https` are used as they are, `http` only for this
/// machine.
public struct EventHubConnection: Sendable, Hashable {
    /// The credential for a request.
    public enum Credential: Sendable, Hashable {
        /// A key: its name and its text.
        case key(name: String, key: String)
        /// A signature from another party: the value of the header.
        case signature(String)
    }

    /// The URL of the hub, from the namespace's URL and the hub's name: `https://HOST/HUB`.
    public let hub: URL
    /// The credential for requests.
    public let credential: Credential

    /// Maximum length of a connection string in bytes.
    public static let maximumBytes = 4_096

    /// Creates a connection from its parts.
    ///
    /// - Parameters:
    ///   - endpoint: the namespace's URL: https, or http on this machine.
    /// - name: the hub's name.
    /// - Throws: ``WireError`` `event-hub-invalid`.
    public init(endpoint: URL, hub name: String, credential: Credential) throws(WireError) {
        guard let scheme = endpoint.scheme?.lowercased(), let host = endpoint.host(percentEncoded: false),
            !host.isEmpty, var parts = URLComponents(url: endpoint, resolvingAgainstBaseURL: true),
            // No host has such a name, and each parsing decodes it to another name.
            endpoint.host(percentEncoded: true)?.contains("%") == false,
            parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil,
            // Empty path segments are lost when URLs are joined.
            !parts.percentEncodedPath.contains("//"), EventHubName.isName(name)
        else { throw Self.refusal }
        switch scheme {
        case "https": break
        case "http" where LoopbackHost.matches(host): break
        case "http":
            throw WireError(.eventHubInvalid, "An event hub needs https; http is allowed only on this machine.")
        default: throw Self.refusal
        }
        // Normalizes the URL: a colon without a port is removed.
        parts.scheme = scheme
        parts.port = endpoint.port
        guard let namespace = parts.url else { throw Self.refusal }
        hub = namespace.appending(path: name)
        self.credential = credential
    }

    /// Reads a connection string. The order of the parts and the case of their names are ignored.
    ///
    /// - Throws: ``WireError`` `event-hub-invalid`, whose message contains nothing of the string.
    public init(reading text: String) throws(WireError) {
        guard text.utf8.count <= Self.maximumBytes else { throw Self.refusal }
        var parts: [String: String] = [:]
        for part in text.split(separator: ";") {
            let halves = part.split(separator: "=", maxSplits: 1)
            guard halves.count == 2, parts.updateValue(String(halves[1]), forKey: halves[0].lowercased()) == nil else {
                throw Self.refusal
            }
        }
        guard parts["transporttype"].map({ $0.lowercased() == "https" || $0.lowercased() == "amqp" }) ?? true,
            var endpoint = parts["endpoint"], let hub = parts["entitypath"]
        else { throw Self.refusal }
        if endpoint.lowercased().hasPrefix("sb://") { endpoint = "https://" + endpoint.dropFirst(5) }
        guard let url = URL(string: endpoint, encodingInvalidCharacters: false) else { throw Self.refusal }
        let credential: Credential
        switch (parts["sharedaccesskeyname"], parts["sharedaccesskey"], parts["sharedaccesssignature"]) {
        case (let name?, let key?, nil): credential = .key(name: name, key: key)
        case (nil, nil, let signature?): credential = .signature(signature)
        default: throw Self.refusal
        }
        try self.init(endpoint: url, hub: hub, credential: credential)
    }

    /// The connection string.
    public var text: String {
        let namespace = hub.deletingLastPathComponent().absoluteString
        let endpoint = namespace.hasPrefix("https://") ? "sb://" + namespace.dropFirst(8) : namespace
        let secret =
            switch credential {
            case .key(let name, let key): "SharedAccessKeyName=\(name);SharedAccessKey=\(key)"
            case .signature(let signature): "SharedAccessSignature=\(signature)"
            }
        return "Endpoint=\(endpoint);\(secret);EntityPath=\(hub.lastPathComponent)"
    }

    /// The URL to which messages are posted.
    public var messages: URL { hub.appending(path: EventHubName.messages) }

    /// Returns the value of the `Authorization` header of a request that is sent now.
    public func authorization(now: Date) -> String {
        switch credential {
        case .key(let name, let key): SharedAccessSignature(reaching: hub, keyName: name, key: key, now: now).header
        case .signature(let signature): signature
        }
    }

    private static let refusal = WireError(
        .eventHubInvalid,
        "Not a connection string of an event hub: Endpoint=sb://HOST/;SharedAccessKeyName=NAME;SharedAccessKey=KEY;"
            + "EntityPath=HUB.")
}

/// Names of event hubs and path segments of their URLs.
public enum EventHubName {
    /// Whether a text is the name of a hub: 1 to 50 letters, digits, `.`, `-` and `_`, with a letter or digit first and
    /// last.
    public static func isName(_ text: String) -> Bool {
        guard let first = text.utf8.first, let last = text.utf8.last, text.utf8.count <= 50 else { return false }
        func isAlphanumeric(_ byte: UInt8) -> Bool {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: false
            }
        }
        return isAlphanumeric(first) && isAlphanumeric(last)
            && text.utf8.allSatisfy { isAlphanumeric($0) || [0x2D, 0x2E, 0x5F].contains($0) }
    }

    /// The path segment after the hub's name to which messages are posted.
    public static let messages = "messages"
    /// The media type of several messages in one body.
    public static let batchMediaType = "application/vnd.microsoft.servicebus.json"
}
