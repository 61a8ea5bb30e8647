import ArgumentParser
import Consumer
import FHIR
import Foundation
import Records
import Storage
import TributaryServer
import Trust

struct StudyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "study", abstract: "Who takes part, and what came.",
        discussion: "Example:\n  tributary study check study\n  tributary study status study",
        subcommands: [Check.self, Status.self, Upgrade.self])

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Participants: consent, last seen, counts by form and stream.",
            discussion: "Example:\n  tributary study status study --json")
        @Argument(help: "The study's folder.") var dir: String
        @Option(help: "The database, if it is not the study's own.") var database: String?
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let folder = StudyFolder(path: dir)
            let study = try folder.configuration()
            let opened = try await StudyStores(folder, database: database).openRecords()
            let participants = try await StudyOverview.participants(in: opened)
            try await opened.close()
            if json {
                CommandOutput.result([
                    "study": .string(study.id), "consented": .number(JSONNumber(participants.count { $0.isConsented })),
                    "withdrawn": .number(JSONNumber(participants.count { $0.isWithdrawn })),
                    "participants": .array(participants.map(StudyCommand.json)),
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
            }
        }
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
