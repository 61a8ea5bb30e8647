import Core
import Foundation
import ResearchResults
import StorageTestSupport
import TestSupport
import Testing

@testable import Accounts

/// Mail to aiosmtpd, a server of other authors. The tests are skipped without it (Scripts/setup.sh --for test).
@Suite(.enabled(if: AiosmtpdServer.python != nil), .serialized, .timeLimit(.minutes(10)))
struct RealMailServerTests {
    private func message(_ recipient: String = "ann@example.org") throws -> MailMessage {
        try MailMessage(
            id: "0001", from: EmailAddress("study@example.org"),
            content: MailContent(
                to: EmailAddress(recipient), subject: "Schlafstudie für Ältere", text: "Grüße\n.dot\nCode: A1\n"),
            date: Date(timeIntervalSince1970: 1_795_910_400))
    }

    private func sender(
        _ port: Int, in folder: String, host: String = "127.0.0.1", _ members: [String: String] = [:]
    ) throws -> SMTPSender {
        var object = JSONObject()
        object["smtp"] = .string("\(host):\(port)")
        object["from"] = "study@example.org"
        for (name, value) in members { object[name] = .string(value) }
        return try SMTPSender(MailConfiguration(.object(object)), in: URL(fileURLWithPath: folder, isDirectory: true))
    }

    @Test func aMailArrivesAsItIs() async throws {
        try await withTemporaryFolder { folder in
            let server = try AiosmtpdServer(in: folder)
            defer { server.stop() }
            for recipient in ["ann@example.org", "änne@example.org"] {
                #expect(try await sender(server.port, in: folder).send(message(recipient)) == .accepted)
                let received = try #require(try server.messages().last)
                #expect(received["from"] == "study@example.org" && received["to"] == [.string(recipient)])
                let bytes = try #require(received["bytes"]?.string.flatMap { Data(base64Encoded: $0) })
                #expect(Array(bytes) == (try message(recipient).bytes))
            }
        }
    }

    @Test(arguments: TestEngine.allCases)
    func aServerThatIsDownAtFirstReceivesEachMailOnce(engine: TestEngine) async throws {
        try await withTemporaryFolder { folder in
            try await withMailQueue(on: engine) { _, database, _ in
                let (queue, log, port) = (MailQueue(database: database), MailLog(), try SMTPResponder.freePort())
                let delivery = MailDelivery(
                    queue: queue, sender: try sender(port, in: folder), logger: log.logger,
                    schedule: MailSchedule(first: 0.001, longest: 0.001),
                    pace: .init(firstPause: .milliseconds(1), longestPause: .milliseconds(50)))
                try await queue.enqueue(["ann", "bob"], in: database)
                let running = Task { await delivery.run() }
                let deadline = Patience.deadline
                while !log.lines.contains(where: { $0.contains("mail-server-unreachable") }), .now < deadline {
                    await Task.yield()
                }
                let server = try AiosmtpdServer(in: folder, port: port)
                defer { server.stop() }
                while try await queue.count() > 0, .now < deadline { await Task.yield() }
                running.cancel()
                await running.value
                let recipients = try server.messages().compactMap { $0["to"]?.array?.first?.string }
                #expect(recipients.sorted() == ["ann@example.org", "bob@example.org"])
            }
        }
    }

    @Test func aRefusalOfTheMessageIsPermanentOrNot() async throws {
        try await withTemporaryFolder { folder in
            for (reply, wanted) in [
                ("552 too much", MailOutcome.refused(MailProblem("mail-refused", reply: 552))),
                ("452 later", .deferred(MailProblem("mail-deferred", reply: 452))),
            ] {
                let server = try AiosmtpdServer(in: folder, ["--reply", reply])
                defer { server.stop() }
                #expect(try await sender(server.port, in: folder).send(message()) == wanted)
                #expect(try server.messages().isEmpty)
            }
        }
    }

    @Test func encryptionAndSignInAreRequired() async throws {
        try await withTemporaryFolder { folder in
            let root = URL(fileURLWithPath: folder, isDirectory: true)
            for (name, text) in [
                ("one.pem", TestCertificates.one.certificate), ("one.key", TestCertificates.one.key),
                ("two.pem", TestCertificates.two.certificate), ("right.txt", "secret\n"), ("wrong.txt", "other\n"),
            ] {
                let file = root.appendingPathComponent(name)
                try Data(text.utf8).write(to: file)
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
            }
            let server = try AiosmtpdServer(
                in: folder,
                [
                    "--certificate", "\(folder)/one.pem", "--key", "\(folder)/one.key", "--user", "study",
                    "--password", "secret",
                ])
            defer { server.stop() }
            func outcome(host: String = "127.0.0.1", _ members: [String: String]) async throws -> MailOutcome {
                try await sender(server.port, in: folder, host: host, members).send(message())
            }
            let right = ["user": "study", "passwordFile": "right.txt", "ca": "one.pem"]
            #expect(try await outcome(right) == .accepted)
            #expect(try await outcome(host: "localhost", right) == .accepted)
            // The certificate of another authority, no authority, another password, no user, no encryption.
            let other = try await outcome(["user": "study", "passwordFile": "right.txt", "ca": "two.pem"])
            let wrong = try await outcome(["user": "study", "passwordFile": "wrong.txt", "ca": "one.pem"])
            let noUser = try await outcome(["ca": "one.pem"])
            let plain = try await outcome([:])
            #expect(other.problem?.code == "mail-server-tls")
            #expect(wrong == .unavailable(MailProblem("mail-server-sign-in", reply: 535)))
            #expect(noUser == .unavailable(MailProblem("mail-server-sign-in", reply: 530)))
            #expect(plain == .unavailable(MailProblem("mail-server-sign-in", reply: 530)))
            #expect(try server.messages().count == 2)
        }
    }
}

/// The server of Tests/Integration/mail_server.py.
private final class AiosmtpdServer {
    /// The Python that has aiosmtpd; nil if none has it.
    static let python: String? = {
        let given = ProcessInfo.processInfo.environment["TRIBUTARY_AIOSMTPD_PYTHON"]
        return [given, "python3", "/usr/bin/python3"].compactMap { $0 }.first { python in
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = [python, "-c", "import aiosmtpd.controller"]
            process.standardError = FileHandle.nullDevice
            guard (try? process.run()) != nil else { return false }
            process.waitUntilExit()
            return process.terminationStatus == 0
        }
    }()

    let port: Int
    private let file: String
    /// The server ends when this end closes, even if this process is killed.
    private let input = Pipe()
    private let process = Process()

    init(in folder: String, port: Int? = nil, _ options: [String] = []) throws {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Integration/mail_server.py").standardizedFileURL
        self.port = try port ?? SMTPResponder.freePort()
        file = "\(folder)/received-\(self.port).jsonl"
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            [AiosmtpdServer.python ?? "python3", "-B", script.path, "--port", "\(self.port)", "--file", file] + options
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        var line = Data()
        while line.last != 10, case let part = output.fileHandleForReading.availableData, !part.isEmpty { line += part }
        try #require(String(decoding: line, as: UTF8.self) == "ready\n", "the mail server did not start")
    }

    func stop() { try? input.fileHandleForWriting.close() }

    func messages() throws -> [JSON] {
        guard let data = FileManager.default.contents(atPath: file) else { return [] }
        return try data.split(separator: 10).map { try JSON(Data($0)) }
    }
}
