import ArgumentParser
import Audit
import Core
import DeviceCommands
import DeviceGateway
import Foundation
import Storage
import StudyFiles
import TributaryServer

extension GatewayCommand {
    struct Key: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "key", abstract: "Make a key of a hub, shown only once, as a connection string.",
            discussion: """
                The key permits its holder to post events to the hub; `gateway register` decides about the participants
                of the devices. The hub is created if it does not exist; its earlier keys stay valid.

                Example:
                  tributary gateway key study --hub watches --url https://study.example
                """)
        @OptionGroup var location: RecordsLocation
        @Option(help: "The hub's name, the first part of its path.") var hub: String
        @Option(help: "The public URL of the server: https://HOST, or http:// on this machine.") var url: String
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let hub = try DeviceHub(hub, at: url)
            let secret = try StudyFolder(path: location.dir).makeHubSecret()
            let connection = try await location.withRecords { records in
                try await records.write { try hub.makeKey(from: secret, at: Date(), in: $0) }
            }
            CommandOutput.result(["connection": .string(connection.text)], plain: connection.text, json)
        }
    }

    struct Register: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "register", abstract: "Assign a device to a participant, and process its waiting events.",
            discussion: """
                Makes a Device with the device's id and the participant. From then on, its `patient` decides about the
                participant of the device's events.

                Example:
                  tributary gateway register study --device pump-17 --participant 6f1e...
                """)
        @OptionGroup var location: RecordsLocation
        @Option(parsing: .unconditional, help: "The device's id, as in its events.") var device: String
        @Option(parsing: .unconditional, help: "The participant: the id of their Patient.") var participant: String
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let registration = try DeviceRegistration(device: device, participant: participant)
            try await location.withRecords { records in
                let audit = AuditLog(database: records, clock: { Date() })
                let submission = "devices-register:" + UUID().lowercaseText
                let now = Date()
                try await records.write { transaction in
                    try registration.register(
                        by: .account, audit: audit, submissionID: submission, at: now, in: transaction)
                }
            }
            CommandOutput.result(
                ["device": .string(device), "participant": .string(participant)],
                plain: "The device \(device) belongs to the participant \(participant).", json)
        }
    }

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status", abstract: "Show the status of the events that hubs accepted.",
            discussion: "Example:\n  tributary gateway status study --json")
        @OptionGroup var location: RecordsLocation
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let status = try await location.withRecords { try await $0.read { try GatewayStatus(in: $0) } }
            guard !json else { return CommandOutput.result(status.json) }
            CommandOutput.result(
                "events \(status.messages), readings \(status.measurements), Observations \(status.observations), "
                    + "refused for lack of consent \(status.refused), pending \(status.pending)")
            for (title, events) in [("waiting", status.waiting), ("quarantined", status.quarantined)]
            where !events.isEmpty {
                CommandOutput.result(title)
                CommandOutput.table(
                    ["id", "hub", "device", "code", "received"],
                    events.map { event in
                        [
                            String(event.id), event.hub, event.device ?? "-", event.code,
                            DateTime(event.received, milliseconds: false).text,
                        ]
                    })
            }
        }
    }

    struct Retry: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "retry",
            abstract: "Retry quarantined events, for instance after a change of templates.",
            discussion: "Example:\n  tributary gateway retry study --all\n  tributary gateway retry study 17")
        @OptionGroup var location: RecordsLocation
        @Argument(help: "The event's id from `devices status`.") var id: Int64?
        @Flag(help: "All of them.") var all = false
        @Flag(help: "Print one JSON value.") var json = false

        func validate() throws {
            guard (id == nil) == all else { throw ValidationError("Use either an event's id or --all.") }
        }

        func run() async throws {
            let id = id
            let count = try await location.withRecords { records in
                try await records.write { try GatewayStatus.retry(id, in: $0) }
            }
            CommandOutput.result(
                ["retried": .number(JSONNumber(count))], plain: "retried: \(count)", json)
        }
    }

    struct Templates: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "templates", abstract: "Write templates for the messages that phones send to an event hub.",
            discussion: """
                They cover the types of health data with a single value, and blood pressure. Cumulative values become
                single Observations; values that a watch measures every few seconds become a series of an hour.

                Example:
                  tributary gateway templates -o study/devices
                """)
        @Option(
            name: [.customShort("o"), .customLong("output")], help: "The folder; it is created if it does not exist.")
        var output: String
        @Flag(help: "Replace existing files.") var replace = false

        func run() async throws {
            let folder = URL(fileURLWithPath: output, isDirectory: true)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for (name, json) in [
                ("devicecontent.json", GeneratedTemplates.device()), ("fhirmapping.json", GeneratedTemplates.fhir()),
            ] {
                let path = folder.appendingPathComponent(name).path
                try OutputFile.write(Data((json.text(.pretty) + "\n").utf8), to: path, replaces: replace)
                CommandOutput.result(path)
            }
        }
    }
}

extension CommandOutput {
    /// Prints a JSON value if requested, otherwise a line.
    fileprivate static func result(_ value: JSON, plain: String, _ isJSON: Bool) {
        if isJSON { result(value) } else { result(plain) }
    }
}
