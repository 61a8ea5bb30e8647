import ArgumentParser
import Core
import DeviceGateway
import Foundation
import Storage
import TributaryServer
import Trust

extension DevicesCommand {
    struct Key: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "key", abstract: "Make a key of a hub, shown this once as a connection string.",
            discussion: """
                Whoever has it may post events to the hub; whose they are is what `devices register` says of their devices.
                The hub is made where there is none; earlier keys of it stay.

                Example:
                  tributary devices key study --hub watches --url https://study.example
                """)
        @OptionGroup var location: RecordsLocation
        @Option(help: "The hub's name, the first part of its path.") var hub: String
        @Option(help: "Where others reach the server: https://HOST, or http:// on this machine.") var url: String
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
            commandName: "register", abstract: "Say which participant a device is of, and take in what waits of it.",
            discussion: """
                Makes a Device with the device's id and the participant. Its `patient` says from then on whose the device's
                events are.

                Example:
                  tributary devices register study --device pump-17 --participant 6f1e...
                """)
        @OptionGroup var location: RecordsLocation
        @Option(parsing: .unconditional, help: "The device's id, as its events have it.") var device: String
        @Option(parsing: .unconditional, help: "The participant: the id of their Patient.") var participant: String
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let registration = try DeviceRegistration(device: device, participant: participant)
            try await location.withRecords { records in
                let access = AccessControl(database: records, clock: { Date() })
                let submission = "devices-register:" + UUID().lowercaseText
                let now = Date()
                try await records.write { transaction in
                    try registration.register(
                        by: .account, access: access, submissionID: submission, at: now, in: transaction)
                }
            }
            CommandOutput.result(
                ["device": .string(device), "participant": .string(participant)],
                plain: "The device \(device) is of the participant \(participant).", json)
        }
    }

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status", abstract: "Show what became of the events that hubs took.",
            discussion: "Example:\n  tributary devices status study --json")
        @OptionGroup var location: RecordsLocation
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let status = try await location.withRecords { try await $0.read { try GatewayStatus(in: $0) } }
            guard !json else { return CommandOutput.result(status.json) }
            CommandOutput.result(
                "events \(status.messages), readings \(status.measurements), Observations \(status.observations), "
                    + "not let in by a consent \(status.refused), to be worked on \(status.pending)")
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
            abstract: "Have events that are set aside tried again, as after a change of templates.",
            discussion: "Example:\n  tributary devices retry study --all\n  tributary devices retry study 17")
        @OptionGroup var location: RecordsLocation
        @Argument(help: "The event's id, as `devices status` shows it.") var id: Int64?
        @Flag(help: "All of them.") var all = false
        @Flag(help: "Print one JSON value.") var json = false

        func validate() throws {
            guard (id == nil) == all else { throw ValidationError("Say either an event's id or --all.") }
        }

        func run() async throws {
            let id = id
            let count = try await location.withRecords { records in
                try await records.write { try GatewayStatus.retry(id, in: $0) }
            }
            CommandOutput.result(
                ["retried": .number(JSONNumber(count))], plain: "tried again: \(count)", json)
        }
    }

    struct Templates: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "templates", abstract: "Write templates for what phones send to an event hub.",
            discussion: """
                They cover the types of health data that have a single value, and blood pressure. What adds up stays single;
                what a watch measures every few seconds becomes a series of an hour.

                Example:
                  tributary devices templates -o study/devices
                """)
        @Option(
            name: [.customShort("o"), .customLong("output")], help: "The folder; it is made where it is not there.")
        var output: String
        @Flag(help: "Replace files that are there.") var replace = false

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
    /// Prints one JSON value where that was asked for, else a line.
    fileprivate static func result(_ value: JSON, plain: String, _ isJSON: Bool) {
        if isJSON { result(value) } else { result(plain) }
    }
}
