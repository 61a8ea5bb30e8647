import Foundation
import Storage

/// An app or a server that was registered to ask for tokens (SMART on FHIR; RFC 6749 section 2).
public struct RegisteredClient: Sendable, Hashable {
    /// How it proves who it is.
    public enum Proof: Sendable, Hashable {
        /// It cannot keep a secret, and proves nothing (`client-public`).
        case none
        /// By a secret (`client-confidential-symmetric`), of which a digest is kept.
        case secret
        /// By a key of this JWK set, as it was registered (`client-confidential-asymmetric`).
        case keySet(Data)
        /// By a key of the JWK set at this address.
        case keySetURL(String)

        /// The word under which it is listed.
        public var name: String {
            switch self {
            case .none: "public"
            case .secret: "secret"
            case .keySet: "jwks"
            case .keySetURL: "jwks-url"
            }
        }
    }

    public let id: String
    /// For people: who reads this decides whether to trust it.
    public let name: String
    public let proof: Proof
    /// Where users are sent back to, each to the letter.
    public let redirectURIs: [String]
    /// The most that it may get.
    public let scopes: AccessScopes
    public let createdAt: Date
    public let revokedAt: Date?

    /// The address of its keys, where it registered one.
    public var keySetURL: String? { if case .keySetURL(let url) = proof { url } else { nil } }

    /// Who acts where it acts on its own.
    public var actor: Actor { Actor(id: id, role: .service) }

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

/// What is said of a client that is to be registered.
public struct NewClient: Sendable, Hashable {
    public var name: String
    public var proof: RegisteredClient.Proof
    public var redirectURIs: [String]
    public var scopes: AccessScopes

    public init(name: String, proof: RegisteredClient.Proof, redirectURIs: [String], scopes: AccessScopes) {
        self.name = name
        self.proof = proof
        self.redirectURIs = redirectURIs
        self.scopes = scopes
    }

    /// More addresses to send users back to are not taken.
    public static let mostRedirectURIs = 20
    /// A longer name, in characters, is not taken.
    public static let longestName = 200

    /// - Parameter allowingLoopback: whether keys may be fetched from the machine itself.
    func check(allowingLoopback: Bool) throws {
        guard (1...Self.longestName).contains(name.count),
            name.unicodeScalars.allSatisfy({ !$0.properties.isControlOrFormat })
        else {
            throw TrustError(
                code: "client-name-invalid",
                message: "A client's name has 1 to \(Self.longestName) characters, none of which is a control.")
        }
        guard scopes.unrecognized.isEmpty, !scopes.permitNothing else {
            throw TrustError(
                code: "scope-unknown", message: "A scope is not known, or none permits anything; say patient/*.rs.")
        }
        guard redirectURIs.count <= Self.mostRedirectURIs, Set(redirectURIs).count == redirectURIs.count,
            redirectURIs.allSatisfy({ RegisteredURL($0)?.isRedirection ?? false })
        else {
            throw TrustError(
                code: "redirect-uri-invalid",
                message:
                    "A redirect URI is https, http on this machine, or has a scheme of an app's own with a dot in it; "
                    + "without user and fragment, each once, at most \(Self.mostRedirectURIs).")
        }
        if case .keySetURL(let url) = proof, RegisteredURL(url)?.isKeySet(allowingLoopback: allowingLoopback) != true {
            throw TrustError(
                code: "key-set-url-invalid",
                message: "The address of keys is https at a host's name and port 443; loopback in a development study.")
        }
        // Without one there are the client's own tokens, which take a key.
        let actsAlone =
            switch proof {
            case .none, .secret: false
            case .keySet, .keySetURL: scopes.resources.contains { $0.context == .system }
            }
        guard !redirectURIs.isEmpty || actsAlone else {
            throw TrustError(
                code: "redirect-uri-missing",
                message:
                    "A client for people needs a redirect URI; one that acts on its own needs keys and a scope system/."
            )
        }
    }
}

extension Unicode.Scalar.Properties {
    /// Whether it is written to steer what shows text, and not to be read.
    var isControlOrFormat: Bool {
        switch generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: true
        default: false
        }
    }
}
