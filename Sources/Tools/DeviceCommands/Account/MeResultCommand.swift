import AccountClient
import ArgumentParser
import FHIR
import Foundation
import ResearchResults

extension MeCommand {
    struct ResultCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "result", abstract: "Save task results and find them again.",
            discussion: """
                Example:
                  tributary me result save --store ann result.json --descriptor sleep
                  tributary me result list --store ann --where 'results.results.scaleAnswer ge 7'
                """,
            subcommands: [Save.self, List.self])

        struct Save: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                commandName: "save", abstract: "Save task results. One with the same taskRunUUID is replaced.",
                discussion: """
                    All files are checked before the first one is sent.

                    Example:
                      tributary me result save --store ann monday.json tuesday.json --descriptor sleep
                    """)
            @OptionGroup var account: AccountOptions
            @Argument(help: "The task results (JSON).") var files: [String]
            @Option(help: "The name of the study.") var descriptor: String?

            func run() async throws {
                let results = try files.map { file in
                    do {
                        return try ResearchResult(CommandInput.file(file), descriptor: descriptor)
                    } catch let error as ResearchResultError {
                        throw CommandError(error.code, "\(file): \(error.message)")
                    }
                }
                let client = try account.client()
                var rows: [(id: String, status: String)] = []
                for result in results { rows.append((result.id, try await client.save(result).rawValue)) }
                account.show(
                    .array(rows.map { ["id": .string($0.id), "status": .string($0.status)] }),
                    lines: rows.map { "\($0.id)  \($0.status)" })
            }
        }

        struct List: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                commandName: "list", abstract: "Show the results that match all filters.",
                discussion: """
                    --where is PATH OP VALUE: a path of member names joined by dots, which passes through arrays; eq, ne,
                    lt, le, gt or ge; a JSON value. It may be given several times. A result that the server cannot read
                    is reported on standard error, and the others are printed.

                    Example:
                      tributary me result list --store ann --descriptor sleep --from 2026-11-01 \
                        --where 'results.results.scaleAnswer ge 7' --json
                    """)
            @OptionGroup var account: AccountOptions
            @Option(help: "The name of the study; an empty one selects results without.") var descriptor: String?
            @Option(help: "The identifier of the task.") var identifier: String?
            @Option(help: "The earliest start, a date or a time.") var from: String?
            @Option(help: "The latest start, a date or a time.") var to: String?
            @Option(name: .customLong("where"), help: "A condition; it may be given several times.") var conditions:
                [String] = []

            func run() async throws {
                let filter = try ResultFilter(
                    descriptor: descriptor, identifier: identifier, from: from, to: to, conditions: conditions)
                let rows = try await account.client().results(matching: filter).all()
                for row in rows {
                    guard let problem = row.problem else { continue }
                    CommandOutput.note("The server cannot read the result \(row.id) [\(problem)].")
                }
                guard !account.json else { return CommandOutput.result(.array(rows.compactMap(\.result))) }
                CommandOutput.table(
                    ["id", "identifier", "start"],
                    rows.compactMap { row in
                        row.result.map {
                            [row.id, $0["identifier"]?.string ?? "", $0["startDate"]?.string ?? ""]
                        }
                    })
            }
        }
    }
}
