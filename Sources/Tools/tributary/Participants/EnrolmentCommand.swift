import Admission
import ArgumentParser
import Consumer
import DeviceCommands
import Enrolments
import FHIR
import Foundation
import InformedConsent
import Storage
import StudyFiles
import TributaryServer

struct EnrolmentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enrolment", abstract: "The enrolled devices and their participants.",
        discussion: "Example:\n  tributary enrolment list study",
        subcommands: [List.self, Show.self, Move.self, Revoke.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the devices.",
            discussion: "Example:\n  tributary enrolment list study --json")
        @OptionGroup var location: StoresLocation
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws { try EnrolmentCommand.show(try await EnrolmentCommand.devices(location), json: json) }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show one device.",
            discussion: "Example:\n  tributary enrolment show study 6f1e...")
        @OptionGroup var location: StoresLocation
        @Argument(help: "The device's id, or its participant's.") var id: String
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let found = try await EnrolmentCommand.devices(location).filter {
                $0.device.id == id || $0.participant == id
            }
            guard !found.isEmpty else { throw CommandError("enrolment-unknown", "There is no such device.") }
            try EnrolmentCommand.show(found, json: json)
        }
    }

    struct Move: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "move", abstract: "Move a participant to a new phone: print a one-time code for them.",
            discussion: """
                The participant signs the consent again on the new phone with the code. That ends the old phone's
                binding.

                Example:
                  tributary enrolment move study --participant P
                  tributary device consent --store new-phone --contract contract.json --answers a.json --name N --code CODE
                """)
        @OptionGroup var location: RecordsLocation
        @Option(parsing: .unconditional, help: "The participant: the id of their Patient.") var participant: String
        @Option(help: "Days until the code expires.") var days = 7
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            guard (1...90).contains(days) else { throw ValidationError("--days must be from 1 to 90.") }
            guard Resource.isID(participant) else {
                throw CommandError("participant-invalid", "A participant is named by the id of their Patient.")
            }
            let secret = try await location.withRecords { records in
                let types = ConsentRegister()
                let isKnown = try await records.read { transaction in
                    try types.state(of: participant, in: transaction).gateState != .none
                }
                guard isKnown else {
                    throw CommandError("participant-unknown", "There is no participant with that id.")
                }
                return try await EnrolmentStore(database: records, clock: { Date() })
                    .issueMoveCode(participant: participant, by: .account, lifetime: Double(days) * 86400)
            }
            guard let code = ParticipantMoveCode(secret: secret, participant: participant) else {
                throw CommandError("move-code-unmade", "The code could not be made.")
            }
            if json {
                CommandOutput.result(["participant": .string(participant), "code": .string(code.text)])
            } else {
                CommandOutput.note("A code for one phone, shown only once; give it to the participant in person:")
                CommandOutput.result(code.text)
            }
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke",
            abstract: "Revoke a device: its tokens and its binding end, and it cannot register again.",
            discussion: "Example:\n  tributary enrolment revoke study 6f1e...")
        @OptionGroup var location: StoresLocation
        @Argument(help: "The device's id.") var id: String
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let participant = try await location.withStores { queue, records in
                let clock: @Sendable () -> Date = { Date() }
                // Access first: data that the device sends from now on is refused.
                guard try await DeviceAccess(database: queue, clock: clock).revoke(enrolment: id) else {
                    throw CommandError("enrolment-unknown", "There is no such device.")
                }
                return try await EnrolmentStore(database: records, clock: clock).endBinding(device: id, by: .account)
            }
            if json {
                CommandOutput.result([
                    "revoked": .string(id), "participant": participant.map { .string($0) } ?? .null,
                ])
            } else {
                CommandOutput.result("revoked \(id)")
            }
        }
    }

    struct Device {
        let device: DeviceEnrolment
        let participant: String?
    }

    static func devices(_ location: StoresLocation) async throws -> [Device] {
        try await location.withStores { queue, records in
            let clock: @Sendable () -> Date = { Date() }
            let bindings = try await EnrolmentStore(database: records, clock: clock).bindings()
            let owners = Dictionary(
                bindings.map { ($0.device, $0.participant) }, uniquingKeysWith: { first, _ in first })
            return try await DeviceAccess(database: queue, clock: clock).enrolments().map {
                Device(device: $0, participant: owners[$0.id])
            }
        }
    }

    static func show(_ devices: [Device], json: Bool) throws {
        func instant(_ date: Date?) -> JSON { date.map { .string(DateTime($0).text) } ?? .null }
        if json {
            CommandOutput.result(
                .array(
                    devices.map {
                        [
                            "device": .string($0.device.id), "participant": $0.participant.map { .string($0) } ?? .null,
                            "since": instant($0.device.since), "lastSeen": instant($0.device.lastSeen),
                            "waiting": .number(JSONNumber($0.device.waiting)), "revoked": instant($0.device.revokedAt),
                        ]
                    }))
        } else {
            CommandOutput.table(
                ["device", "participant", "since", "last seen", "waiting", "revoked"],
                devices.map { row in
                    func text(_ date: Date?) -> String { date.map { DateTime($0, milliseconds: false).text } ?? "-" }
                    return [
                        row.device.id, row.participant ?? "-", text(row.device.since), text(row.device.lastSeen),
                        String(row.device.waiting), text(row.device.revokedAt),
                    ]
                })
        }
    }
}
