import Core
import Wire

/// The discovery documents, with which apps find the other endpoints.
struct DiscoveryDocuments {
    let addresses: AuthorizationAddresses
    let keys: [SigningKey]

    /// <https://hl7.org/fhir/smart-app-launch/STU2.2/conformance.html#using-well-known>
    var smart: JSON {
        common(
            more: [
                .init(key: "capabilities", value: Self.list(Self.capabilities)),
                .init(key: "management_endpoint", value: .string(addresses.ownAccess)),
                // The supported scopes; those of each resource type are accepted too.
                .init(key: "scopes_supported", value: Self.list(Self.scopes)),
            ])
    }

    /// OpenID Connect Discovery 1.0 section 3.
    var openID: JSON {
        common(
            more: [
                .init(key: "subject_types_supported", value: ["public"]),
                .init(key: "id_token_signing_alg_values_supported", value: ["RS256"]),
                .init(key: "scopes_supported", value: Self.list(Self.scopes)),
                .init(
                    key: "claims_supported",
                    value: ["iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "fhirUser"]),
                .init(key: "request_parameter_supported", value: false),
                .init(key: "request_uri_parameter_supported", value: false),
            ])
    }

    /// The keys that verify id tokens (RFC 7517 section 5).
    var keySet: JSON { JSON([.init(key: "keys", value: .array(keys.map(\.jwk)))]) }

    private func common(more: [JSONObject.Member]) -> JSON {
        let algorithms = SignatureAlgorithm.allCases.map(\.rawValue).sorted()
        let members: [(String, JSON)] = [
            ("issuer", .string(addresses.base)), ("jwks_uri", .string(addresses.keys)),
            ("authorization_endpoint", .string(addresses.authorize)), ("token_endpoint", .string(addresses.token)),
            ("introspection_endpoint", .string(addresses.introspect)),
            ("revocation_endpoint", .string(addresses.revoke)), ("response_types_supported", ["code"]),
            ("response_modes_supported", ["query"]),
            ("grant_types_supported", ["authorization_code", "refresh_token", "client_credentials"]),
            ("code_challenge_methods_supported", ["S256"]),
            (
                "token_endpoint_auth_methods_supported",
                ["client_secret_basic", "client_secret_post", "private_key_jwt", "none"]
            ),
            ("token_endpoint_auth_signing_alg_values_supported", Self.list(algorithms)),
            ("authorization_response_iss_parameter_supported", true),
        ]
        return JSON(members.map { .init(key: $0.0, value: $0.1) } + more)
    }

    private static func list(_ texts: [String]) -> JSON { .array(texts.map { .string($0) }) }

    static let capabilities = [
        "launch-standalone", "authorize-post", "client-public", "client-confidential-symmetric",
        "client-confidential-asymmetric", "sso-openid-connect", "context-standalone-patient", "permission-patient",
        "permission-user", "permission-offline", "permission-online", "permission-v1", "permission-v2",
    ]

    static let scopes =
        ["openid", "fhirUser", "profile", "launch/patient", "offline_access", "online_access"]
        + ["patient", "user", "system"].flatMap { context in ["cruds", "rs"].map { "\(context)/*.\($0)" } }
        + ["conf/R", "conf/V", "sens/*"]
}

extension AuthorizationAddresses {
    /// The extension of `CapabilityStatement.rest.security` with which older apps find the authorization server
    /// (<http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris>).
    package var oauthURIs: JSON {
        let parts = [("authorize", authorize), ("token", token), ("introspect", introspect), ("revoke", revoke)]
        return [
            "url": "http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris",
            "extension": .array(parts.map { ["url": .string($0.0), "valueUri": .string($0.1)] }),
        ]
    }
}
