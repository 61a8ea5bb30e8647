import Crypto
import Foundation
import TestSupport
import Wire

@testable import Outbox

/// The simplest envelope with a number and an id; it cannot be opened.
func envelope(submissionID: String, sequence: Int64, payload: String = "AA") -> Data {
    let header = "{\"enc\":\"A256GCM\",\"alg\":\"RSA-OAEP-256\",\"sid\":\"\(submissionID)\",\"seq\":\(sequence)}"
    let (iv, tag) = (Data(count: 12).base64URL, Data(count: 16).base64URL)
    return Data(
        "{\"protected\":\"\(Data(header.utf8).base64URL)\",\"encrypted_key\":\"AA\",\"iv\":\"\(iv)\",\"ciphertext\":\"\(payload)\",\"tag\":\"\(tag)\"}"
            .utf8)
}

func newSubmissionID() -> String { UUID().uuidString.lowercased() }

extension OutboxDirectory {
    /// Queues an envelope with the number that it is given.
    @discardableResult
    func append(_ kind: String, submissionID: String = newSubmissionID()) throws -> OutboxEntry {
        try append(kind: kind, submissionID: submissionID) { envelope(submissionID: submissionID, sequence: $0) }
    }
}

/// Returns the code of the error that the body throws, or `nil` if it throws none of this module.
func code(_ body: () throws -> Void) -> String? {
    do {
        try body()
        return nil
    } catch let error as OutboxError {
        return error.code
    } catch {
        return "other: \(error)"
    }
}

func codeOfAsync(_ body: () async throws -> Void) async -> String? {
    do {
        try await body()
        return nil
    } catch let error as OutboxError {
        return error.code
    } catch {
        return "other: \(error)"
    }
}

extension TemporaryFolder {
    func outbox() throws -> OutboxDirectory {
        try .open(folder: url.appendingPathComponent("outbox"), refusedFolder: url.appendingPathComponent("refused"))
    }
}

/// A scripted server of a study, with its responses and the requests that it received.
actor ScriptedStudy: Transport {
    struct Submission: Sendable {
        let kind: String
        let submissionID: String
        let sequence: Int64
        let body: Data
        let status: Int
    }
    typealias Answer = @Sendable (_ kind: String, _ number: Int) -> TransportResponse?

    private let answer: Answer
    private let marksAnswers: Bool
    private(set) var requests: [TransportRequest] = []
    private(set) var submissions: [Submission] = []
    private(set) var tokens = 0
    var tokenAnswer: TransportResponse?
    var beforeAnswer: (@Sendable () throws -> Void)?

    /// - Parameters:
    ///   - marksAnswers: Whether a response without a body gets the body that identifies a study's response.
    ///   - answer: The response to the nth submission (from 0); `nil` breaks the connection.
    init(marksAnswers: Bool = true, _ answer: @escaping Answer = { _, _ in TransportResponse(status: 200) }) {
        self.answer = answer
        self.marksAnswers = marksAnswers
    }

    /// The accepted submissions.
    var accepted: [Submission] { submissions.filter { (200..<300).contains($0.status) } }

    func setTokenAnswer(_ answer: TransportResponse?) { tokenAnswer = answer }
    func setBeforeAnswer(_ body: @escaping @Sendable () throws -> Void) { beforeAnswer = body }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        requests.append(request)
        let path = request.url.path
        switch (request.method, path) {
        case ("GET", "/s/.well-known/jwks.json"): return TransportResponse(status: 200, body: Data(Self.jwks.utf8))
        case ("POST", "/s/register"):
            let response = RegistrationResponse(clientID: "id 1", clientSecret: "s&+ü", issuedAt: 0)
            return TransportResponse(status: 201, body: try JSONEncoder().encode(response))
        case ("POST", "/s/oauth/token"):
            if let tokenAnswer { return tokenAnswer }
            tokens += 1
            let response = TokenResponse(accessToken: "token-\(tokens)", expiresIn: 1800)
            return TransportResponse(status: 200, body: try JSONEncoder().encode(response))
        case ("POST", _) where path.hasPrefix("/s/encfhir/"):
            guard let body = request.body, let header = try? EnvelopeHeader.read(from: body) else {
                return TransportResponse(status: 400)
            }
            try beforeAnswer?()
            let kind = request.url.lastPathComponent
            let response = answer(kind, submissions.count).map { marksAnswers ? $0.marked(for: header) : $0 }
            submissions.append(
                Submission(
                    kind: kind, submissionID: header.submissionID ?? "", sequence: header.sequence ?? 0, body: body,
                    status: response?.status ?? 0))
            guard let response else { throw URLError(.networkConnectionLost) }
            return response
        default: return TransportResponse(status: 404)
        }
    }

    /// A P-256 key, since it is quick to generate.
    static let jwks: String = {
        let key = P256.KeyAgreement.PrivateKey().publicKey.x963Representation
        let (x, y) = (Data(key.dropFirst().prefix(32)).base64URL, Data(key.suffix(32)).base64URL)
        return #"{"keys":[{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)","use":"enc"}]}"#
    }()

    static func enrolment() throws -> Enrolment {
        try Enrolment(
            baseURL: "https://study.example/s", clientID: "id 1", clientSecret: "s&+ü", antispam: "word", jwks: jwks)
    }

    /// Returns a connection that never really waits, and records the requested waits.
    nonisolated func connection(_ waits: WaitLog = WaitLog()) throws -> StudyConnection {
        StudyConnection(
            enrolment: try Self.enrolment(), transport: self,
            environment: DeviceEnvironment(
                now: { waits.now }, sleep: { waits.wait($0) }, random: { 0.5 }))
    }
}

extension TransportResponse {
    /// Returns the response with the study's mark, unless it has a body of its own. Refusals get the code
    /// `scripted-<status>`.
    func marked(for header: EnvelopeHeader) -> TransportResponse {
        guard body.isEmpty, !(header.format == .c3pro && status == 200) else { return self }
        var marked = self
        let encoder = JSONEncoder()
        marked.body =
            (200..<300).contains(status)
            ? (try? encoder.encode(SubmissionAcknowledgement(submission: header.listedSubmissionID))) ?? Data()
            : (try? encoder.encode(
                ProblemDetails(
                    status: status, title: "Scripted", code: "scripted-\(status)", submission: header.listedSubmissionID
                )))
                ?? Data()
        return marked
    }
}

/// A clock that advances only by waits.
final class WaitLog: @unchecked Sendable {
    private let lock = NSLock()
    private var log: [Double] = []
    private var time = Date(timeIntervalSince1970: 1_800_000_000)

    var waits: [Double] { lock.withLock { log } }
    var now: Date { lock.withLock { time } }
    func wait(_ seconds: Double) {
        lock.withLock {
            log.append(seconds)
            time.addTimeInterval(seconds)
        }
    }
}
