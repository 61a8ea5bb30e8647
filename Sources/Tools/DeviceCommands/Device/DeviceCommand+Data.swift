import ArgumentParser
import FHIR
import Foundation
import InformedConsent
import Outbox
import StudyFiles

extension DeviceCommand {
    struct ConsentSigning: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "consent",
            abstract: "Check eligibility, sign the study's consent, and queue it.",
            discussion: """
                The signed document (PDF) stays in the device's folder. For a person who is not eligible, the verdict is
                printed, nothing is queued, and the exit status is 1. A participant with a new phone enters the code of
                the study team (`enrolment move`): the consent is then signed for the same participant. If the study
                requires an invitation code, enter the team's code (`participant invite`). Without --contract the
                current version is fetched from the study.

                Answers are a JSON object: {"eligibility": {"Are you 18 years of age or older?": true}, "sharing": true,
                "birthDate": "1990-02-02", "gender": "female", "postalCode": "02139", "state": "MA", "country": "US"}.

                Example:
                  tributary device consent --store phone --contract contract.json --answers consent.json --name "A B"
                """)
        @OptionGroup var device: Store
        @Option(help: "The study's Contract, with the files of its full texts next to it.") var contract: String?
        @Option(help: "The answers: eligibility, sharing, birthDate, gender, postalCode, state, country.")
        var answers: String
        @Option(help: "The person's name, for the document that stays on the device.") var name: String
        @Option(help: "A picture of the signature (PNG).") var signature: String?
        @Option(
            parsing: .unconditional,
            help: "The study team's one-time code: an invitation, or for a participant with a new phone.")
        var code: String?

        func run() async throws {
            let session = try DeviceSession(path: device.store)
            do {
                let signed = try session.sign(
                    template: try await template(of: session), answers: try CommandInput.file(answers), name: name,
                    signature: try signature.map { try CommandInput.file($0) }, moveCode: try moveCode(),
                    invitation: invitation, now: Date())
                if device.json {
                    CommandOutput.result([
                        "participant": .string(signed.participant), "contract": .string(signed.contract),
                        "submissions": .array(signed.submissions.map { .string($0) }),
                    ])
                } else {
                    CommandOutput.result("signed; the participant is Patient/\(signed.participant)")
                }
            } catch let error as ConsentError {
                try report(error)
            }
        }

        private func template(of session: DeviceSession) async throws -> ConsentTemplate {
            if let contract {
                let data = try CommandInput.file(contract)
                return try ConsentFiles.template(file: URL(fileURLWithPath: contract), data: data)
            }
            guard let template = try await session.publishedConsents().current() else {
                throw CommandError("consent-missing", "The study publishes no consent; give one with --contract.")
            }
            return template
        }

        private func moveCode() throws(ConsentError) -> ParticipantMoveCode? {
            guard let text = writtenCode, invitation == nil else { return nil }
            guard let code = ParticipantMoveCode(text: text) else { throw ConsentError.moveCodeInvalid }
            return code
        }

        /// The code as an invitation, which names no participant.
        private var invitation: InvitationCode? { writtenCode.flatMap(InvitationCode.init(text:)) }

        private var writtenCode: String? { code?.trimmingCharacters(in: .whitespacesAndNewlines) }

        private func report(_ error: ConsentError) throws {
            let verdict: EligibilityVerdict? =
                switch error {
                case .notEligible(let verdict), .eligibilityUnanswered(let verdict): verdict
                default: nil
                }
            if device.json {
                CommandOutput.result([
                    "error": .string(error.code), "eligible": verdict?.isEligible.map { .bool($0) } ?? .null,
                    "unmet": .array((verdict?.unmet ?? []).map { .string($0) }),
                    "unanswered": .array((verdict?.unanswered ?? []).map { .string($0) }),
                ])
            } else {
                for criterion in verdict?.unmet ?? [] { CommandOutput.result("not met: \(criterion)") }
                for criterion in verdict?.unanswered ?? [] { CommandOutput.result("not answered: \(criterion)") }
            }
            throw CommandError(error.code, error.message)
        }
    }

    package struct Answer: AsyncParsableCommand {
        /// Creates the value with its defaults.
        package init() {}

        package static let configuration = CommandConfiguration(
            commandName: "answer", abstract: "Answer a form from a file and queue the response.",
            discussion: "Example:\n  tributary device answer --store phone form.json --answers answers.json")
        @OptionGroup package var device: Store
        @Argument(help: "The Questionnaire: a file, or the id of one that the study publishes.") package
            var questionnaire: String
        @Option(help: "The answers.") package var answers: String

        package func run() async throws {
            let session = try DeviceSession(path: device.store)
            let form: Data
            if !FileManager.default.fileExists(atPath: questionnaire), Resource.isID(questionnaire) {
                form = try await session.connection().questionnaire(id: questionnaire)
            } else {
                form = try CommandInput.file(questionnaire)
            }
            let isFile = FileManager.default.fileExists(atPath: questionnaire)
            let submissionID = try session.answer(
                form: form, path: isFile ? questionnaire : "-", answers: try CommandInput.file(answers), now: Date())
            DeviceCommand.show([submissionID], "queued the response", json: device.json)
        }
    }

    package struct Health: AsyncParsableCommand {
        /// Creates the value with its defaults.
        package init() {}

        package static let configuration = CommandConfiguration(
            commandName: "health",
            abstract: "Convert an Apple Health export and queue new data, without people's names.",
            discussion: """
                Routes, clinical records, notes and heartbeats are queued only if the signed consent names them.

                Example:
                  tributary device health --store phone export.zip
                """)
        @OptionGroup package var device: Store
        @Argument(help: "The export: a folder, export.xml or export.zip.") package var export: String
        @OptionGroup var choice: HealthChoice

        package func run() async throws {
            let session = try DeviceSession(path: device.store)
            let result = try await session.exportHealth(from: export, choice, now: Date())
            if device.json {
                CommandOutput.result([
                    "account": result.importReport.json, "queued": .number(JSONNumber(result.queued)),
                    "submissions": .array(result.submissions.map { .string($0) }),
                ])
            } else {
                ImportReportOutput.show(result.importReport, json: false)
                CommandOutput.result("queued \(result.queued) observations in \(result.submissions.count) submissions")
            }
            try ImportReportOutput.check(result.importReport)
        }
    }

    package struct Withdraw: AsyncParsableCommand {
        /// Creates the value with its defaults.
        package init() {}

        package static let configuration = CommandConfiguration(
            commandName: "withdraw", abstract: "Withdraw the consent.",
            discussion:
                "Health data is no longer read, and its progress is deleted.\n\nExample:\n  tributary device withdraw --store phone && tributary device send --store phone"
        )
        @OptionGroup package var device: Store

        package func run() async throws {
            let session = try DeviceSession(path: device.store)
            DeviceCommand.show([try await session.withdraw(now: Date())], "queued the withdrawal", json: device.json)
        }
    }

    package static func show(_ submissions: [String], _ words: String, json: Bool) {
        if json {
            CommandOutput.result(["submissions": .array(submissions.map { .string($0) })])
        } else {
            CommandOutput.result("\(words) as submission \(submissions.joined(separator: ", "))")
        }
    }
}
