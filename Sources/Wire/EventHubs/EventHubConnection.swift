import Core
import Foundation

/// A connection string of an event hub: where it is, and the key or the signature that it is asked with.
///
/// `Endpoint=sb://HOST/;SharedAccessKeyName=NAME;SharedAccessKey=KEY;EntityPath=HUB`; instead of the key, `SharedAccessSignature`.
/// `sb` is spoken over HTTPS; `http` and `https` are taken as they are, `http` on this machine alone.
public struct EventHubConnection: Sendable, Hashable {
    /// What a request is signed with.
    public enum Credential: Sendable, Hashable {
        /// A key, its name before its text.
        case key(name: String, key: String)
        /// A signature that somebody else made; the value of the header.
        case signature(String)
    }

    /// Where the hub is: the namespace's URL and the hub's name, `https://HOST/HUB`.
    public let hub: URL
    /// What requests are signed with.
    public let credential: Credential

    /// Bytes of a connection string beyond which nothing is read.
    public static let maximumBytes = 4_096

    /// Makes a connection of its parts.
    ///
    /// - Parameters:
    ///   - endpoint: the namespace's URL: https, or http on this machine.
    ///   - name: the hub's.
    /// - Throws: ``WireError`` `event-hub-invalid`.
    public init(endpoint: URL, hub name: String, credential: Credential) throws(WireError) {
        guard let scheme = endpoint.scheme?.lowercased(), let host = endpoint.host(percentEncoded: false),
            !host.isEmpty, var parts = URLComponents(url: endpoint, resolvingAgainstBaseURL: true),
            // No machine has such a name, and it is another one each time that it is read.
            endpoint.host(percentEncoded: true)?.contains("%") == false,
            parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil,
            // Segments without a name are lost where URLs are put together.
            !parts.percentEncodedPath.contains("//"), EventHubName.isName(name)
        else { throw Self.refusal }
        switch scheme {
        case "https": break
        case "http" where LoopbackHost.matches(host): break
        case "http":
            throw WireError(.eventHubInvalid, "An event hub is asked over https; http is for this machine alone.")
        default: throw Self.refusal
        }
        // One way to write it: a colon without a port is none.
        parts.scheme = scheme
        parts.port = endpoint.port
        guard let namespace = parts.url else { throw Self.refusal }
        hub = namespace.appending(path: name)
        self.credential = credential
    }

    /// Reads a connection string: names in whatever case, in whatever order.
    ///
    /// - Throws: ``WireError`` `event-hub-invalid`, whose sentence has nothing of the string.
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

    /// Where messages are posted.
    public var messages: URL { hub.appending(path: EventHubName.messages) }

    /// The value of the `Authorization` header of a request that is made now.
    public func authorization(now: Date) -> String {
        switch credential {
        case .key(let name, let key): SharedAccessSignature(reaching: hub, keyName: name, key: key, now: now).header
        case .signature(let signature): signature
        }
    }

    private static let refusal = WireError(
        .eventHubInvalid,
        "This is no connection string of an event hub: Endpoint=sb://HOST/;SharedAccessKeyName=NAME;SharedAccessKey=KEY;"
            + "EntityPath=HUB.")
}

/// The names of event hubs and what stands behind them in a URL.
public enum EventHubName {
    /// Whether a text names a hub: letters, digits, `.`, `-`, `_`, a letter or digit first and last, at most 50 of them.
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

    /// The segment behind the hub's name to which messages are posted.
    public static let messages = "messages"
    /// The media type of several messages in one body.
    public static let batchMediaType = "application/vnd.microsoft.servicebus.json"
}
