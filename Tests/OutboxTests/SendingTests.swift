import Foundation
import TestSupport
import Testing
import Wire

@testable import Outbox

@Suite struct SendingTests {
    @Test func queueIsSentInOrderWithTokenAndAntispam() async throws {
        let folder = try TemporaryFolder()
        let outbox = try folder.outbox()
        let entries = try [outbox.append("Contract"), outbox.append("Observation"), outbox.append("Patient")]
        let study = ScriptedStudy()
        let report = try await study.connection().sendAll(from: outbox)
        #expect(report == SendReport(sent: 3, refused: 0, remaining: 0, ending: .emptied, reason: nil))
        #expect(await study.accepted.map(\.submissionID) == entries.map(\.submissionID))
        #expect(await study.accepted.map(\.kind) == ["Contract", "Observation", "Patient"])
        #expect(await study.tokens == 1)
        let requests = await study.requests
        let token = try #require(requests.first)
        #expect(token.url.absoluteString == "https://study.example/s/oauth/token")
        let basic = Data("id+1:s%26%2B%C3%BC".utf8).base64EncodedString()
        #expect(token.headers["Authorization"] == "Basic \(basic)")
        #expect(token.body == Data("grant_type=client_credentials".utf8))
        for request in requests.dropFirst() {
            #expect(request.headers["Authorization"] == "Bearer token-1")
            #expect(request.headers["Antispam"] == "word")
            #expect(request.headers["Content-Type"] == "application/jose+json")
        }
        #expect(requests.dropFirst().map { $0.headers["Tributary-Submission"] } == entries.map(\.submissionID))
        #expect(try outbox.sentSubmissions().map(\.entry) == entries)
    }

    @Test func c3proEnvelopeIsSentAsPlainJSON() async throws {
        let folder = try TemporaryFolder()
        let outbox = try folder.outbox()
        let sealed = C3PROEnvelope(keyID: "", symmetricKey: "AA==", message: "AA==", version: "1.0.2")
        try outbox.append(kind: "Contract", submissionID: newSubmissionID()) { _ in sealed.bytes }
        let study = ScriptedStudy()
        _ = try await study.connection().sendAll(from: outbox)
        let last = try #require(await study.requests.last)
        #expect(last.headers["Content-Type"] == "application/json")
        #expect(last.body == sealed.bytes)
        // Kept under the id that the study assigns, which is made from its content.
        let listed = try EnvelopeHeader.read(from: sealed.bytes).listedSubmissionID
        #expect(last.headers["Tributary-Submission"] == listed)
        #expect(try outbox.sentSubmissions().map(\.entry.submissionID) == [listed])
    }

