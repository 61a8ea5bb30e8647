import Core
import Foundation
import Storage
import Wire

/// A hub to which third-party devices and clouds send events: `POST /NAME/messages`.
package struct DeviceHub: Sendable, Hashable {
    /// The hub's name, the first segment of its path.
    package let name: String
    /// The public URL of the hub, with its name. A signature must name it.
    package let url: URL

    /// First path segments of other routes, which a hub may not use.
    package static let reserved: Set<String> = [
        ".well-known", "c3pro", "consent", "deliveries", "encfhir", "fhir", "fhirenc", "health", "login", "oauth",
        "oauth2",
        "openapi.json", "register", "study", "livez", "readyz", "metrics",
    ]

    /// - Parameters:
    ///   - name: lowercase letters, digits, `.`, `-`, `_`.
    ///   - endpoint: the public URL of the server: https, or http on this machine.
    /// - Throws: ``GatewayError`` `hub-name-invalid`, `hub-url-invalid`.
    package init(_ name: String, at endpoint: String) throws(GatewayError) {
        guard EventHubName.isName(name), name == name.lowercased(), !Self.reserved.contains(name) else {
            throw GatewayError(
                "hub-name-invalid",
                "A hub has a name of up to 50 small letters, digits, ., - and _ that is no path of the server: not \(name)."
            )
        }
        guard let base = URL(string: endpoint, encodingInvalidCharacters: false),
            let connection = try? EventHubConnection(endpoint: base, hub: name, credential: .signature(""))
        else {
            throw GatewayError(
                "hub-url-invalid",
                "--url takes where others reach the server: https://HOST, or http:// on this machine.")
        }
        self.name = name
        url = connection.hub
    }

    private init(name: String, url: URL) {
        self.name = name
        self.url = url
    }

    /// Makes a key of the hub, and the hub if it does not exist. Earlier keys stay valid.
    ///
    /// - Returns: the connection string.
    /// - Throws: ``GatewayError`` `hub-url-differs` if the hub has another URL.
    package func makeKey(from secret: HubSecret, at: Date, in transaction: any SQLTransaction) throws
        -> EventHubConnection
    {
        if let present = try Self.named(name, in: transaction) {
            guard present.url == url else {
                throw GatewayError(
                    "hub-url-differs",
                    "The hub \(name) has another URL, which its keys contain; choose another name.")
            }
        } else {
            try transaction.execute(
                "INSERT INTO gateway_hub (hub, url, created_at, event_count, byte_count) VALUES (?, ?, ?, 0, 0)",
                [SQLValue(name), SQLValue(url.absoluteString), SQLValue(at)])
        }
        let count =
            try transaction.first("SELECT count(*) AS keys FROM gateway_key WHERE hub = ?", [SQLValue(name)])?
            .integer("keys") ?? 0
        let key = "key-\(count + 1)"
        try transaction.execute(
            "INSERT INTO gateway_key (hub, name, created_at) VALUES (?, ?, ?)",
            [SQLValue(name), SQLValue(key), SQLValue(at)])
        return try EventHubConnection(
            endpoint: url.deletingLastPathComponent(), hub: name,
            credential: .key(name: key, key: secret.key(hub: name, name: key)))
    }

    /// Returns the hub with a name; nil if there is none.
    static func named(_ name: String, in transaction: any SQLTransaction) throws -> DeviceHub? {
        guard let row = try transaction.first("SELECT url FROM gateway_hub WHERE hub = ?", [SQLValue(name)]),
            let url = URL(string: try row.text("url"))
        else { return nil }
        return DeviceHub(name: name, url: url)
    }

    /// Whether a key with this name was made for the hub.
    func hasKey(_ key: String, in transaction: any SQLTransaction) throws -> Bool {
        try transaction.first(
            "SELECT 1 AS one FROM gateway_key WHERE hub = ? AND name = ?", [SQLValue(name), SQLValue(key)]) != nil
    }
}
