import DeviceCommands
import FHIR
import Foundation
import InformedConsent
import Outbox
import StudyFiles
import Wire

/// One participant of the demonstration, with a device of their own.
struct DemoParticipant: Sendable {
    let number: Int
    let name: String
    let storePath: String

    static func enrol(
        number: Int, name: String, root: URL, study: StudyFolder, url: String, antispam: String
    ) async throws -> DemoParticipant {
        let store = root.appendingPathComponent("phone-\(number)")
        let receipt = try AppReceiptCommand.makeReceipt(for: study).base64EncodedString()
        let enrolment = try await StudyConnection.enrol(
            url: url, antispam: antispam, receipt: receipt, root: study.keys.rootKey()?.publicKey.keyID)
        try DeviceSession.store(in: store).save(enrolment)
        CommandOutput.note("phone \(number)    enrolled")
        return DemoParticipant(number: number, name: name, storePath: store.path)
    }

    /// Signs the consent, answers every form, exports health data (the first participant), and sends.
    func takePart(examples: URL) async throws {
        let session = try DeviceSession(path: storePath)
        let study = examples.appendingPathComponent("study")
        let signed = try session.sign(
            template: try ConsentTemplate(Resource(try file("consent/contract.json", in: study))),
            answers: try file("answers/consent-\(number).json", in: study),
            name: name, signature: nil, now: Date())
        CommandOutput.note("phone \(number)    consented as Patient/\(signed.participant)")
        for form in ["sleep-diary", "mood-check"] {
            try session.answer(
                form: try file("questionnaires/\(form).json", in: study),
                answers: try file("answers/\(form)-1.json", in: study), now: Date())
            CommandOutput.note("phone \(number)    answered \(form)")
        }
        if number == 1 {
            let export = examples.appendingPathComponent("apple-health/export.zip")
            let result = try await session.exportHealth(from: export.path, now: Date())
            CommandOutput.note("phone \(number)    exported \(result.queued) health observations")
        }
        try await send(session)
    }

    /// Withdraws the consent and then sends an answer, which the study must refuse.
    func withdrawAndSendOnceMore(examples: URL) async throws {
        let session = try DeviceSession(path: storePath)
        try await session.withdraw(now: Date())
        CommandOutput.note("phone \(number)    withdrew")
        try await send(session)
        let study = examples.appendingPathComponent("study")
        try session.answer(
            form: try file("questionnaires/mood-check.json", in: study),
            answers: try file("answers/mood-check-1.json", in: study), now: Date())
        CommandOutput.note("phone \(number)    answered once more")
        try await send(session)
    }

    /// Waits until every submission is processed.
    func waitUntilSettled() async throws {
        let deadline = Date().addingTimeInterval(300)
        let connection = StudyConnection(enrolment: try DeviceSession(path: storePath).enrolment)
        while try await DeviceCommand.Deliveries.all(connection, after: nil).deliveries.contains(where: {
            $0.status == "received"
        }) {
            guard Date() < deadline else {
                throw CommandError("demo-too-slow", "The submissions were not handled within five minutes.")
            }
            try await _Concurrency.Task.sleep(for: .milliseconds(100))
        }
    }

    func deliveries() async throws -> [DeliveriesPage.Delivery] {
        let connection = StudyConnection(enrolment: try DeviceSession(path: storePath).enrolment)
        return try await DeviceCommand.Deliveries.all(connection, after: nil).deliveries
    }

    private func send(_ session: DeviceSession) async throws {
        let report = try await StudyConnection(enrolment: session.enrolment).sendAll(from: session.store.outbox)
        CommandOutput.note("phone \(number)    sent \(report.sent) submissions")
        guard report.remaining == 0, report.refused == 0 else {
            throw CommandError("demo-not-sent", "Not all was taken: \(report.reason ?? "refused").")
        }
    }

    private func file(_ name: String, in folder: URL) throws -> Data {
        try CommandInput.file(folder.appendingPathComponent(name).path)
    }
}
