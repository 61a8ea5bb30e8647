import ArgumentParser
import Consumer
import DeviceCommands
import FHIR
import Foundation
import Storage
import StudyFiles
import StudyOperations
import TributaryServer

struct StudyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "study", abstract: "The study: its files, participants, devices and stores.",
        discussion: """
            Example:
              tributary study check study
              tributary study status study
              tributary study storage study
            """,
        subcommands: [Check.self, Status.self, Streams.self, StorageSize.self, Move.self, Schema.self])

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status",
            abstract: "Participants: consent, last seen, counts by form and stream; missing and waiting messages.",
            discussion: """
                Missing messages are numbers of a device that were never received, although a later one was; for signed
                messages, those that the chain of signatures lacks. A fork is two messages with one position: the phone
                was restored from an older state, or its key is used by two devices.

                Example:
                  tributary study status study --json
                """)
        @Argument(help: "The study's folder.") var dir: String
        @Option(help: "The database, if it is not the study's own.") var database: String?
        @Option(help: "The queue's database, if it is not the study's own.") var queue: String?
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let folder = StudyFolder(path: dir)
            let study = try folder.configuration()
            let stores = try StudyStores(folder, queue: queue, database: database)
            let (participants, devices) = try await stores.withBoth { queue, records in
                (
                    try await StudyOverview.participants(in: records),
                    try await StudyOverview.devices(queue: queue, records: records)
                )
            }
            if json {
                CommandOutput.result([
                    "study": .string(study.id), "consented": .number(JSONNumber(participants.count { $0.isConsented })),
                    "withdrawn": .number(JSONNumber(participants.count { $0.isWithdrawn })),
                    "participants": .array(participants.map(StudyCommand.json)),
                    "devices": .array(devices.map(StudyCommand.json)),
                ])
            } else {
                CommandOutput.table(
                    ["participant", "consent", "since", "last seen", "forms", "streams"],
                    participants.map { person in
                        [
                            person.id, person.suspendedSince == nil ? person.consent : person.consent + ", suspended",
                            person.since.map { DateTime($0, milliseconds: false).text } ?? "-",
                            person.lastSeen.map { DateTime($0, milliseconds: false).text } ?? "-",
                            String(person.forms.values.reduce(0, +)), String(person.streams.values.reduce(0, +)),
                        ]
                    })
                guard !devices.isEmpty else { return }
                CommandOutput.result("")
                CommandOutput.table(
                    ["device", "participant", "never came", "forks", "waiting"],
                    devices.map { device in
                        [
                            device.id, device.participant ?? "-",
                            device.missing.map { $0.from == $0.to ? "\($0.from)" : "\($0.from)-\($0.to)" }
                                .joined(separator: " "),
                            device.forks.map { $0.map(String.init).joined(separator: "/") }.joined(separator: " "),
                            device.waiting.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
                                .joined(separator: ", "),
                        ]
                    })
            }
        }
    }

    static func json(_ device: StudyOverview.Device) -> JSON {
        let missing = device.missing.map { hole -> JSON in
            [
                "from": .number(JSONNumber(hole.from)), "to": .number(JSONNumber(hole.to)),
                "since": .string(DateTime(hole.since).text),
            ]
        }
        var waiting = JSONObject()
        for (reason, count) in device.waiting.sorted(by: { $0.key < $1.key }) {
            waiting[reason] = .number(JSONNumber(count))
        }
        return [
            "device": .string(device.id), "participant": device.participant.map { .string($0) } ?? .null,
            "missing": .array(missing),
            "forks": .array(device.forks.map { .array($0.map { .number(JSONNumber($0)) }) }),
            "waiting": .object(waiting),
        ]
    }

    static func json(_ person: StudyOverview.Participant) -> JSON {
        func counts(_ values: [String: Int]) -> JSON {
            var object = JSONObject()
            for (name, count) in values.sorted(by: { $0.key < $1.key }) { object[name] = .number(JSONNumber(count)) }
            return .object(object)
        }
        func instant(_ date: Date?) -> JSON { date.map { .string(DateTime($0).text) } ?? .null }
        return [
            "participant": .string(person.id), "consent": .string(person.consent), "since": instant(person.since),
            "withdrawnAt": instant(person.withdrawnAt), "suspendedSince": instant(person.suspendedSince),
            "lastSeen": instant(person.lastSeen),
            "forms": counts(person.forms), "streams": counts(person.streams),
        ]
    }
}
