import AccessPolicy
import ArgumentParser
import DeviceCommands
import FHIR
import Foundation
import Identity
import StudyFiles
import TributaryServer

struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Tokens for the study team, and for programs that read records.",
        discussion: "Example:\n  tributary token create study --role staff",
        subcommands: [Create.self, List.self, Revoke.self])

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create", abstract: "Make a bearer token, shown only once.",
            discussion: """
                Example:
                  TOKEN=$(tributary token create study --role staff)
                  curl -H "Authorization: Bearer $TOKEN" http://127.0.0.1:8080/fhir/Observation
                  tributary token create study --scope 'patient/Observation.rs' --patient 6f1e... --minutes 30
                """)
        enum TokenRole: String, ExpressibleByArgument, CaseIterable { case staff }
        @OptionGroup var location: RecordsLocation
        @Option(help: "What the token may do: staff reads records.") var role: TokenRole?
        @Option(help: "What the token may do, as SMART scopes separated by spaces; instead of --role.") var scope:
            String?
        @Option(help: "A patient whose records a token with --scope reaches; repeatable. Without one, all patients.")
        var patient: [String] = []
        @Option(help: "Minutes until a token with --scope expires; 60 by default.") var minutes: Int?
        @Option(parsing: .unconditional, help: "The owner of the token, for the audit.") var name: String?
        @Option(help: "Days until a token with --role expires; 365 by default.") var days: Int?
        @Flag(help: "Print one JSON value.") var json = false

        private static let maximumMinutes = 60 * 24 * 366
        private static let maximumPatients = 10_000

        func validate() throws {
            guard (role == nil) != (scope == nil) else { throw ValidationError("Use either --role or --scope.") }
            guard role == nil || (patient.isEmpty && minutes == nil) else {
                throw ValidationError("--patient and --minutes go with --scope.")
            }
            guard scope == nil || days == nil else { throw ValidationError("--days goes with --role.") }
            guard days ?? 1 > 0 else { throw ValidationError("--days must be at least 1.") }
            guard 1...Self.maximumMinutes ~= minutes ?? 1 else {
                throw ValidationError("--minutes must be from 1 to \(Self.maximumMinutes).")
            }
            guard patient.count <= Self.maximumPatients, patient.allSatisfy({ Resource.isID($0) }) else {
                throw ValidationError("--patient takes the id of a Patient, at most \(Self.maximumPatients) times.")
            }
        }

        func run() async throws {
            let token = try await location.withAccess { access in
                guard let scope else {
                    return try await access.tokens.createStaffToken(
                        name: name, lifetime: Double(days ?? 365) * 86400, by: .account)
                }
                return try await access.tokens.createToken(
                    scopes: AccessScopes(scope), patients: patient.isEmpty ? .all : .only(Set(patient)), name: name,
                    lifetime: Double(minutes ?? 60) * 60, by: .account)
            }
            guard json else { return CommandOutput.result(token) }
            let kind: (String, String) = role.map { ("role", $0.rawValue) } ?? ("scope", scope ?? "")
            CommandOutput.result(
                JSON([.init(key: "token", value: .string(token)), .init(key: kind.0, value: .string(kind.1))]))
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the tokens, without secrets.",
            discussion: "Example:\n  tributary token list study")
        @OptionGroup var location: RecordsLocation
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let tokens = try await location.withAccess { try await $0.tokens.staffTokens() }
            func instant(_ date: Date?) -> JSON { date.map { .string(DateTime($0).text) } ?? .null }
            if json {
                CommandOutput.result(
                    .array(
                        tokens.map {
                            [
                                "id": .string($0.id), "name": $0.name.map { .string($0) } ?? .null,
                                "scope": $0.scopes.map { .string($0) } ?? .null,
                                "created": instant($0.createdAt), "expires": instant($0.expiresAt),
                                "revoked": instant($0.revokedAt),
                            ]
                        }))
            } else {
                CommandOutput.table(
                    ["id", "name", "created", "expires", "revoked", "scope"],
                    tokens.map { token in
                        [token.id, token.name ?? "-"]
                            + [token.createdAt, token.expiresAt, token.revokedAt].map { date in
                                date.map { DateTime($0, milliseconds: false).text } ?? "-"
                            } + [token.scopes ?? "staff"]
                    })
            }
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke", abstract: "End a token.",
            discussion: "Example:\n  tributary token revoke study 6f1e...")
        @OptionGroup var location: RecordsLocation
        @Argument(help: "The token's id from `token list`.") var id: String
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let done = try await location.withAccess { try await $0.tokens.revokeStaffToken(id: id, by: .account) }
            guard done else { throw CommandError("token-unknown", "There is no token with that id.") }
            if json { CommandOutput.result(["revoked": .string(id)]) } else { CommandOutput.result("revoked \(id)") }
        }
    }
}
