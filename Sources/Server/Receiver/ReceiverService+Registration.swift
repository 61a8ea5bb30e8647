import Core
import Foundation
import Trust
import Wire

extension ReceiverService {
    /// `POST /register` (RFC 7591 section 3): antispam word, then app receipt, then new credentials.
    func register(_ request: ReceiverRequest) async throws -> ReceiverResponse {
        // 1. The word, before anything is read.
        try checkAntispam(request)
        try Self.pass(configuration.limiter.check(request.address, .registrationByAddress))
        // 2. The receipt. C3-PRO's simulators sent the text NO-APP-RECEIPT: it is no receipt and never was.
        let body = try await readBody(request, limit: configuration.limits.maximumRegistrationBytes)
        guard let fields = JSON(reading: body.bytes)?.object else {
            throw ReceiverFailure.oauth(400, "invalid_request", "json-invalid", "The body is not a JSON object.")
        }
        guard let encoded = fields["receipt-data"]?.string else {
            throw ReceiverFailure.oauth(
                400, "invalid_request", "receipt-missing", "The body needs receipt-data, a base64 text.")
        }
        let receipt = try await verifiedReceipt(encoded)
        try Self.pass(configuration.limiter.check(receipt.digest, .registrationByReceipt))
        // 3. The client. What the app calls itself is not kept: it may be a person's name.
        let credentials: (clientID: String, clientSecret: String)
        do {
            credentials = try await access.registerClient(receiptDigest: receipt.digest)
        } catch let error as TrustError {
            throw ReceiverFailure.oauth(403, "unauthorized_client", error.code, error.message)
        }
        let answer = RegistrationResponse(
            clientID: credentials.clientID, clientSecret: credentials.clientSecret,
            issuedAt: Int64(clock().timeIntervalSince1970))
        var response = ReceiverResponse(status: 201, headers: Self.secretHeaders, body: Data.json(answer))
        response.clientID = credentials.clientID
        return response
    }

    private func verifiedReceipt(_ encoded: String) async throws -> AppReceipt {
        do {
            guard let bytes = Data(base64Encoded: encoded, options: .ignoreUnknownCharacters), !bytes.isEmpty else {
                throw AppReceiptError.malformed
            }
            return try AppReceipt(
                verifying: bytes, roots: configuration.receiptRoots, bundleIdentifier: configuration.bundleIdentifier)
        } catch let error as AppReceiptError {
            throw ReceiverFailure.oauth(401, "invalid_client", error.code, error.message)
        }
    }

    /// For answers that carry a secret (RFC 6749 section 5.1).
    static let secretHeaders: [(name: String, value: String)] = [
        ("Content-Type", "application/json"), ("Cache-Control", "no-store"), ("Pragma", "no-cache"),
    ]
}
