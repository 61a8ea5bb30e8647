import Core

/// The body of `POST /register`: the fields of RFC 7591 section 2 and two of C3-PRO.
public struct RegistrationRequest: JSONMessage, Encodable, Sendable, Hashable {
    /// The app's name.
    public var clientName: String?
    /// The requested grants.
    public var grantTypes: [String]?
    /// Authentication method of the client.
    public var tokenEndpointAuthMethod: String?
    /// The requested scope, space-separated.
    public var scope: String?
    /// The product's identifier (RFC 7591 section 2).
    public var softwareID: String?
    /// The product's version.
    public var softwareVersion: String?
    /// Whether the receipt comes from the store's sandbox, as stated by the app; the receipt itself decides.
    public var sandbox: Bool?
    /// The app's receipt, PKCS#7 in base64.
    public var receiptData: String

    enum CodingKeys: String, CodingKey {
        case clientName = "client_name"
        case grantTypes = "grant_types"
        case tokenEndpointAuthMethod = "token_endpoint_auth_method"
        case scope
        case softwareID = "software_id"
        case softwareVersion = "software_version"
        case sandbox
        case receiptData = "receipt-data"
    }

    /// Creates a request for client credentials with this receipt.
    public init(receiptData: String, clientName: String? = nil, softwareVersion: String? = nil, sandbox: Bool = false) {
        self.receiptData = receiptData
        self.clientName = clientName
        self.softwareVersion = softwareVersion
        self.sandbox = sandbox
        grantTypes = ["client_credentials"]
        tokenEndpointAuthMethod = "client_secret_basic"
    }

    public init?(json: JSON) {
        guard let receipt = json["receipt-data"]?.string, let clientName = json.optional("client_name", \.string),
            let grantTypes = json.optional("grant_types", \.texts),
            let authentication = json.optional("token_endpoint_auth_method", \.string),
            let scope = json.optional("scope", \.string), let softwareID = json.optional("software_id", \.string),
            let softwareVersion = json.optional("software_version", \.string),
            let sandbox = json.optional("sandbox", \.bool)
        else { return nil }
        receiptData = receipt
        self.clientName = clientName
        self.grantTypes = grantTypes
        tokenEndpointAuthMethod = authentication
        self.scope = scope
        self.softwareID = softwareID
        self.softwareVersion = softwareVersion
        self.sandbox = sandbox
    }
}

/// The response to a registration, status 201 (RFC 7591 section 3.2.1).
public struct RegistrationResponse: JSONMessage, Encodable, Sendable, Hashable {
    /// The client's id.
    public var clientID: String
    /// The client's secret.
    public var clientSecret: String
    /// Time at which the id was issued, seconds since 1970 UTC.
    public var clientIDIssuedAt: Int64?
    /// Time at which the secret expires, seconds since 1970 UTC; 0: never.
    public var clientSecretExpiresAt: Int64?
    /// Grants that the client may use.
    public var grantTypes: [String]
    /// Authentication method of the client.
    public var tokenEndpointAuthMethod: String

    enum CodingKeys: String, CodingKey {
        case clientID = "client_id"
        case clientSecret = "client_secret"
        case clientIDIssuedAt = "client_id_issued_at"
        case clientSecretExpiresAt = "client_secret_expires_at"
        case grantTypes = "grant_types"
        case tokenEndpointAuthMethod = "token_endpoint_auth_method"
    }

    /// Creates a response whose secret never expires.
    public init(clientID: String, clientSecret: String, issuedAt: Int64?) {
        self.clientID = clientID
        self.clientSecret = clientSecret
        clientIDIssuedAt = issuedAt
        clientSecretExpiresAt = 0
        grantTypes = ["client_credentials"]
        tokenEndpointAuthMethod = "client_secret_basic"
    }

    public init?(json: JSON) {
        guard let clientID = json["client_id"]?.string, let clientSecret = json["client_secret"]?.string,
            let issuedAt = json.optional("client_id_issued_at", \.integer),
            let expiresAt = json.optional("client_secret_expires_at", \.integer),
            let grantTypes = json["grant_types"]?.texts,
            let authentication = json["token_endpoint_auth_method"]?.string
        else { return nil }
        self.clientID = clientID
        self.clientSecret = clientSecret
        clientIDIssuedAt = issuedAt.map(Int64.init)
        clientSecretExpiresAt = expiresAt.map(Int64.init)
        self.grantTypes = grantTypes
        tokenEndpointAuthMethod = authentication
    }
}
