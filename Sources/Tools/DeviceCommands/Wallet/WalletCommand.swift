import ArgumentParser
import FHIR
import Foundation
import Wallet
import Wire

/// The wallet of a person: what a wallet app does with `Wallet`.
package struct WalletCommand: AsyncParsableCommand {
    /// Creates the value with its defaults.
    package init() {}

    package static let configuration = CommandConfiguration(
        commandName: "wallet",
        abstract: "Act as a person's wallet, with the library of a wallet app.",
        discussion: """
            The folder has the key and the state of the wallet. A message is a URL, which the system passes between wallet
            and app; here the person copies it. A message grants nothing.

            Example:
              tributary wallet register --store ann --url http://127.0.0.1:8080 --code CODE
              tributary wallet open --store ann 'FBlocksCSA://?scheme=steps&state=STATE'
              tributary wallet grant --store ann GUID --resource Observation --until 2026-12-31
              tributary wallet revoke --store ann GUID
            """,
        subcommands: [
            Register.self, Open.self, Grant.self, Reject.self, Apps.self, Given.self, Received.self, History.self,
            Revoke.self, RotateKey.self,
        ])

    struct Register: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "register", abstract: "Register a wallet, and bind it to a Patient by a code.",
            discussion: """
                The code is that of `wallet-code create`, or of the person's page. Without it the wallet cannot grant
                anything; register again with a code to bind it. Claims are a JSON object with DateofBirth, FirstName,
                MiddleName, LastName and Gender; a study accepts values if it has identified records.

                Example:
                  tributary wallet register --store ann --url http://127.0.0.1:8080 --code CODE --json
                """)
        @OptionGroup var wallet: WalletOptions
        @OptionGroup var address: WalletServerOptions
        @Option(parsing: .unconditional, help: "The one-time code.") var code: String?
        @Option(help: "A file with claims about the person (JSON), - for standard input.") var claims: String?

        func run() async throws {
            let server = try address.server()
            let claims = try self.claims.map { try PublicClaims(written: CommandInput.json($0)) } ?? PublicClaims()
            let stored = StoredWallet(client: try wallet.client(of: server))
            let result = try await stored.register(claims: claims, code: code)
            wallet.show(result.json, lines: result.lines(of: "csi"))
        }
    }

    struct Open: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "open", abstract: "Read a message of an app: answer it, or show the request.",
            discussion: """
                A request is stored until `wallet grant` or `wallet reject`. It grants nothing. The name is the one that
                the server reports; the name in a message would prove nothing.

                Example:
                  tributary wallet open --store ann 'FBlocksCSA://?scheme=steps&state=STATE' --json
                """)
        @OptionGroup var wallet: WalletOptions
        @Argument(help: "The URL of the message.") var url: String

        func run() async throws {
            switch try await wallet.wallet().open(url) {
            case .answer(let answer):
                wallet.show(
                    ["answer": answer.walletJSON],
                    lines: [answer ?? "The wallet is not registered: it answers after its registration."])
            case .request(let app):
                let scope = app.request?.scope?.requestText
                wallet.show(
                    [
                        "request": [
                            "csiGuid": .string(app.csi.text), "name": app.name.walletJSON, "scope": scope.walletJSON,
                        ]
                    ],
                    lines: [
                        "app    \(app.csi.text)", "name   \(app.name ?? "(the server reports none)")",
                        "wants  \(scope ?? "(you decide)")",
                    ])
            }
        }
    }

    struct Grant: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "grant", abstract: "Give an app a permission.",
            discussion: """
                Defaults: the access that the app requested; without a request reading of all types, confidentiality N and
                no sensitive records. The permission begins now and lasts 30 days. The answer is a URL for the app.

                Example:
                  tributary wallet grant --store ann GUID
                  tributary wallet grant --store ann GUID --access write --resource Observation,Patient \
                    --confidentiality R --sensitivity ETH,SOC --until 2026-12-31 --json
                """)
        @OptionGroup var wallet: WalletOptions
        @Argument(help: "The guid of the app.") var guid: String
        @OptionGroup var terms: PermissionOptions

        func run() async throws {
            let (csi, choice) = (try WalletArguments.guid(guid), try terms.choice())
            let decision = try await wallet.wallet().grant(choice, to: csi)
            wallet.show(
                ["permissionId": .string(decision.permission), "answer": decision.answer.walletJSON],
                lines: ["permission  \(decision.permission)"]
                    + (decision.answer.map { ["answer      \($0)"] } ?? []))
        }
    }

    struct Reject: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "reject", abstract: "Refuse the request of an app.",
            discussion: """
                A permission that was given before stays; `wallet revoke` ends it.

                Example:
                  tributary wallet reject --store ann GUID
                """)
        @OptionGroup var wallet: WalletOptions
        @Argument(help: "The guid of the app.") var guid: String

        func run() async throws {
            let csi = try WalletArguments.guid(guid)
            let answer = try await wallet.wallet().reject(csi)
            wallet.show(["answer": answer.walletJSON], lines: [answer ?? "The request is refused."])
        }
    }
}
