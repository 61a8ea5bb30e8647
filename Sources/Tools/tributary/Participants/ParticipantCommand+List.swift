import ArgumentParser
import Consumer
import DeviceCommands
import FHIR
import Foundation
import Storage
import StudyOperations
import TributaryServer

extension ParticipantCommand {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List participants: consent, sharing, devices and counts, no health data.",
            discussion: "Example:\n  tributary participant list study --json")
        @OptionGroup var location: StoresLocation
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let participants = try await location.withStores { queue, records in
                try await StudyParticipants(queue: queue, records: records, actor: .account).all()
            }
            if json {
                CommandOutput.result(.array(participants.map { .object(ParticipantCommand.summary($0)) }))
            } else {
                CommandOutput.table(
                    [
                        "participant", "consent", "sharing", "since", "devices", "records", "facts", "waiting",
                        "quarantined",
                    ],
                    participants.map { person in
                        let status = person.consent.rawValue + (person.suspendedSince == nil ? "" : ", suspended")
                        return [
                            person.id, status, person.sharing.map { $0 ? "yes" : "no" } ?? "-",
                            person.since.map { DateTime($0, milliseconds: false).text } ?? "-",
                            String(person.devices.count { $0.endedAt == nil }),
                            String(person.records.values.reduce(0, +)), String(person.facts), String(person.waiting),
                            String(person.quarantined),
                        ]
                    })
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show one participant: also their devices, and counts by type.",
            discussion: "Example:\n  tributary participant show study P")
        @OptionGroup var location: StoresLocation
        @Argument(help: "The participant: the id of their Patient.") var id: String
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let person = try await location.withStores { queue, records in
                try await StudyParticipants(queue: queue, records: records, actor: .account).participant(id)
            }
            guard json else { return Self.write(person) }
            var object = ParticipantCommand.summary(person)
            object["includes"] = .array(person.includes.map { .string($0) })
            object["lastSeen"] = ParticipantCommand.instant(person.lastSeen)
            object["devices"] = .array(
                person.devices.map { device in
                    [
                        "device": .string(device.device), "since": ParticipantCommand.instant(device.since),
                        "endedAt": ParticipantCommand.instant(device.endedAt),
                    ]
                })
            var types = JSONObject()
            for (type, count) in person.records.sorted(by: { $0.key < $1.key }) {
                types[type] = .number(JSONNumber(count))
            }
            object["types"] = .object(types)
            CommandOutput.result(.object(object))
        }

        /// Prints a participant, one property per line.
        private static func write(_ person: StudyParticipant) {
            func time(_ date: Date?) -> String { date.map { DateTime($0, milliseconds: false).text } ?? "-" }
            func line(_ name: String, _ value: some CustomStringConvertible) {
                CommandOutput.result("\(name): \(value)")
            }
            line("participant", person.id)
            line("consent", person.consent.rawValue)
            line("sharing", person.sharing.map { $0 ? "yes" : "no" } ?? "-")
            line("includes", person.includes.isEmpty ? "-" : person.includes.joined(separator: ", "))
            line("since", time(person.since))
            if let date = person.withdrawnAt { line("withdrawn", time(date)) }
            if let date = person.suspendedSince { line("suspended since", time(date)) }
            line("last seen", time(person.lastSeen))
            for device in person.devices {
                line("device", "\(device.device), \(time(device.since)) to \(device.endedAt.map(time) ?? "now")")
            }
            line("records", person.records.values.reduce(0, +))
            for (type, count) in person.records.sorted(by: { $0.key < $1.key }) { line("  " + type, count) }
            line("facts", "\(person.facts) with \(person.modifiers) modifiers")
            line("waiting", person.waiting)
            line("quarantined", person.quarantined)
        }
    }

    /// Returns the properties in the output of both commands.
    static func summary(_ person: StudyParticipant) -> JSONObject {
        var object = JSONObject()
        object["participant"] = .string(person.id)
        object["consent"] = .string(person.consent.rawValue)
        object["sharing"] = person.sharing.map { .bool($0) } ?? .null
        object["since"] = instant(person.since)
        object["withdrawnAt"] = instant(person.withdrawnAt)
        object["suspendedSince"] = instant(person.suspendedSince)
        object["devices"] = .number(JSONNumber(person.devices.count { $0.endedAt == nil }))
        object["records"] = .number(JSONNumber(person.records.values.reduce(0, +)))
        object["facts"] = .number(JSONNumber(person.facts))
        object["modifiers"] = .number(JSONNumber(person.modifiers))
        object["waiting"] = .number(JSONNumber(person.waiting))
        object["quarantined"] = .number(JSONNumber(person.quarantined))
        return object
    }

    static func instant(_ date: Date?) -> JSON { date.map { .string(DateTime($0).text) } ?? .null }
}
