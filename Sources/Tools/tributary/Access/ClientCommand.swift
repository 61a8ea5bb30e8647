import AccessPolicy
import ArgumentParser
import DeviceCommands
import FHIR
import Foundation
import Identity
import Permissions
import StudyFiles
import TributaryServer
import Wire

struct ClientCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "client",
        abstract: "Apps and servers that may request access by SMART on FHIR, and apps on devices.",
        discussion: """
            Example:
              tributary client create study --name "Sleep diary" --public --redirect-uri https://app.example/callback \\
                  --scope 'launch/patient openid fhirUser patient/*.rs'
            """,
        subcommands: [Create.self, List.self, Revoke.self])

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create", abstract: "Register a client; a secret is shown only once.",
            discussion: """
                Example:
                  tributary client create study --name "Sleep diary" --public \\
                      --redirect-uri https://app.example/callback --scope 'launch/patient patient/*.rs'
                  tributary client create study --name "Hospital" --jwks keys.json --scope 'system/*.rs'
                """)
        @OptionGroup var location: RecordsLocation
        @Option(parsing: .unconditional, help: "Its name, which people see when they grant access.") var name: String
        @Flag(name: .customLong("public"), help: "It has no secret: an app on a phone or in a browser.")
        var isPublic = false
        @Flag(name: .customLong("secret"), help: "It authenticates by a secret, which is made and shown.")
        var hasSecret = false
        @Option(help: "It authenticates by its keys: a file with their JWK set.") var jwks: String?
        @Option(help: "It authenticates by its keys: the https address of their JWK set.") var jwksURL: String?
        @Option(help: "The exact address of the redirect after sign-in; repeatable.") var redirectURI: [String] = []
        @Option(help: "The maximum scopes, as SMART scopes separated by spaces.") var scope: String
        @Flag(help: "Print one JSON value.") var json = false

        func validate() throws {
            guard [isPublic, hasSecret, jwks != nil, jwksURL != nil].filter({ $0 }).count == 1 else {
                throw ValidationError("Use exactly one of --public, --secret, --jwks and --jwks-url.")
            }
        }

        func run() async throws {
            let proof: RegisteredClient.Proof =
                if let jwks {
                    .keySet(try CommandInput.file(jwks))
                } else if let jwksURL {
                    .keySetURL(jwksURL)
                } else {
                    isPublic ? .none : .secret
                }
            let study = try StudyFolder(path: location.dir).configuration()
            let new = NewClient(name: name, proof: proof, redirectURIs: redirectURI, scopes: try AccessScopes(scope))
            let made = try await location.withAccess {
                try await $0.clients.createClient(new, allowingLoopback: study.development, by: .account)
            }
            var members: [JSONObject.Member] = [.init(key: "client_id", value: .string(made.client.id))]
            if let secret = made.secret { members.append(.init(key: "client_secret", value: .string(secret))) }
            if json { return CommandOutput.result(JSON(members)) }
            for member in members { CommandOutput.result("\(member.key) \(member.value.string ?? "")") }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the clients, without secrets.",
            discussion: "Example:\n  tributary client list study")
        @OptionGroup var location: RecordsLocation
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let clients = try await location.withAccess { try await $0.clients.all() }
            if json {
                func instant(_ date: Date?) -> JSON { date.map { .string(DateTime($0).text) } ?? .null }
                return CommandOutput.result(
                    .array(
                        clients.map { client in
                            [
                                "client_id": .string(client.id), "name": .string(client.name),
                                "proof": .string(client.proof.name),
                                "jwks_uri": client.keySetURL.map { .string($0) } ?? .null,
                                "redirect_uris": .array(client.redirectURIs.map { .string($0) }),
                                "scope": .string(client.scopes.text), "created": instant(client.createdAt),
                                "revoked": instant(client.revokedAt),
                            ]
                        }))
            }
            CommandOutput.table(
                ["client_id", "name", "proof", "created", "revoked", "scope"],
                clients.map { client in
                    [client.id, client.name, client.proof.name]
                        + [client.createdAt, client.revokedAt].map { date in
                            date.map { DateTime($0, milliseconds: false).text } ?? "-"
                        } + [client.scopes.text]
                })
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke", abstract: "Revoke a client, with all its access.",
            discussion: "Example:\n  tributary client revoke study 6f1e...")
        @OptionGroup var location: RecordsLocation
        @Argument(help: "The client's id, as `client list` shows it.") var id: String
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let done = try await location.withAccess { access in
                // The end of an app on a device also ends its permissions.
                if let csi = CsiGuid(id), try await CsiStore(audit: access.audit).end(csi, by: .account) { return true }
                return try await access.clients.revokeClient(id: id, by: .account)
            }
            guard done else { throw CommandError("client-unknown", "There is no client with that id.") }
            if json { CommandOutput.result(["revoked": .string(id)]) } else { CommandOutput.result("revoked \(id)") }
        }
    }
}
