import ArgumentParser
import FHIR
import Foundation
import Wallet
import Wire

/// An app that asks a wallet for a permission: what an app does with `Wallet`.
package struct DappCommand: AsyncParsableCommand {
    /// Creates the value with its defaults.
    package init() {}

    package static let configuration = CommandConfiguration(
        commandName: "dapp",
        abstract: "Act as an app that asks a person's wallet for a permission, with the library of an app.",
        discussion: """
            The folder has the key and the state of the app. A message is a URL, which the system passes between wallet and
            app; here the person copies it. The app asks the server for its permissions: a message proves nothing.

            Example:
              tributary dapp register --store steps --url http://127.0.0.1:8080 --scheme steps --name Steps \
                --scope 'patient/Observation.read'
              tributary dapp open --store steps 'steps://?UniqueIdentifier=DEVICE&wcsi=GUID&state=STATE'
              tributary dapp token --store steps
            """,
        subcommands: [Register.self, Open.self, Grant.self, Given.self, Received.self, Token.self])

    struct Register: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "register", abstract: "Register an app, or ask the wallet for the device first.",
            discussion: """
                With --device the app is registered, and the URL asks the wallet for a permission. Without it the URL asks
                the wallet for the id of the device, and `dapp open` of the answer registers the app. A registered app asks
                for a permission again.

                Example:
                  tributary dapp register --store steps --url http://127.0.0.1:8080 --scheme steps --name Steps --json
                """)
        @OptionGroup var app: WalletOptions
        @OptionGroup var address: WalletServerOptions
        @Option(help: "The URL scheme of the app.") var scheme: String
        @Option(help: "The name of the app, which the wallet shows.") var name: String
        @Option(parsing: .unconditional, help: "The access that the app wants, such as 'patient/*.read conf/N'.")
        var scope: String?
        @Option(parsing: .unconditional, help: "The device id of the wallet.") var device: String?

        func run() async throws {
            let server = try address.server()
            guard let scheme = AppScheme(scheme) else {
                throw ValidationError("--scheme takes a scheme of the app's own, such as steps.")
            }
            let scope = try self.scope.map { try PermissionScope(requested: $0) }
            let description = StoredApp.Description(name: name, scheme: scheme, scope: scope)
            let stored = StoredApp(client: try app.client(of: server))
            let result = try await stored.register(description, deviceID: device)
            app.show(result.csi == nil ? ["open": result.open.walletJSON] : result.json, lines: result.lines(of: "csi"))
        }
    }

    struct Open: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "open", abstract: "Read a message of the wallet, and ask the server for the permissions.",
            discussion: """
                The answer of the wallet to the first message registers the app; then the output contains a URL that asks
                the wallet for a permission. A message that the app does not expect changes nothing.

                Example:
                  tributary dapp open --store steps 'steps://?dpermissionshared=true&state=STATE' --json
                """)
        @OptionGroup var app: WalletOptions
        @Argument(help: "The URL of the message.") var url: String

        func run() async throws {
            let report = try await app.app().open(url)
            var json: JSON = [
                "state": .string(report.phase.rawValue), "permissions": .array(report.permissions.map(\.json)),
            ]
            if let open = report.open { json["open"] = .string(open) }
            guard !app.json else { return CommandOutput.result(json) }
            CommandOutput.result("state  \(report.phase.rawValue)")
            if let open = report.open { CommandOutput.result("open   \(open)") }
            if !report.permissions.isEmpty { app.show(report.permissions) }
        }
    }

    struct Grant: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "grant", abstract: "Pass a permission on to the app of a provider or caregiver.",
            discussion: """
                The app needs a permission with write access from a wallet. The new permission is within it in each
                respect, ends with it, and cannot be passed on again. By default it is for reading of all types, with
                confidentiality N and no sensitive records, for 30 days or until the permission of the wallet ends. The
                site assigns the role of the other app by `csi role`.

                Example:
                  tributary dapp grant --store steps GUID --resource Observation --until 2026-12-31
                """)
        @OptionGroup var app: WalletOptions
        @Argument(help: "The guid of the other app.") var guid: String
        @OptionGroup var terms: PermissionOptions

        func run() async throws {
            let (csi, choice) = (try WalletArguments.guid(guid), try terms.choice())
            let id = try await app.app().grant(choice, to: csi)
            // No message names the scheme of the other app.
            app.show(["permissionId": .string(id), "answer": .null], lines: ["permission  \(id)"])
        }
    }

    struct Given: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "given", abstract: "List the active permissions that the app passed on.",
            discussion: "Example:\n  tributary dapp given --store steps --json")
        @OptionGroup var app: WalletOptions

        func run() async throws {
            let permissions = try await app.app().given()
            app.show(permissions)
        }
    }

    struct Received: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "received", abstract: "List the active permissions that the app received.",
            discussion: "Example:\n  tributary dapp received --store steps --json")
        @OptionGroup var app: WalletOptions

        func run() async throws {
            let permissions = try await app.app().received()
            app.show(permissions)
        }
    }

    struct Token: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "token", abstract: "Request an access token for the permissions in force, and print it.",
            discussion: """
                A token is valid for five minutes or less, and only while its permissions last. Without --scope it carries
                all access that the app has.

                Example:
                  tributary dapp token --store steps --scope 'patient/Observation.rs'
                """)
        @OptionGroup var app: WalletOptions
        @Option(parsing: .unconditional, help: "The requested scope.") var scope: String?

        func run() async throws {
            let token = try await app.app().token(scope: scope)
            var json: JSON = [
                "access_token": .string(token.accessToken), "token_type": .string(token.tokenType),
                "scope": token.scope.walletJSON,
            ]
            if let seconds = token.expiresIn { json["expires_in"] = .number(JSONNumber(seconds)) }
            app.show(json, lines: [token.accessToken])
        }
    }
}
