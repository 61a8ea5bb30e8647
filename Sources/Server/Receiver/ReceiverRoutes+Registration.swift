import AccessPolicy
import Core
import Foundation
import Hummingbird
import ServerHTTP
import Wire

extension ReceiverRoutes {
    /// `POST /register` (RFC 7591 section 3): checks the antispam word, then the app receipt, and returns new
    /// credentials.
    func register(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        try configuration.limiter.admit(context.client, .registrationByAddress)
        // 1. Verify the receipt. C3-PRO's simulators sent the text NO-APP-RECEIPT, which is not a receipt.
        let body = try await configuration.bodies.collect(
            request, upTo: configuration.limits.maximumRegistrationBytes)
        guard let fields = JSON(reading: body.bytes)?.object else {
            throw Self.invalidRequest("json-invalid", "The body is not a JSON object.")
        }
        guard let encoded = fields["receipt-data"]?.string else {
            throw Self.invalidRequest("receipt-missing", "The body needs receipt-data, a base64 text.")
        }
        let receipt = try verifiedReceipt(encoded)
        try configuration.limiter.admit(receipt.digest, .registrationByReceipt)
        // 2. Register the client. Its name is not stored, because it may be a person's name.
        let credentials: (clientID: String, clientSecret: String)
        do {
            credentials = try await access.registerClient(receiptDigest: receipt.digest)
        } catch let error as AccessError {
            throw OAuthFailure("unauthorized_client", HTTPFailure(.forbidden, code: error.code, message: error.message))
        }
        context.outcome.caller = credentials.clientID
        return .secret(
            RegistrationResponse(
                clientID: credentials.clientID, clientSecret: credentials.clientSecret,
                issuedAt: Int64(clock().timeIntervalSince1970)), status: .created)
    }

    private func verifiedReceipt(_ encoded: String) throws -> AppReceipt {
        do {
            guard let bytes = Data(base64Encoded: encoded, options: .ignoreUnknownCharacters), !bytes.isEmpty else {
                throw AppReceiptError.malformed
            }
            return try AppReceipt(
                verifying: bytes, roots: configuration.receiptRoots, bundleIdentifier: configuration.bundleIdentifier)
        } catch let error as AppReceiptError {
            throw OAuthFailure("invalid_client", HTTPFailure(.unauthorized, code: error.code, message: error.message))
        }
    }
}
