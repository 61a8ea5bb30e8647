import Core
import Foundation
import Wire

/// The connection of one enrolled device to its study's server. The access token is kept in memory only.
public actor StudyConnection {
    /// The enrolment of the device at the server.
    public nonisolated let enrolment: Enrolment
    let transport: any Transport
    nonisolated let environment: DeviceEnvironment
    private var token: (text: String, until: Date)?
    /// The fingerprint of the study's keys in the latest response of the server.
    private var reportedKeys: String?
    /// The error of the last request if it reached no server; nil after a response.
    public private(set) var failure: OutboxError?
    /// The latest epoch of the server that the device has read (``DeliveriesPage/epoch``); nil until this connection
    /// knows it.
    var knownEpoch: Int64?

    /// Seconds before its expiry at which a token is renewed: it must outlive its request.
    private static let margin = 30.0

    /// Creates a connection without sending anything.
    public init(
        enrolment: Enrolment, transport: any Transport = URLSessionTransport(),
        environment: DeviceEnvironment = DeviceEnvironment()
    ) {
        self.enrolment = enrolment
        self.transport = transport
        self.environment = environment
    }

    // MARK: - Token

    /// Returns the token in memory while it is valid, otherwise a new one by the client credentials grant (RFC 6749
    /// section 4.4). Throws `token-refused`, `server-unavailable`, `connection-failed` or `answer-invalid`, or
    /// `CancellationError`.
    func accessToken(renewing: Bool = false) async throws -> String {
        if !renewing, let token, environment.now() < token.until { return token.text }
        token = nil
        // RFC 6749 section 2.3.1: id and secret are form-encoded before they are joined.
        let credentials =
            "\(PercentEncoding.encodeForm(enrolment.clientID)):\(PercentEncoding.encodeForm(enrolment.clientSecret))"
        let response = try await send(
            "POST", StudyPath.token,
            headers: [
                "Authorization": "Basic \(Data(credentials.utf8).base64EncodedString())",
                "Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json",
            ], body: Data("grant_type=client_credentials".utf8))
        guard (200..<300).contains(response.status) else {
            // RFC 6749 section 5.2: a refusal is 401 or names its error. A firewall's 403 does not concern the
            // credentials.
            guard response.status == 401 || response.errorCode != nil else {
                throw OutboxError(
                    .serverUnavailable,
                    "No token was issued (status \(response.status)): try again later, or check the network.",
                    status: response.status, retryAfter: response.retryAfter(now: environment.now()))
            }
            throw response.failure(
                .tokenRefused, "The server does not accept this device's credentials: enrol it again.",
                now: environment.now())
        }
        guard let answer = TokenResponse(reading: response.body),
            !answer.accessToken.isEmpty, answer.tokenType.lowercased() == "bearer"
        else { throw OutboxError(.answerInvalid, "The server's token cannot be read.") }
        let lifetime = ServerDelay.clamped(Double(answer.expiresIn ?? 300))
        token = (answer.accessToken, environment.now().addingTimeInterval(max(0, lifetime - Self.margin)))
        return answer.accessToken
    }

    // MARK: - Requests

    /// Sends one sealed submission with the token in memory and returns any response.
    func submit(_ envelope: Data, _ header: EnvelopeHeader, kind: String) async throws -> TransportResponse {
        var request = try await submissionRequest(header, kind: kind, epoch: knownEpoch)
        request.body = envelope
        return try await recordingKeys(of: reach(request))
    }

    /// Returns the request that sends a submission, with the token in memory and without the envelope.
    ///
    /// - Parameter epoch: the server's epoch that the device knows; nil if it has never read the deliveries.
    func submissionRequest(_ header: EnvelopeHeader, kind: String, epoch: Int64?) async throws -> TransportRequest {
        var headers = [
            "Authorization": "Bearer \(try await accessToken())", "Content-Type": header.format.mediaType,
            StudyPath.submissionHeader: header.listedSubmissionID,
        ]
        headers[StudyPath.epochHeader] = epoch.map(String.init)
        return try request("POST", "\(StudyPath.submissions)/\(kind)", headers: headers)
    }

    /// Returns the changes of this device's deliveries after the cursor; `nil` starts at the beginning. Call it again
    /// with the page's `next` until it has no deliveries. Throws ``OutboxError``, `CancellationError`.
    public func deliveries(after cursor: String? = nil) async throws -> DeliveriesPage {
        try await deliveriesPage(after: cursor).page
    }

    /// Returns the page after the cursor, and the delay in seconds that the response asks for before the next request.
    func deliveriesPage(after cursor: String?) async throws -> (page: DeliveriesPage, retryAfter: Double?) {
        let query = cursor.map { "?after=\(PercentEncoding.encode($0))" } ?? ""
        let response = try await get(StudyPath.deliveries + query, accept: "application/json")
        guard let page = DeliveriesPage(reading: response.body) else {
            throw OutboxError(.answerInvalid, "The server's list of deliveries cannot be read.")
        }
        return (page, response.retryAfter(now: environment.now()))
    }

    /// Returns the study's questionnaire with this id, byte for byte as published. Throws ``OutboxError``,
    /// `CancellationError`.
    public func questionnaire(id: String) async throws -> Data {
        let path = "\(StudyPath.questionnaires)/\(PercentEncoding.encode(id))"
        return try await get(path, accept: "application/fhir+json").body
    }

    /// Returns all questionnaires that the study publishes, in its order.
    ///
    /// ```swift
    /// let forms = try await connection.questionnaires().map { Questionnaire($0) }
    /// ```
    /// - Throws: ``OutboxError``, `answer-invalid` also for a list without an end; `CancellationError`.
    public func questionnaires() async throws -> [JSONObject] {
        var found: [JSONObject] = []
        var cursor: String?
        for _ in 0..<Self.maximumFormPages {
            let query = "?_count=\(Self.formsPerPage)" + (cursor.map { "&_cursor=\(PercentEncoding.encode($0))" } ?? "")
            let response = try await get(StudyPath.questionnaires + query, accept: "application/fhir+json")
            guard let page = JSON(reading: response.body)?.object, page["resourceType"] == "Bundle" else {
                throw OutboxError(.answerInvalid, "The study's list of questionnaires cannot be read.")
            }
            found += (page["entry"]?.array ?? []).compactMap { $0["resource"]?.object }
                .filter { $0["resourceType"] == "Questionnaire" }
            guard let next = Self.nextCursor(of: page), next != cursor else { return found }
            cursor = next
        }
        throw OutboxError(.answerInvalid, "The study's list of questionnaires does not end.")
    }

    /// Maximum number of pages of questionnaires, and questionnaires on one of them.
    private static let (maximumFormPages, formsPerPage) = (20, 200)

    /// Returns the cursor of the page after a page of a search; nil on the last page. The address itself is not used: it
    /// may be another than the one by which this device reaches the study.
    private static func nextCursor(of page: JSONObject) -> String? {
        let next = page["link"]?.array?.first { $0["relation"] == "next" }?["url"]?.string
        return next.flatMap { URLComponents(string: $0) }?.queryItems?.first { $0.name == "_cursor" }?.value
    }

    /// Returns the versions of the study's consent that may be signed: a Bundle of Contracts in JSON, the newest first.
    /// Throws ``OutboxError``, `CancellationError`.
    public func publishedConsents() async throws -> Data {
        try await get(StudyPath.consent, accept: "application/fhir+json").body
    }

    /// An optional file of a study for its devices.
    public enum StudyFile: Sendable, Hashable {
        /// The file is the same as the device's.
        case unchanged
        /// The study has no such file.
        case absent
        /// The content of the file, and its entity tag (RFC 9110 section 8.8.3).
        case content(Data, tag: String?)
    }

    /// Maximum bytes of such a file.
    private static let longestFile = 4 << 20

    /// Returns a file of the study for its devices, ``StudyPath/healthTypes`` or ``StudyPath/healthSync``. Throws
    /// ``OutboxError``, `CancellationError`.
    ///
    /// - Parameter tag: the entity tag of the device's version.
    public func studyFile(_ path: String, known tag: String?) async throws -> StudyFile {
        let response = try await get(
            path, accept: "application/json", headers: tag.map { ["If-None-Match": $0] } ?? [:], passing: [304, 404])
        switch response.status {
        case 304: return .unchanged
        case 404: return .absent
        default:
            guard response.body.count <= Self.longestFile else {
                throw OutboxError(.answerInvalid, "A file of the study is too large.")
            }
            return .content(response.body, tag: response.headers["etag"])
        }
    }

    /// Returns the enrolment with the keys that the study publishes now. If the root's fingerprint is known, the keys
    /// must be signed by it and not be older than the present ones.
    ///
    /// - Throws: ``OutboxError``; `WireError`, such as `key-set-invalid` and `key-set-expired`; `CancellationError`.
    ///   The enrolment is then unchanged.
    public func refreshedEnrolment() async throws -> Enrolment {
        let (jwks, signed) = try await Self.publishedKeys(
            baseURL: enrolment.baseURL, antispam: enrolment.antispam, root: enrolment.signedKeys?.root,
            study: enrolment.signedKeys == nil ? nil : enrolment.studyID, newest: enrolment.signedKeys?.issuedAt,
            transport, now: environment.now)
        return try Enrolment(
            baseURL: enrolment.baseURL, clientID: enrolment.clientID, clientSecret: enrolment.clientSecret,
            antispam: enrolment.antispam, jwks: jwks, signedKeys: signed,
            certificateAuthority: enrolment.certificateAuthority)
    }

    /// - Parameter passing: the statuses in addition to 2xx that are accepted.
    private func get(
        _ path: String, accept: String, headers: [String: String] = [:], passing: Set<Int> = []
    ) async throws -> TransportResponse {
        for renewing in [false, true] {
            let token = try await accessToken(renewing: renewing)
            var headers = headers
            headers["Authorization"] = "Bearer \(token)"
            headers["Accept"] = accept
            let response = try await send("GET", path, headers: headers)
            if response.status == 401, !renewing { continue }
            guard (200..<300).contains(response.status) || passing.contains(response.status) else {
                throw response.failure(
                    .requestRefused, "The server refused the request (status \(response.status)).",
                    now: environment.now())
            }
            return recordingKeys(of: response)
        }
        throw OutboxError(.tokenRefused, "The server does not accept a fresh token.")
    }

    /// Keeps the fingerprint of the study's keys from a response. It is only a hint: keys are valid if the root signed
    /// them.
    private func recordingKeys(of response: TransportResponse) -> TransportResponse {
        if let reported = response.headers[StudyPath.keysHeader.lowercased()], reported.utf8.count == 43 {
            reportedKeys = reported
        }
        return response
    }

    /// Whether the study's keys must be fetched again: the server reported others, or they are due.
    var areKeysDue: Bool {
        if let reportedKeys, reportedKeys != (try? enrolment.publishedKeys().fingerprint) { return true }
        return enrolment.signedKeys?.isDue(now: environment.now()) ?? false
    }

    private func send(
        _ method: String, _ path: String, headers: [String: String], body: Data? = nil
    ) async throws -> TransportResponse {
        try await reach(request(method, path, headers: headers, body: body))
    }

    /// Sends a request, and records the error if it reaches no server.
    private func reach(_ request: TransportRequest) async throws -> TransportResponse {
        do {
            let response = try await Self.perform(request, transport)
            failure = nil
            return response
        } catch let error as OutboxError {
            failure = error
            throw error
        }
    }

    private func request(
        _ method: String, _ path: String, headers: [String: String], body: Data? = nil
    ) throws(OutboxError) -> TransportRequest {
        let headers = headers.merging([StudyPath.antispamHeader: enrolment.antispam]) { own, _ in own }
        return TransportRequest(method: method, url: try enrolment.url(path), headers: headers, body: body)
    }

    /// Sends a request. Other errors of the transport become `connection-failed`; a cancellation is passed on.
    static func perform(_ request: TransportRequest, _ transport: any Transport) async throws -> TransportResponse {
        do {
            return try await transport.send(request)
        } catch let error as OutboxError {
            throw error
        } catch let error as TransportError {
            throw OutboxError(error)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw OutboxError.unreached(request.url, because: error)
        }
    }
}
