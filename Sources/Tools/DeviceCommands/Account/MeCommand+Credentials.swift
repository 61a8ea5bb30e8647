import AccountClient
import ArgumentParser
import FHIR
import Foundation
import ResearchResults

extension MeCommand {
    struct Reset: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "reset", abstract: "Request a code for a new password, or use one.",
            discussion: """
                It needs no session. The answer is the same for an unknown address. A new password ends all sessions.

                Example:
                  tributary me reset --url URL --antispam TOKEN --email ann@example.org
                  tributary me reset --url URL --antispam TOKEN --code C --password-file new.txt
                """)
        @Option(help: "The account's folder; nothing is stored in it.") var store: String?
        @Flag(help: "Print one JSON value.") var json = false
        @OptionGroup var address: AccountServerOptions
        @Option(help: "The e-mail address that gets the code.") var email: String?
        @Option(parsing: .unconditional, help: "The code of the mail.") var code: String?
        @Option(help: "A file with the new password in its first line, - for standard input.") var passwordFile: String?

        func validate() throws {
            guard email == nil ? code != nil && passwordFile != nil : code == nil && passwordFile == nil else {
                throw ValidationError("Give --email, or --code and --password-file.")
            }
        }

        func run() async throws {
            let server = try address.server()
            let given = store.map { URL(fileURLWithPath: $0, isDirectory: true) }
            // A client needs a folder, and stores nothing in it here.
            let temporary = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            defer { if given == nil { try? FileManager.default.removeItem(at: temporary) } }
            let client = try AccountClient(server: server, folder: given ?? temporary)
            if let email {
                try await client.requestPasswordReset(email: email)
                show(["requested": true], line: "A code is on its way, if there is an account with this address.")
            } else {
                let password = try CommandInput.password(passwordFile ?? "")
                try await client.resetPassword(code: code ?? "", newPassword: password)
                show(["reset": true], line: "The password is changed; sign in with `me login`.")
            }
        }

        private func show(_ value: JSON, line: String) {
            if json { CommandOutput.result(value) } else { CommandOutput.result(line) }
        }
    }

    struct Password: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "password", abstract: "Change the password.",
            discussion: "Example:\n  tributary me password --store ann --password-file password.txt --new new.txt")
        @OptionGroup var account: AccountOptions
        @Option(help: "A file with the present password in its first line.") var passwordFile: String
        @Option(help: "A file with the new password in its first line.") var new: String

        func run() async throws {
            let (password, next) = (try CommandInput.password(passwordFile), try CommandInput.password(new))
            try await account.client().changePassword(password, to: next)
            account.show(["changed": true], lines: ["The password is changed."])
        }
    }

    struct Email: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "email", abstract: "Change the e-mail address, by which the account signs in.",
            discussion: "Example:\n  tributary me email --store ann --password-file password.txt --to new@example.org")
        @OptionGroup var account: AccountOptions
        @Option(help: "A file with the password in its first line, - for standard input.") var passwordFile: String
        @Option(help: "The new address.") var to: String

        func run() async throws {
            let password = try CommandInput.password(passwordFile)
            account.show(try await account.client().changeEmail(to: to, password: password))
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete", abstract: "Delete the account with all its data, and all local copies.",
            discussion: """
                The server deletes the data soon afterwards. All sessions end at once.

                Example:
                  tributary me delete --store ann --password-file password.txt
                """)
        @OptionGroup var account: AccountOptions
        @Option(help: "A file with the password in its first line, - for standard input.") var passwordFile: String

        func run() async throws {
            let password = try CommandInput.password(passwordFile)
            let client = try account.client()
            let holder = try client.storedHolder()
            try await client.deleteAccount(password: password)
            account.show(
                ["deleted": holder.map { .string($0.account) } ?? .null],
                lines: ["The account is deleted soon; you are signed out."])
        }
    }
}
