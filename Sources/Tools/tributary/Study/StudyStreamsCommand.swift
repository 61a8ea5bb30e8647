import ArgumentParser
import Core
import DeviceCommands
import FHIR
import Foundation
import StudyFiles
import StudyOperations

extension StudyCommand {
    struct Streams: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "streams",
            abstract: "Show the streams of health data from phones, and the silent ones.",
            discussion: """
                Shows the streams of active participants. Expectations are in health-sync.json (`expectHours`); for
                other types, --silent-after sets the hours after which a stream is silent. First and last refer to all
                data ever received, the count to the stored data.

                Example:
                  tributary study streams study
                  tributary study streams study --silent-after 48 --json
                """)
        @Argument(help: "The study's folder.") var dir: String
        @Option(help: "The records' database, if it is not the study's own.") var database: String?
        @Option(help: "The hours after which a stream without its own expectation is silent.")
        var silentAfter: Int?
        @Flag(help: "Print one JSON value.") var json = false

        func validate() throws {
            guard (silentAfter ?? 1) > 0 else { throw ValidationError("--silent-after is at least 1.") }
        }

        func run() async throws {
            let folder = StudyFolder(path: dir)
            let settings = try folder.healthSync()
            let (hours, stores) = (silentAfter, try StudyStores(folder, database: database))
            let streams = try await stores.withRecords { records in
                try await StudyStreams.all(in: records, settings: settings, silentAfter: hours, actor: .account)
            }
            if json {
                CommandOutput.result(.array(streams.map(Self.json)))
                return
            }
            CommandOutput.table(
                ["participant", "stream", "first", "last", "received", "count", "state"],
                streams.map { stream in
                    [
                        stream.participant, stream.stream, Self.text(stream.first) ?? "-",
                        Self.text(stream.last) ?? "-", Self.text(stream.received) ?? "-", String(stream.count),
                        stream.state.rawValue,
                    ]
                })
            for hint in Set(streams.compactMap(\.hint)).sorted() { CommandOutput.result(hint) }
        }

        private static func text(_ date: Date?) -> String? { date.map { DateTime($0, milliseconds: false).text } }

        private static func json(_ stream: StudyStream) -> JSON {
            func time(_ date: Date?) -> JSON { text(date).map { .string($0) } ?? .null }
            return [
                "participant": .string(stream.participant), "stream": .string(stream.stream),
                "first": time(stream.first), "last": time(stream.last), "received": time(stream.received),
                "count": .number(JSONNumber(stream.count)), "state": .string(stream.state.rawValue),
                "hint": stream.hint.map { .string($0) } ?? .null,
            ]
        }
    }
}
