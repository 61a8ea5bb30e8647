import ArgumentParser
import Core
import FHIR
import Foundation
import TributaryServer

extension StudyCommand {
    struct Streams: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "streams",
            abstract: "What phones send of each type of health data, and which streams are silent.",
            discussion: """
                Shown is who takes part. What is expected stands in health-sync.json (`expectHours`); of other types a stream is
                silent after so many hours as are said here. First and last are of all that ever came, the count is of what is
                there.

                Example:
                  tributary study streams study
                  tributary study streams study --silent-after 48 --json
                """)
        @Argument(help: "The study's folder.") var dir: String
        @Option(help: "The records' database, if it is not the study's own.") var database: String?
        @Option(help: "The hours after which a stream of which nothing else is expected is silent.")
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
