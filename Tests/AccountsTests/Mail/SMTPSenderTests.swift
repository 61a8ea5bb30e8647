import CCurl
import Core
import Foundation
import ResearchResults
import TestSupport
import Testing

@testable import Accounts

@Suite(.timeLimit(.minutes(10)))
struct SMTPSenderTests {
    private func configuration(_ port: Int, host: String = "127.0.0.1", ca: String? = nil) throws -> MailConfiguration {
        var object = JSONObject()
        object["smtp"] = .string("\(host):\(port)")
        object["from"] = "study@example.org"
        if let ca { object["ca"] = .string(ca) }
        return try MailConfiguration(.object(object))
    }

    private func sender(_ port: Int, ca: String? = nil, limits: SMTPSender.Limits = .init()) throws -> SMTPSender {
        try SMTPSender(configuration(port, ca: ca), in: URL(fileURLWithPath: "/"), limits: limits)
    }

    private func message(_ text: String = "Hello\n.dot\n") throws -> MailMessage {
        try MailMessage(
            id: "0001", from: EmailAddress("study@example.org"),
            content: MailContent(to: EmailAddress("ann@example.org"), subject: "Grüße", text: text),
            date: Date(timeIntervalSince1970: 1_795_910_400))
    }

    /// Sends a mail to a server with these reactions.
    private func outcome(_ reactions: [String: SMTPResponder.Reaction]) async throws -> MailOutcome {
        let server = try SMTPResponder(reactions)
        defer { server.stop() }
        return try await sender(server.port).send(message())
    }

    @Test func anAcceptedMailArrivesAsItIs() async throws {
        let server = try SMTPResponder()
        defer { server.stop() }
        let sender = try sender(server.port)
        let message = try message()
        #expect(await sender.send(message) == .accepted)
        #expect(await sender.send(message) == .accepted)
        let text = String(decoding: message.bytes, as: UTF8.self)
        #expect(server.messages == [text, text])
    }

    @Test func aLongMailArrivesWhole() async throws {
        let server = try SMTPResponder()
        defer { server.stop() }
        let message = try message(String(repeating: ".ü\n", count: 15_000))
        #expect(try await sender(server.port).send(message) == .accepted)
        #expect(server.messages == [String(decoding: message.bytes, as: UTF8.self)])
    }

    @Test(arguments: ["MAIL", "RCPT", "DATA", "."])
    func aRefusalIsPermanentOrNotByItsCode(point: String) async throws {
        #expect(try await outcome([point: .reply(550)]) == .refused(MailProblem("mail-refused", reply: 550)))
        #expect(try await outcome([point: .reply(451)]) == .deferred(MailProblem("mail-deferred", reply: 451)))
        #expect(
            try await outcome([point: .reply(421)]) == .unavailable(MailProblem("mail-server-failed", reply: 421)))
        #expect(
            try await outcome([point: .reply(530)]) == .unavailable(MailProblem("mail-server-sign-in", reply: 530)))
    }

    @Test func aServerThatServesNoOneIsNoRefusalOfTheMail() async throws {
        #expect(
            try await outcome(["HELO": .reply(554)]) == .unavailable(MailProblem("mail-server-failed", reply: 554)))
    }

    @Test(arguments: ["HELO", "EHLO", "MAIL", "RCPT", "DATA", "."])
    func aConnectionThatEndsIsTemporary(point: String) async throws {
        guard case .unavailable = try await outcome([point: .close]) else {
            Issue.record("the outcome is not temporary")
            return
        }
    }

    @Test(arguments: ["HELO", "EHLO", "RCPT", "."])
    func aServerThatHangsIsLeft(point: String) async throws {
        let server = try SMTPResponder([point: .hang])
        defer { server.stop() }
        let limits = SMTPSender.Limits(connecting: .milliseconds(300), whole: .milliseconds(300))
        let outcome = try await sender(server.port, limits: limits).send(message())
        #expect(outcome.problem?.code == "mail-server-timeout")
        guard case .unavailable = outcome else {
            Issue.record("the outcome is \(outcome)")
            return
        }
    }

    @Test(arguments: ["HELO", "."])
    func aCancelledAttemptEnds(point: String) async throws {
        let server = try SMTPResponder([point: .hang])
        defer { server.stop() }
        let limits = SMTPSender.Limits(afterCancellation: .milliseconds(10))
        let (sender, message) = (try sender(server.port, limits: limits), try message())
        let sending = Task { await sender.send(message) }
        sending.cancel()
        #expect(await sending.value == .cancelled)
    }

    @Test func noServerIsTemporary() async throws {
        let outcome = try await sender(SMTPResponder.freePort()).send(message())
        #expect(outcome == .unavailable(MailProblem("mail-server-unreachable")))
    }

    @Test func aServerWithoutEncryptionIsRefusedIfItIsRequired() async throws {
        try await withTemporaryFolder { folder in
            let ca = URL(fileURLWithPath: folder).appendingPathComponent("ca.pem")
            try Data(TestCertificates.one.certificate.utf8).write(to: ca)
            let server = try SMTPResponder()
            defer { server.stop() }
            let outcome = try await sender(server.port, ca: ca.path).send(message())
            #expect(outcome == .unavailable(MailProblem("mail-server-tls", reply: outcome.problem?.reply)))
            #expect(server.messages.isEmpty)
        }
    }

    @Test func aLostAnswerIsNotTakenForARefusal() {
        #expect(
            MailOutcome(curl: CURLE_SEND_ERROR, reply: 354, isSent: false)
                == .unavailable(MailProblem("mail-server-failed", reply: 354)))
        #expect(MailOutcome(curl: CURLE_RECV_ERROR, reply: 550, isSent: true).problem?.code == "mail-server-failed")
        #expect(
            MailOutcome(curl: CURLE_LOGIN_DENIED, reply: 535, isSent: false)
                == .unavailable(MailProblem("mail-server-sign-in", reply: 535)))
        #expect(MailOutcome(curl: CURLE_OK, reply: 250, isSent: true) == .accepted)
    }
}