    @Test func temporaryFailureHoldsAllLaterEntries() async throws {
        let folder = try TemporaryFolder()
        let outbox = try folder.outbox()
        for kind in ["Contract", "Observation", "Patient"] { try outbox.append(kind) }
        let down = ScriptedStudy { _, number in number == 0 ? TransportResponse(status: 200) : nil }
        let waits = WaitLog()
        let report = try await down.connection(waits).sendAll(from: outbox, patience: .init(attempts: 3, firstDelay: 2))
        #expect(
            report == SendReport(sent: 1, refused: 0, remaining: 2, ending: .held, reason: "connection-failed"))
        #expect(await down.submissions.map(\.sequence) == [1, 2, 2, 2])
        #expect(waits.waits == [1, 2])
        let up = ScriptedStudy()
        #expect(try await up.connection().sendAll(from: outbox).ending == .emptied)
        #expect(await up.accepted.map(\.sequence) == [2, 3])
    }

    @Test(arguments: ["7", "Fri, 15 Jan 2027 08:00:07 GMT"]) func retryAfterOfTheServerIsHonoured(retryAfter: String)
        async throws
    {
        let folder = try TemporaryFolder()
        let outbox = try folder.outbox()
        try outbox.append("Contract")
        let study = ScriptedStudy { _, number in
            number == 0
                ? TransportResponse(status: 503, headers: ["Retry-After": retryAfter]) : TransportResponse(status: 200)
        }
        let waits = WaitLog()
        #expect(try await study.connection(waits).sendAll(from: outbox, patience: .init(firstDelay: 2)).sent == 1)
        #expect(waits.waits == [8])
    }

    @Test func noWaitIsBegunBeyondTheTimeLimit() async throws {
        let folder = try TemporaryFolder()
        let outbox = try folder.outbox()
        try outbox.append("Contract")
        let study = ScriptedStudy { _, _ in TransportResponse(status: 429, headers: ["Retry-After": "3600"]) }
        let waits = WaitLog()
        let report = try await study.connection(waits).sendAll(from: outbox, timeLimit: 60)
        #expect(report == SendReport(sent: 0, refused: 0, remaining: 1, ending: .held, reason: "server-unavailable"))
        #expect(waits.waits.isEmpty)
    }

    @Test func anExpiredTokenIsRenewedOnce() async throws {
        let folder = try TemporaryFolder()
        let outbox = try folder.outbox()
        try outbox.append("Contract")
        let study = ScriptedStudy { _, number in TransportResponse(status: number == 0 ? 401 : 200) }
        #expect(try await study.connection().sendAll(from: outbox).sent == 1)
        #expect(await study.tokens == 2)
    }

    @Test func unknownClientKeepsItsFiles() async throws {
        let folder = try TemporaryFolder()
        let outbox = try folder.outbox()
        try outbox.append("Contract")
        let study = ScriptedStudy()
        await study.setTokenAnswer(TransportResponse(status: 401))
        let report = try await study.connection().sendAll(from: outbox)
        #expect(report == SendReport(sent: 0, refused: 0, remaining: 1, ending: .held, reason: "token-refused"))
        await study.setTokenAnswer(TransportResponse(status: 400, body: Data(#"{"error":"invalid_client"}"#.utf8)))
        #expect(try await study.connection().sendAll(from: outbox).reason == "token-refused")
        for page in [403, 404] {
            await study.setTokenAnswer(TransportResponse(status: page, body: Data("<html>".utf8)))
            #expect(try await study.connection().sendAll(from: outbox).reason == "server-unavailable")
        }
        await study.setTokenAnswer(TransportResponse(status: 500))
        #expect(try await study.connection().sendAll(from: outbox).reason == "server-unavailable")
        #expect(await study.submissions.isEmpty)
    }

    @Test func refusedEntryIsMovedWithItsReason() async throws {
        let folder = try TemporaryFolder()
        let outbox = try folder.outbox()
        try outbox.append("Contract")
        let bad = try outbox.append("Observation")
        try outbox.append("Patient")
        let problem = Data(
            #"{"type":"about:blank","status":409,"code":"submission-conflict","detail":"x","submission":"\#(bad.submissionID)"}"#
                .utf8)
        let study = ScriptedStudy { kind, _ in
            kind == "Observation" ? TransportResponse(status: 409, body: problem) : TransportResponse(status: 200)
        }
        let report = try await study.connection().sendAll(from: outbox)
        #expect(report == SendReport(sent: 2, refused: 1, remaining: 0, ending: .emptied, reason: nil))
        #expect(try outbox.refusedEntries() == [bad])
        let refusal = try outbox.refusal(of: bad)
        #expect(refusal.status == 409 && refusal.code == "submission-conflict")
    }

    /// Responses of any intermediary between the phone and the study settle nothing.
    @Test(arguments: [
        (200, ""), (200, "<html>Down for maintenance</html>"), (200, "{}"), (204, ""), (302, ""), (403, "<html>"),
        (404, "<html>Not found</html>"), (404, #"{"code":"not-found"}"#), (400, #"{"code":"bad-request"}"#),
        (413, "<html>Request Entity Too Large</html>"), (409, ""),
        (200, #"{"status":"received","submission":"00000000-0000-4000-8000-000000000000"}"#),
        (409, #"{"code":"submission-conflict","submission":"00000000-0000-4000-8000-000000000000"}"#),
    ])
    func anAnswerWithoutTheStudysMarkKeepsTheFile(status: Int, body: String) async throws {
        let folder = try TemporaryFolder()
        let outbox = try folder.outbox()
        let entries = try [outbox.append("Contract"), outbox.append("Observation")]
        let proxy = ScriptedStudy(marksAnswers: false) { _, _ in
            TransportResponse(status: status, body: Data(body.utf8))
        }
        let waits = WaitLog()
        let report = try await proxy.connection(waits).sendAll(
            from: outbox, patience: .init(attempts: 3, firstDelay: 2))
        #expect(report == SendReport(sent: 0, refused: 0, remaining: 2, ending: .held, reason: "answer-unmarked"))
        #expect(waits.waits == [1, 2])
        #expect(try outbox.entries() == entries)
        #expect(try outbox.refusedEntries().isEmpty && outbox.sentSubmissions().isEmpty)
        // The study itself is available again.
        #expect(try await ScriptedStudy().connection().sendAll(from: outbox).sent == 2)
    }

    @Test func aC3PROEnvelopeIsNotSettledByAPage() async throws {
        let folder = try TemporaryFolder()
        let outbox = try folder.outbox()
        let sealed = C3PROEnvelope(keyID: "", symmetricKey: "AA==", message: "AA==", version: "1.0.2")
        try outbox.append(kind: "Contract", submissionID: newSubmissionID()) { _ in sealed.bytes }
        for (status, body) in [(200, "<html>"), (400, ""), (400, "<html>"), (404, "")] {
            let proxy = ScriptedStudy(marksAnswers: false) { _, _ in
                TransportResponse(status: status, body: Data(body.utf8))
            }
            #expect(try await proxy.connection().sendAll(from: outbox).reason == "answer-unmarked")
        }
        let problem = Data(#"{"code":"c3pro-not-accepted","status":422}"#.utf8)
        let study = ScriptedStudy { _, _ in TransportResponse(status: 422, body: problem) }
        #expect(try await study.connection().sendAll(from: outbox).refused == 1)
        #expect(try outbox.refusal(of: outbox.refusedEntries()[0]).code == "c3pro-not-accepted")
    }

    @Test(arguments: ["9223372036854775807", "99999999999999999999999", "Fri, 31 Dec 9999 23:59:59 GMT"])
    func waitForTheServerIsLimitedToADay(retryAfter: String) async throws {
        let folder = try TemporaryFolder()
        let outbox = try folder.outbox()
        try outbox.append("Contract")
        let study = ScriptedStudy { _, number in
            number == 0
                ? TransportResponse(status: 503, headers: ["Retry-After": retryAfter]) : TransportResponse(status: 200)
        }
        let waits = WaitLog()
        #expect(try await study.connection(waits).sendAll(from: outbox, patience: .init(firstDelay: 2)).sent == 1)
        #expect(waits.waits == [86_401])
    }

    @Test(arguments: ["{}", "<html>", #"{"error":"In valid\n"}"#, #"{"code":1}"#]) func invalidErrorCodeIsIgnored(
        body: String
    ) {
        #expect(TransportResponse(status: 400, body: Data(body.utf8)).errorCode == nil)
    }

    @Test func damagedFileIsMovedAndTheNextIsSent() async throws {
        let folder = try TemporaryFolder()
        let outbox = try folder.outbox()
        try outbox.append("Contract")
        let damaged = [
            try outbox.append("Observation"), try outbox.append("Observation"), try outbox.append("Observation"),
        ]
        try outbox.append("Patient")
        let queue = folder.url.appendingPathComponent("outbox")
        try Data().write(to: queue.appendingPathComponent(damaged[0].name))
        try Data("{\"half\":".utf8).write(to: queue.appendingPathComponent(damaged[1].name))
        try envelope(submissionID: newSubmissionID(), sequence: 4).write(
            to: queue.appendingPathComponent(damaged[2].name))
        let study = ScriptedStudy()
        let report = try await study.connection().sendAll(from: outbox)
        #expect(report == SendReport(sent: 2, refused: 3, remaining: 0, ending: .emptied, reason: nil))
        #expect(await study.accepted.map(\.kind) == ["Contract", "Patient"])
        #expect(try damaged.map { try outbox.refusal(of: $0).code } == Array(repeating: "entry-unreadable", count: 3))
    }

    @Test func refusedContractStopsSendingUntilANewOneIsAccepted() async throws {
        let folder = try TemporaryFolder()
        var outbox = try folder.outbox()
        try outbox.append("Contract")
        let data = try [outbox.append("Observation"), outbox.append("Patient")]
        let refusing = ScriptedStudy { _, _ in TransportResponse(status: 422) }
        let stopped = SendReport(sent: 0, refused: 1, remaining: 2, ending: .stopped, reason: "consent-refused")
        #expect(try await refusing.connection().sendAll(from: outbox) == stopped)
        // 1. It stays refused, in another process too; entries made meanwhile wait.
        outbox = try folder.outbox()
        #expect(try outbox.consent() == .refused)
        let later = try outbox.append("Observation")
        let study = ScriptedStudy()
        #expect(try await study.connection().sendAll(from: outbox).ending == .stopped)
        #expect(await study.submissions.isEmpty)
        // 2. A second refused one changes nothing.
        try outbox.append("Contract")
        #expect(try await refusing.connection().sendAll(from: outbox).ending == .stopped)
        #expect(await refusing.submissions.map(\.kind) == ["Contract", "Contract"])
        // 3. An accepted one is sent before all waiting entries and releases them.
        let renewed = try outbox.append("Contract")
        #expect(try await study.connection().sendAll(from: outbox).ending == .emptied)
        #expect(await study.accepted.map(\.submissionID) == ([renewed] + data + [later]).map(\.submissionID))
        #expect(try outbox.consent() == .given)
    }

    @Test func entriesQueuedWhileSendingAreSentToo() async throws {
        let folder = try TemporaryFolder()
        let outbox = try folder.outbox()
        try outbox.append("Contract")
        let study = ScriptedStudy()
        let once = Once()
        await study.setBeforeAnswer { try once.run { _ = try folder.outbox().append("Observation") } }
        #expect(try await study.connection().sendAll(from: outbox).sent == 2)
    }

    @Test func longQueueIsSentInOrder() async throws {
        let files = ModelFiles(seed: 1)
        let outbox = try OutboxDirectory.open(
            folder: URL(fileURLWithPath: "/d/outbox"), refusedFolder: URL(fileURLWithPath: "/d/refused"), files: files)
        try outbox.append("Contract")
        for _ in 0..<30 { try outbox.append("Observation") }
        let study = ScriptedStudy()
        #expect(try await study.connection().sendAll(from: outbox).sent == 31)
        #expect(await study.accepted.map(\.sequence) == Array(1...31))
    }

    @Test func secondSenderIsRefusedWhileOneRuns() async throws {
        let folder = try TemporaryFolder()
        let outbox = try folder.outbox()
        let lock = try outbox.sendingLock()
        let connection = try ScriptedStudy().connection()
        #expect(await codeOfAsync { _ = try await connection.sendAll(from: outbox) } == "outbox-busy")
        withExtendedLifetime(lock) {}
    }
}

/// Runs a closure only the first time.
private final class Once: @unchecked Sendable {
    private let lock = NSLock()
    private var done = false
    func run(_ body: () throws -> Void) throws {
        let first = lock.withLock {
            defer { done = true }
            return !done
        }
        if first { try body() }
    }
}
