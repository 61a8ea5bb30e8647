import ArgumentParser
import FHIR
import Foundation
import TributaryServer
import Trust

struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Tokens for the study team.",
        discussion: "Example:\n  tributary token create study --role staff", subcommands: [Create.self])

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a bearer token, shown this once.",
            discussion: """
                Example:
                  TOKEN=$(tributary token create study --role staff)
                  curl -H "Authorization: Bearer $TOKEN" http://127.0.0.1:8080/fhir/Observation
                """)
        enum TokenRole: String, ExpressibleByArgument, CaseIterable { case staff }
        @Argument(help: "The study's folder.") var dir: String
        @Option(help: "What the token may do: staff reads records.") var role: TokenRole
        @Option(help: "Whose token it is, for the audit.") var name: String?
        @Option(help: "Days until it ends.") var days = 365
        @Option(help: "The database, if it is not the study's own.") var database: String?
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let folder = StudyFolder(path: dir)
            _ = try folder.configuration()
            guard days > 0 else { throw ValidationError("--days must be at least 1.") }
            let database = try await StudyDatabase.open(folder, url: database)
            let access = AccessControl(database: database, clock: { Date() })
            let token = try await access.createStaffToken(name: name, lifetime: Double(days) * 86400)
            try await database.close()
            if json {
                CommandOutput.result(["token": .string(token), "role": .string(role.rawValue)])
            } else {
                CommandOutput.result(token)
            }
        }
    }
}
