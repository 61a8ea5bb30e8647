import AccessPolicy
import Foundation
import Storage

/// An app or a server that is registered to request tokens (SMART on FHIR; RFC 6749 section 2).
package struct RegisteredClient: Sendable, Hashable {
    /// Authentication method of a client.
    package enum Proof: Sendable, Hashable {
        /// None, because the client cannot keep a secret (`client-public`).
        case none
        /// A secret, stored as a digest (`client-confidential-symmetric`).
        case secret
        /// A key of the registered JWK set (`client-confidential-asymmetric`).
        case keySet(Data)
        /// A key of the JWK set at this URL.
        case keySetURL(String)

        /// Name of the method in listings.
        package var name: String {
            switch self {
            case .none: "public"
            case .secret: "secret"
            case .keySet: "jwks"
            case .keySetURL: "jwks-url"
            }
        }
    }

    package let id: String
    /// Name for people, who decide by it whether to trust the client.
    package let name: String
    package let proof: Proof
    /// Redirect URIs; compared exactly.
    package let redirectURIs: [String]
    /// Maximum scopes of the client.
    package let scopes: AccessScopes
    package let createdAt: Date
    package let revokedAt: Date?

    /// URL of its keys, if it registered one.
    package var keySetURL: String? { if case .keySetURL(let url) = proof { url } else { nil } }

    /// Actor for requests without a person.
    package var actor: Actor { Actor(id: id, role: .service) }

    init(_ row: SQLRow, redirectURIs: [String]) throws {
        id = try row.text("id")
        name = try row.text("name")
        proof =
            if let set = row.textIfPresent("key_set") {
                .keySet(Data(set.utf8))
            } else if let url = row.textIfPresent("key_set_url") {
                .keySetURL(url)
            } else {
                row["secret_digest"] == .null ? .none : .secret
            }
        self.redirectURIs = redirectURIs
        scopes = try AccessScopes(row.text("scopes"))
        createdAt = try row.date("created_at")
        revokedAt = row.dateIfPresent("revoked_at")
    }
}

/// Properties of a client to register.
package struct NewClient: Sendable, Hashable {
    package var name: String
    package var proof: RegisteredClient.Proof
    package var redirectURIs: [String]
    package var scopes: AccessScopes

    package init(name: String, proof: RegisteredClient.Proof, redirectURIs: [String], scopes: AccessScopes) {
        self.name = name
        self.proof = proof
        self.redirectURIs = redirectURIs
        self.scopes = scopes
    }

    /// Maximum number of redirect URIs.
    package static let maximumRedirectURIs = 20
    /// Maximum length of a name in characters.
    package static let longestName = 200

    /// - Parameter allowingLoopback: whether keys may be fetched from the same machine.
    func check(allowingLoopback: Bool) throws {
        guard (1...Self.longestName).contains(name.count),
            name.unicodeScalars.allSatisfy({ !$0.properties.isControlOrFormat })
        else {
            throw AccessError(
                code: "client-name-invalid",
                message: "A client's name has 1 to \(Self.longestName) characters and no control characters.")
        }
        guard scopes.unrecognized.isEmpty, !scopes.permitNothing else {
            throw AccessError(
                code: "scope-unknown", message: "A scope is unknown, or none permits anything; try patient/*.rs.")
        }
        guard redirectURIs.count <= Self.maximumRedirectURIs, Set(redirectURIs).count == redirectURIs.count,
            redirectURIs.allSatisfy({ RegisteredURL($0)?.isRedirection ?? false })
        else {
            throw AccessError(
                code: "redirect-uri-invalid",
                message:
                    "A redirect URI is https, http on this machine, or has an app's own scheme that contains a dot; "
                    + "without user and fragment, each once, at most \(Self.maximumRedirectURIs).")
        }
        if case .keySetURL(let url) = proof, RegisteredURL(url)?.isKeySet(allowingLoopback: allowingLoopback) != true {
            throw AccessError(
                code: "key-set-url-invalid",
                message: "The URL of keys is https with a host name and port 443; in a development study loopback too.")
        }
        // Without redirect URIs, a client can only get tokens by itself, which needs a key.
        let actsAlone =
            switch proof {
            case .none, .secret: false
            case .keySet, .keySetURL: scopes.resources.contains { $0.context == .system }
            }
        guard !redirectURIs.isEmpty || actsAlone else {
            throw AccessError(
                code: "redirect-uri-missing",
                message:
                    "A client for people needs a redirect URI; one without a person needs keys and a scope system/."
            )
        }
    }
}

extension Unicode.Scalar.Properties {
    /// Whether the character controls the presentation of text instead of being visible.
    var isControlOrFormat: Bool {
        switch generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: true
        default: false
        }
    }
}
