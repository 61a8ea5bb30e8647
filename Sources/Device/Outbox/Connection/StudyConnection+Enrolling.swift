import Foundation
import Wire

extension StudyConnection {
    /// Enrols at a study's server: fetches its public keys and registers this installation (RFC 7591 with C3-PRO's
    /// receipt).
    ///
    /// - Parameters:
    ///   - url: the study's base URL; https, or http on this machine.
    ///   - antispam: the study's shared antispam word.
    ///   - receipt: the app's receipt in base64; white space is ignored.
    ///   - clientName: the app's name, for the study's list.
    ///   - sandbox: whether the receipt is from the store's sandbox.
    ///   - root: the fingerprint of the study's root key, which comes with the app or an invitation and not over the
    ///     network. The keys must be signed by it, now and whenever they are fetched again. Without it, any server at
    ///     the address is trusted: for development only.
    ///   - certificateAuthority: the certificate of the server's private authority in PEM, to be stored; the transport
    ///     must use it.
    /// - Returns: the enrolment to save (``DeviceStore/save(_:)``).
    ///
    /// - Throws: ``OutboxError``: `url-invalid`, `registration-refused`, `request-refused`, `server-unavailable`,
    ///   `connection-failed`, `answer-invalid`; `WireError`: `key-set-invalid`, `key-set-expired`, or the error of the
    ///   keys; `CancellationError`.
    public static func enrol(
        url: String, antispam: String, receipt: String, clientName: String? = nil, sandbox: Bool = false,
        root: String? = nil, certificateAuthority: String? = nil, transport: any Transport = URLSessionTransport(),
        environment: DeviceEnvironment = DeviceEnvironment()
    ) async throws -> Enrolment {
        let registration = RegistrationRequest(
            receiptData: String(receipt.filter { !$0.isWhitespace }), clientName: clientName, sandbox: sandbox)
        let body = try JSONEncoder().encode(registration)
        return try await register(
            body, proof: "receipt", url: url, antispam: antispam, root: root,
            certificateAuthority: certificateAuthority, transport: transport, environment: environment)
    }

    /// Enrols at a study's server with an invitation code of the study team, for devices without an app store.
    ///
    /// The study must accept invitations (`enrolment` in its study.json). A code is used once. The same installation
    /// may call this again with the same code, for instance if it did not receive the response.
    ///
    /// - Parameters:
    ///   - url: the study's base URL; https, or http on this machine.
    ///   - antispam: the study's shared antispam word.
    ///   - invitation: the code; it is not sent, only a proof of it (`InvitationRegistration`).
    ///   - installation: the secret of this installation (``DeviceStore/installationSecret()``).
    ///   - clientName: the app's name, for the study's list.
    ///   - root: the fingerprint of the study's root key, as for a receipt.
    ///   - certificateAuthority: the certificate of the server's private authority in PEM, as for a receipt.
    /// - Returns: the enrolment to save (``DeviceStore/save(_:)``).
    ///
    /// - Throws: as for a receipt; `registration-refused` if the code is unknown, expired, revoked or used by another
    ///   installation. The server does not report which.
    public static func enrol(
        url: String, antispam: String, invitation: String, installation: String, clientName: String? = nil,
        root: String? = nil, certificateAuthority: String? = nil, transport: any Transport = URLSessionTransport(),
        environment: DeviceEnvironment = DeviceEnvironment()
    ) async throws -> Enrolment {
        let registration = InvitationRegistration(
            code: invitation, installation: installation, clientName: clientName)
        let body = try JSONEncoder().encode(registration)
        return try await register(
            body, proof: "invitation code", url: url, antispam: antispam, root: root,
            certificateAuthority: certificateAuthority, transport: transport, environment: environment)
    }

