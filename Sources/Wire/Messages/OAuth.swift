import Core

/// The response of the token endpoint (RFC 6749 section 5.1).
public struct TokenResponse: JSONMessage, Encodable, Sendable, Hashable {
    /// The bearer token.
    public var accessToken: String
    /// `bearer`, in any case.
    public var tokenType: String
    /// The lifetime in seconds from now.
    public var expiresIn: Int?
    /// The granted scope, if it differs from the requested one.
    public var scope: String?

    enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case tokenType = "token_type"
        case expiresIn = "expires_in"
        case scope
    }

    /// Reads a response. A lifetime that is not an integer (1e400, a fraction, text) is ignored; the token is still
    /// valid.
    public init?(json: JSON) {
        guard let accessToken = json["access_token"]?.string, let tokenType = json["token_type"]?.string,
            let scope = json.optional("scope", \.string)
        else { return nil }
        self.accessToken = accessToken
        self.tokenType = tokenType
        self.scope = scope
        expiresIn = json["expires_in"]?.integer
    }

    /// Creates a response with a bearer token.
    public init(accessToken: String, expiresIn: Int?) {
        self.accessToken = accessToken
        self.expiresIn = expiresIn
        tokenType = "bearer"
    }
}

/// An error of RFC 6749 section 5.2; RFC 7591 section 3.2.2 uses the same format.
public struct OAuthError: JSONMessage, Encodable, Sendable, Hashable {
    /// The code, such as `invalid_client`.
    public var error: String
    /// A sentence for the developer.
    public var errorDescription: String?

    enum CodingKeys: String, CodingKey {
        case error
        case errorDescription = "error_description"
    }

    /// Creates an error.
    public init(error: String, errorDescription: String? = nil) {
        self.error = error
        self.errorDescription = errorDescription
    }

    public init?(json: JSON) {
        guard let error = json["error"]?.string, let description = json.optional("error_description", \.string) else {
            return nil
        }
        self.init(error: error, errorDescription: description)
    }
}
