import ArgumentParser
import FHIR
import Foundation
import Wallet
import Wire

extension WalletCommand {
    struct Apps: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "apps", abstract: "List the apps that asked the wallet or have a permission.",
            discussion: "Example:\n  tributary wallet apps --store ann --json")
        @OptionGroup var wallet: WalletOptions

        func run() async throws {
            let apps = try await wallet.wallet().apps()
            guard !wallet.json else {
                return CommandOutput.result([
                    "apps": .array(
                        apps.map { app in
                            [
                                "csiGuid": .string(app.csi.text), "name": app.name.walletJSON,
                                "state": .string(app.phase.rawValue),
                                "scope": (app.request?.scope?.requestText).walletJSON,
                            ]
                        })
                ])
            }
            guard !apps.isEmpty else { return CommandOutput.result("The wallet knows no app.") }
            CommandOutput.table(
                ["app", "state", "name", "wants"],
                apps.map { [$0.csi.text, $0.phase.rawValue, $0.name ?? "", $0.request?.scope?.requestText ?? ""] })
        }
    }

    struct Given: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "given", abstract: "List the active permissions that the person gave.",
            discussion: """
                The list contains those that former wallets of the person gave.

                Example:
                  tributary wallet given --store ann --json
                """)
        @OptionGroup var wallet: WalletOptions

        func run() async throws {
            let permissions = try await wallet.wallet().given()
            wallet.show(permissions)
        }
    }

    struct Received: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "received", abstract: "List the active permissions that the wallet received.",
            discussion: "Example:\n  tributary wallet received --store ann --json")
        @OptionGroup var wallet: WalletOptions

        func run() async throws {
            let permissions = try await wallet.wallet().received()
            wallet.show(permissions)
        }
    }

    struct History: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "history", abstract: "List all permissions that the person gave, with those that are over.",
            discussion: "Example:\n  tributary wallet history --store ann --json")
        @OptionGroup var wallet: WalletOptions

        func run() async throws {
            let permissions = try await wallet.wallet().given(all: true)
            wallet.show(permissions)
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke", abstract: "End a permission, or all permissions of an app.",
            discussion: """
                Access ends at the next request of the app. A permission that the app passed on ends too.

                Example:
                  tributary wallet revoke --store ann GUID
                  tributary wallet revoke --store ann PERMISSION --json
                """)
        @OptionGroup var wallet: WalletOptions
        @Argument(help: "The guid of an app, or the id of a permission.") var target: String

        func run() async throws {
            let ending = try await wallet.wallet().revoke(target)
            let sentence =
                switch ending.revoked {
                case 0: "No permission was active."
                case 1: "1 permission is ended."
                default: "\(ending.revoked) permissions are ended."
                }
            wallet.show(
                ["revoked": .number(JSONNumber(ending.revoked)), "answer": ending.answer.walletJSON],
                lines: [sentence] + (ending.answer.map { ["answer  \($0)"] } ?? []))
        }
    }

    struct RotateKey: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rotate-key", abstract: "Replace the key of the wallet.",
            discussion: """
                Permissions and tokens remain. If the connection breaks, the next command finds out which key the server
                knows.

                Example:
                  tributary wallet rotate-key --store ann
                """)
        @OptionGroup var wallet: WalletOptions

        func run() async throws {
            let csi = try await wallet.wallet().rotateKey()
            wallet.show(["csiGuid": .string(csi.text)], lines: ["The wallet \(csi.text) has a new key."])
        }
    }
}