    /// Fetches the study's keys, and registers.
    ///
    /// - Parameters:
    ///   - registration: the body of the request.
    ///   - proof: the name of the proof in it, for the message of a refusal.
    private static func register(
        _ registration: Data, proof: String, url: String, antispam: String, root: String?,
        certificateAuthority: String?, transport: any Transport, environment: DeviceEnvironment
    ) async throws -> Enrolment {
        // 1. The keys: an address without keys is no study, and a registration must not be spent on it.
        let baseURL = try Enrolment.checked(url)
        let (jwks, signedKeys) = try await publishedKeys(
            baseURL: baseURL, antispam: antispam, root: root, transport, now: environment.now)
        // 2. The registration.
        let request = try request(
            "POST", baseURL + StudyPath.register, antispam: antispam,
            headers: ["Content-Type": "application/json; charset=utf-8"], body: registration)
        let response = try await perform(request, transport)
        guard (200..<300).contains(response.status) else {
            let reason = response.errorCode.map { " (\($0))" } ?? ""
            throw response.failure(
                .registrationRefused,
                "The server refused the registration\(reason): check the antispam word and the \(proof).",
                now: environment.now())
        }
        guard let answer = RegistrationResponse(reading: response.body),
            !answer.clientID.isEmpty, !answer.clientSecret.isEmpty
        else { throw OutboxError(.answerInvalid, "The server's registration cannot be read.") }
        return try Enrolment(
            baseURL: baseURL, clientID: answer.clientID, clientSecret: answer.clientSecret, antispam: antispam,
            jwks: jwks, signedKeys: signedKeys, certificateAuthority: certificateAuthority)
    }

    /// Returns the study's published keys, verified with its root key if the fingerprint is known.
    ///
    /// - Parameters:
    ///   - study: the required study of the keys; nil for any.
    ///   - newest: the time of signing of the newest key set that the device has received.
    static func publishedKeys(
        baseURL: String, antispam: String, root: String?, study: String? = nil, newest: Date? = nil,
        _ transport: any Transport, now: @Sendable () -> Date
    ) async throws -> (jwks: String, signed: Enrolment.SignedKeys?) {
        guard let root else { return (try await keys(baseURL: baseURL, antispam: antispam, transport, now: now), nil) }
        let response = try await perform(
            request("GET", baseURL + StudyPath.signedKeys, antispam: antispam, headers: [:], body: nil), transport)
        guard (200..<300).contains(response.status) else {
            throw response.failure(
                .requestRefused, "The server does not publish signed keys (status \(response.status)).", now: now())
        }
        let set = try SignedKeySet(
            reading: response.body, root: root, study: study, newest: newest, now: now())
        return (
            String(decoding: set.jwks, as: UTF8.self),
            .init(root: root, issuedAt: set.issuedAt, expiresAt: set.expiresAt, fetchedAt: now())
        )
    }

    /// Returns the study's published JWK set, which must contain a usable key.
    static func keys(
        baseURL: String, antispam: String, _ transport: any Transport, now: @Sendable () -> Date
    ) async throws -> String {
        let response = try await perform(
            request("GET", baseURL + StudyPath.keys, antispam: antispam, headers: [:], body: nil), transport)
        guard (200..<300).contains(response.status) else {
            throw response.failure(
                .requestRefused, "The server does not publish its keys (status \(response.status)): check the address.",
                now: now())
        }
        guard let jwks = String(data: response.body, encoding: .utf8),
            (try? PublicKey.read(from: response.body))?.isEmpty == false
        else { throw OutboxError(.answerInvalid, "The server's keys cannot be read: check the address.") }
        return jwks
    }

    private static func request(
        _ method: String, _ address: String, antispam: String, headers: [String: String], body: Data?
    ) throws(OutboxError) -> TransportRequest {
        guard let url = URL(string: address) else {
            throw OutboxError(.urlInvalid, "The study's address is no URL.")
        }
        let fixed = [StudyPath.antispamHeader: antispam, "Accept": "application/json"]
        return TransportRequest(
            method: method, url: url, headers: headers.merging(fixed) { own, _ in own }, body: body)
    }
}
