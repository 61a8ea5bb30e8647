import ArgumentParser
import FHIR
import Foundation
import InformedConsent
import Outbox
import Wire

package struct DeviceCommand: AsyncParsableCommand {
    /// Creates the value with its defaults.
    package init() {}

    package static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Act as a participant's device, with the libraries of an app.",
        discussion: """
            Example:
              tributary device enrol --store phone --url http://127.0.0.1:8080 --receipt receipt.b64 --antispam TOKEN
              tributary device consent --store phone --contract contract.json --answers consent.json --name "A B"
              tributary device answer --store phone form.json --answers answers.json
              tributary device send --store phone
            """,
        subcommands: [
            Enrol.self, Address.self, ConsentSigning.self, Answer.self, Health.self, Sync.self, SyncStatus.self,
            Withdraw.self,
            Link.self, Renew.self, Send.self, Retry.self, Deliveries.self,
        ])

    /// The device of a command.
    package struct Store: ParsableArguments {
        /// Creates the value with its defaults.
        package init() {}

        @Option(help: "The device's folder.") package var store: String
        @Flag(help: "Print one JSON value.") package var json = false
    }

    struct Enrol: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "enrol", abstract: "Register with a study.",
            discussion: """
                --root is the fingerprint of the study's root key, from the study team: the keys must be signed by it.
                Without it any server at the address is trusted; for development only. --ca is the certificate of a
                private authority that issued the server's certificate; it is stored with the enrolment.

                --invitation is a code of the study team (`participant invite`), for studies that accept invitations
                instead of the receipt of an app ("enrolment" in study.json). If the study also requires a code in the
                consent, it is the same one (`device consent --code`). A code is used once; the same folder may repeat
                the command.

                Example:
                  tributary device enrol --store phone --url http://127.0.0.1:8080 --invitation CODE --antispam TOKEN \
                    --root FINGERPRINT
                  tributary device enrol --store phone --url http://127.0.0.1:8080 --receipt receipt.b64 --antispam TOKEN \
                    --root FINGERPRINT
                  tributary device enrol --store phone --url https://study.hospital.example --ca hospital-ca.pem \
                    --receipt receipt.b64 --antispam TOKEN --root FINGERPRINT
                """)
        @OptionGroup var device: Store
        @Option(help: "The address of the study's server.") var url: String
        @Option(help: "The app's receipt as base64.") var receipt: String?
        @Option(help: "The study team's invitation code, instead of a receipt.") var invitation: String?
        @Option(parsing: .unconditional, help: "The study's antispam token.") var antispam: String
        @Option(parsing: .unconditional, help: "The fingerprint of the study's root key.") var root: String?
        @Option(help: "The certificate of the server's private authority (PEM).") var ca: String?

        func validate() throws {
            guard (receipt == nil) != (invitation == nil) else {
                throw ValidationError("Give either --receipt or --invitation.")
            }
        }

        func run() async throws {
            let folder = URL(fileURLWithPath: device.store, isDirectory: true)
            let authority = try ca.map { String(decoding: try CommandInput.file($0), as: UTF8.self) }
            let transport = try DeviceSession.transport(authority)
            let enrolment: Enrolment
            if let invitation {
                guard let code = InvitationCode(text: invitation) else { throw ConsentError.invitationInvalid }
                let installation = try DeviceSession.store(in: folder).installationSecret()
                enrolment = try await StudyConnection.enrol(
                    url: url, antispam: antispam, invitation: code.secret, installation: installation,
                    clientName: "tributary", root: root, certificateAuthority: authority, transport: transport)
            } else {
                let receiptText = String(decoding: try CommandInput.file(receipt ?? ""), as: UTF8.self)
                enrolment = try await StudyConnection.enrol(
                    url: url, antispam: antispam, receipt: receiptText, clientName: "tributary", root: root,
                    certificateAuthority: authority, transport: transport)
            }
            if root == nil {
                CommandOutput.note(
                    "WARNING: no root key was given (--root): the received keys are trusted. For development only."
                )
            }
            let store = try DeviceSession.store(in: folder)
            try store.save(enrolment)
            _ = try store.signingKey()
            if device.json {
                CommandOutput.result(["client": .string(enrolment.clientID)])
            } else {
                CommandOutput.result("enrolled as client \(enrolment.clientID)")
            }
        }
    }

    struct Send: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "send", abstract: "Send the queued submissions, in order.",
            discussion: """
                Submissions that cannot be sent now stay queued (exit status 1). A sent submission stays in sent/,
                sealed, until 30 days after the study has stored it, so that it can be resent to a study that was
                restored from a backup.

                Example:
                  tributary device send --store phone
                """)
        @OptionGroup var device: Store
        @Option(help: "Maximum attempts for a submission in this run.") var attempts = 4
        @Option(help: "Seconds after which no further wait begins; the study may request a day.") var timeLimit =
            600.0

        func run() async throws {
            let session = try DeviceSession(path: device.store)
            let connection = try session.connection()
            let round = try await connection.synchronize(
                session.store, patience: .init(attempts: max(1, attempts)), timeLimit: timeLimit)
            let report = round.sending
            // If the study cannot be reached, it has no settings to fetch either.
            if report.remaining == 0 { await session.refreshFollowedHealthData(connection) }
            if let requeued = round.deliveries?.requeued, requeued > 0 {
                CommandOutput.note("The study was restored from a backup; lost submissions queued again: \(requeued).")
            }
            switch round.keys {
            case .current: break
            case .renewed: CommandOutput.note("The study has new keys; new submissions are sealed to them.")
            case .failed(let code): CommandOutput.note("The study's keys could not be renewed (\(code)).")
            }
            if device.json {
                CommandOutput.result([
                    "sent": .number(JSONNumber(report.sent)), "refused": .number(JSONNumber(report.refused)),
                    "remaining": .number(JSONNumber(report.remaining)),
                    "reason": report.reason.map { .string($0) } ?? .null,
                ])
            } else {
                CommandOutput.result("sent \(report.sent), refused \(report.refused), remaining \(report.remaining)")
            }
            if report.remaining > 0 || report.refused > 0 {
                CommandOutput.note("Not all was accepted: \(report.reason ?? "see refused/ in the device's folder").")
                if let failure = await connection.failure { CommandOutput.note(CommandFailure.message(of: failure)) }
                if report.reason == "token-refused" {
                    CommandOutput.note("The study does not know this device: `device enrol` it again. Nothing is lost.")
                }
                throw ExitCode(1)
            }
        }
    }

    package struct Retry: AsyncParsableCommand {
        /// Creates the value with its defaults.
        package init() {}

        package static let configuration = CommandConfiguration(
            commandName: "retry", abstract: "Queue refused submissions again, in their original order.",
            discussion: """
                For use after the study team has corrected the cause of the refusal.

                Example:
                  tributary device retry --store phone && tributary device send --store phone
                """)
        @OptionGroup package var device: Store

        package func run() async throws {
            let retried = try DeviceSession(path: device.store).store.outbox.retryRefused()
            if device.json {
                CommandOutput.result(["retried": .number(JSONNumber(retried))])
            } else {
                CommandOutput.result("queued again: \(retried)")
            }
        }
    }

    package struct Deliveries: AsyncParsableCommand {
        /// Creates the value with its defaults.
        package init() {}

        package static let configuration = CommandConfiguration(
            commandName: "deliveries", abstract: "Show the outcomes of the submissions.",
            discussion: "Example:\n  tributary device deliveries --store phone --json")
        @OptionGroup package var device: Store
        @Option(help: "Only changes after this cursor.") package var after: String?

        package func run() async throws {
            let session = try DeviceSession(path: device.store)
            let connection = try session.connection()
            do {
                try await connection.refreshDeliveries(in: session.store)
            } catch let error as OutboxError {
                // Another process may be writing, or the disk may be full; the list can be shown nevertheless.
                CommandOutput.note("The answer could not be stored with the sent submissions (\(error.code)).")
            }
            let (deliveries, next) = try await Self.all(connection, after: after)
            if device.json {
                CommandOutput.result([
                    "deliveries": .array(
                        deliveries.map { delivery in
                            var row: JSON = [
                                "submission": .string(delivery.submission), "status": .string(delivery.status),
                                "at": .string(delivery.at),
                            ]
                            if let reason = delivery.reason { row["reason"] = .string(reason) }
                            return row
                        }), "next": next.map { .string($0) } ?? .null,
                ])
            } else {
                CommandOutput.table(
                    ["submission", "status", "at", "reason"],
                    deliveries.map { [$0.submission, $0.status, $0.at, $0.reason ?? ""] })
            }
        }

        /// Returns all pages. A submission that changes while the pages are read has its latest state.
        package static func all(
            _ connection: StudyConnection, after: String?
        ) async throws -> (deliveries: [DeliveriesPage.Delivery], next: String?) {
            try await connection.allDeliveries(after: after)
        }
    }
}
