import Core
import ServerHTTP

/// The proof in the body of a registration. It is not verified yet.
enum EnrolmentProof: Sendable, Hashable {
    /// An app's receipt, base64.
    case receipt(String)
    /// The proof of an invitation code, and the secret of the installation.
    case invitation(String, installation: String)

    /// Lengths of an installation's secret in bytes: at least 128 bits as base64url.
    private static let installationBytes = 22...128
    /// Maximum bytes of the proof of an invitation; a valid one has 64.
    private static let maximumInvitationBytes = 128

    /// Reads the members of a registration.
    ///
    /// - Throws: `OAuthFailure` `invalid_request` with `receipt-missing`, `proof-twice`, `invitation-malformed` or
    ///   `installation-invalid`.
    init(_ fields: JSONObject) throws(OAuthFailure) {
        guard let invitation = fields["invitation"] else {
            guard let encoded = fields["receipt-data"]?.string else {
                throw ReceiverRoutes.invalidRequest(
                    "receipt-missing", "The body needs receipt-data, a base64 text, or invitation and installation.")
            }
            self = .receipt(encoded)
            return
        }
        guard fields["receipt-data"] == nil else {
            throw ReceiverRoutes.invalidRequest("proof-twice", "The body has either receipt-data or invitation.")
        }
        guard let proof = invitation.string, proof.utf8.count <= Self.maximumInvitationBytes else {
            throw ReceiverRoutes.invalidRequest(
                "invitation-malformed", "invitation is a text, the SHA-256 by which a device proves its code.")
        }
        guard let installation = fields["installation"]?.string,
            Self.installationBytes.contains(installation.utf8.count)
        else {
            throw ReceiverRoutes.invalidRequest(
                "installation-invalid", "An invitation needs installation, a secret of 22 to 128 characters.")
        }
        self = .invitation(proof, installation: installation)
    }

    var method: EnrolmentMethod {
        switch self {
        case .receipt: .receipt
        case .invitation: .invitation
        }
    }
}
