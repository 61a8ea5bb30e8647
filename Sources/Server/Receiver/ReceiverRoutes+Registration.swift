import AccessPolicy
import Core
import Foundation
import Hummingbird
import ServerHTTP
import Wire

extension ReceiverRoutes {
    /// `POST /register` (RFC 7591 section 3): checks the antispam word, then the app receipt or the invitation, and
    /// returns new credentials.
    func register(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        try configuration.limiter.admit(context.client, .registrationByAddress)
        // 1. Read the proof.
        let body = try await configuration.bodies.collect(
            request, upTo: configuration.limits.maximumRegistrationBytes)
        guard let fields = JSON(reading: body.bytes)?.object else {
            throw Self.invalidRequest("json-invalid", "The body is not a JSON object.")
        }
        let proof = try EnrolmentProof(fields)
        guard configuration.enrolment.contains(proof.method) else { throw Self.notAccepted(proof.method) }
        // 2. Verify it and register the client. Its name is not stored, because it may be a person's name.
        let credentials =
            switch proof {
            case .receipt(let encoded): try await register(receipt: encoded)
            case .invitation(let proof, let installation):
                try await register(invitation: proof, installation: installation, at: context.client)
            }
        context.outcome.caller = credentials.clientID
        return .secret(
            RegistrationResponse(
                clientID: credentials.clientID, clientSecret: credentials.clientSecret,
                issuedAt: Int64(clock().timeIntervalSince1970)), status: .created)
    }

    private func register(receipt encoded: String) async throws -> (clientID: String, clientSecret: String) {
        // C3-PRO's simulators sent the text NO-APP-RECEIPT, which is not a receipt.
        let receipt = try verifiedReceipt(encoded)
        try configuration.limiter.admit(receipt.digest, .registrationByReceipt)
        do {
            return try await access.registerClient(receiptDigest: receipt.digest)
        } catch let error as AccessError {
            throw OAuthFailure("unauthorized_client", HTTPFailure(.forbidden, code: error.code, message: error.message))
        }
    }

    private func register(
        invitation proof: String, installation: String, at address: ClientAddress
    ) async throws -> (clientID: String, clientSecret: String) {
        // Repeated registrations are limited for each invitation, and refused ones for each address.
        try configuration.limiter.admit(unproved: proof, at: address, .registrationByReceipt)
        let guesses = "invitations from \(address.rateKey)"
        if case .retry(let seconds) = configuration.limiter.check(guesses, .registrationByReceipt, cost: 0) {
            throw HTTPFailure.rateLimited(retryAfter: seconds)
        }
        do {
            return try await access.registerClient(invitation: proof, installation: installation)
        } catch let error as AccessError {
            configuration.limiter.charge(guesses, .registrationByReceipt, cost: 1)
            throw OAuthFailure("invalid_client", HTTPFailure(.unauthorized, code: error.code, message: error.message))
        }
    }

    private static func notAccepted(_ method: EnrolmentMethod) -> OAuthFailure {
        let (code, message) =
            switch method {
            case .receipt:
                ("receipt-not-accepted", "Devices enrol in this study with an invitation code of the study team.")
            case .invitation:
                ("invitation-not-accepted", "Devices enrol in this study with the receipt of its app.")
            }
        return OAuthFailure("unauthorized_client", HTTPFailure(.forbidden, code: code, message: message))
    }

    private func verifiedReceipt(_ encoded: String) throws -> AppReceipt {
        do {
            guard let bytes = Data(base64Encoded: encoded, options: .ignoreUnknownCharacters), !bytes.isEmpty else {
                throw AppReceiptError.malformed
            }
            guard let bundleIdentifier = configuration.bundleIdentifier else { throw AppReceiptError.otherApp }
            return try AppReceipt(
                verifying: bytes, roots: configuration.receiptRoots, bundleIdentifier: bundleIdentifier)
        } catch let error as AppReceiptError {
            throw OAuthFailure("invalid_client", HTTPFailure(.unauthorized, code: error.code, message: error.message))
        }
    }
}
