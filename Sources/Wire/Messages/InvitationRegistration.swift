import Core
import Crypto
import Foundation

/// The body of `POST /register` of a device that has an invitation instead of an app's receipt.
///
/// It contains a proof of the invitation code and not the code: the Contract contains the code, sealed, if the study
/// requires one, and the receiver must not be able to use it there.
public struct InvitationRegistration: JSONMessage, Encodable, Sendable, Hashable {
    /// The proof of the code, see ``proof(of:)``.
    public var invitation: String
    /// The secret of this installation, which it keeps: 22 to 128 characters. The same installation may repeat a
    /// registration whose response was lost; another one cannot use the code again.
    public var installation: String
    /// The app's name.
    public var clientName: String?
    /// The product's version.
    public var softwareVersion: String?
    /// The requested grants.
    public var grantTypes: [String]?
    /// Authentication method of the client.
    public var tokenEndpointAuthMethod: String?

    enum CodingKeys: String, CodingKey {
        case invitation
        case installation
        case clientName = "client_name"
        case softwareVersion = "software_version"
        case grantTypes = "grant_types"
        case tokenEndpointAuthMethod = "token_endpoint_auth_method"
    }

    /// Creates a request for client credentials with the proof of this code.
    public init(
        code: String, installation: String, clientName: String? = nil, softwareVersion: String? = nil
    ) {
        invitation = Self.proof(of: code)
        self.installation = installation
        self.clientName = clientName
        self.softwareVersion = softwareVersion
        grantTypes = ["client_credentials"]
        tokenEndpointAuthMethod = "client_secret_basic"
    }

    public init?(json: JSON) {
        guard let invitation = json["invitation"]?.string, let installation = json["installation"]?.string,
            let clientName = json.optional("client_name", \.string),
            let softwareVersion = json.optional("software_version", \.string),
            let grantTypes = json.optional("grant_types", \.texts),
            let authentication = json.optional("token_endpoint_auth_method", \.string)
        else { return nil }
        self.invitation = invitation
        self.installation = installation
        self.clientName = clientName
        self.softwareVersion = softwareVersion
        self.grantTypes = grantTypes
        tokenEndpointAuthMethod = authentication
    }

    /// Returns the proof of an invitation code: SHA-256 over `tributary-enrolment:` and the code, as 64 lowercase
    /// hexadecimal digits.
    public static func proof(of code: String) -> String {
        Hexadecimal.text(SHA256.hash(data: Data("tributary-enrolment:\(code)".utf8)))
    }
}
