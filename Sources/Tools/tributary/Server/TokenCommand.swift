import ArgumentParser
import FHIR
import Foundation
import TributaryServer
import Trust

struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Tokens for the study team.",
        discussion: "Example:\n  tributary token create study --role staff",
        subcommands: [Create.self, List.self, Revoke.self])

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create", abstract: "Make a bearer token, shown this once.",
            discussion: """
                Example:
                  TOKEN=$(tributary token create study --role staff)
                  curl -H "Authorization: Bearer $TOKEN" http://127.0.0.1:8080/fhir/Observation
                """)
        enum TokenRole: String, ExpressibleByArgument, CaseIterable { case staff }
        @OptionGroup var location: RecordsLocation
        @Option(help: "What the token may do: staff reads records.") var role: TokenRole
        @Option(parsing: .unconditional, help: "Whose token it is, for the audit.") var name: String?
        @Option(help: "Days until it ends.") var days = 365
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            guard days > 0 else { throw ValidationError("--days must be at least 1.") }
            let token = try await location.withAccess { access in
                try await access.createStaffToken(name: name, lifetime: Double(days) * 86400, by: .account)
            }
            if json {
                CommandOutput.result(["token": .string(token), "role": .string(role.rawValue)])
            } else {
                CommandOutput.result(token)
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the tokens; nothing secret is shown.",
            discussion: "Example:\n  tributary token list study")
        @OptionGroup var location: RecordsLocation
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let tokens = try await location.withAccess { try await $0.staffTokens() }
            func instant(_ date: Date?) -> JSON { date.map { .string(DateTime($0).text) } ?? .null }
            if json {
                CommandOutput.result(
                    .array(
                        tokens.map {
                            [
                                "id": .string($0.id), "name": $0.name.map { .string($0) } ?? .null,
                                "created": instant($0.createdAt), "expires": instant($0.expiresAt),
                                "revoked": instant($0.revokedAt),
                            ]
                        }))
            } else {
                CommandOutput.table(
                    ["id", "name", "created", "expires", "revoked"],
                    tokens.map { token in
                        [token.id, token.name ?? "-"]
                            + [token.createdAt, token.expiresAt, token.revokedAt].map { date in
                                date.map { DateTime($0, milliseconds: false).text } ?? "-"
                            }
                    })
            }
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke", abstract: "End a token.",
            discussion: "Example:\n  tributary token revoke study 6f1e...")
        @OptionGroup var location: RecordsLocation
        @Argument(help: "The token's id, as `token list` shows it.") var id: String
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let done = try await location.withAccess { try await $0.revokeStaffToken(id: id, by: .account) }
            guard done else { throw CommandError("token-unknown", "There is no token of that id.") }
            if json { CommandOutput.result(["revoked": .string(id)]) } else { CommandOutput.result("revoked \(id)") }
        }
    }
}
