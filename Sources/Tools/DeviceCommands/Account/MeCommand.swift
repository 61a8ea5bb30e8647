import AccountClient
import ArgumentParser
import FHIR
import Foundation
import ResearchResults

/// The account of a person: what an app does with `AccountClient`.
package struct MeCommand: AsyncParsableCommand {
    /// Creates the value with its defaults.
    package init() {}

    package static let configuration = CommandConfiguration(
        commandName: "me",
        abstract: "Act as an account holder, with the libraries of an app.",
        discussion: """
            Example:
              tributary me sign-up --store ann --url http://127.0.0.1:8080 --antispam TOKEN --email ann@example.org \
                --password-file password.txt
              tributary me verify --store ann --code C
              tributary me consent upload --store ann --result consent.json --signature signature.png
              tributary me result save --store ann result.json
              tributary me logout --store ann
            """,
        subcommands: [
            SignUp.self, Login.self, Verify.self, Show.self, Logout.self, Reset.self, Password.self, Email.self,
            Delete.self, Profile.self, Photo.self, Sharing.self, Access.self, ConsentCommand.self, ResultCommand.self,
        ])

    struct SignUp: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "sign-up", abstract: "Create an account and sign in.",
            discussion: """
                --registration is a task result of ResearchKit with a registration step, at any depth. The server sends a
                mail with a code for `me verify`.

                Example:
                  tributary me sign-up --store ann --url URL --antispam TOKEN --email ann@example.org \
                    --password-file password.txt
                  tributary me sign-up --store ann --url URL --antispam TOKEN --registration result.json
                """)
        @OptionGroup var account: AccountOptions
        @OptionGroup var address: AccountServerOptions
        @Option(help: "A task result with a registration step (JSON).") var registration: String?
        @Option(help: "The e-mail address.") var email: String?
        @Option(help: "A file with the password in its first line, - for standard input.") var passwordFile: String?
        @Option(help: "The profile (JSON).") var profile: String?
        @Option(help: "The group; by default the server's first one.") var group: String?

        func validate() throws {
            let fields = [email, passwordFile, profile].compactMap(\.self)
            guard registration == nil ? email != nil && passwordFile != nil : fields.isEmpty else {
                throw ValidationError("Give --registration, or --email and --password-file.")
            }
        }

        func run() async throws {
            let server = try address.server()
            if let registration {
                let result = try CommandInput.json(registration)
                // The check comes before the folder exists.
                _ = try AccountRegistration(in: result)
                try await account.show(account.client(of: server).signUp(registration: result, group: group))
                return
            }
            let fields = try profile.map { try AccountProfile(json: CommandInput.json($0)) }
            let address = try EmailAddress(email ?? "")
            let password = try CommandInput.password(passwordFile ?? "")
            let client = try account.client(of: server)
            account.show(
                try await client.signUp(email: address.text, password: password, profile: fields, group: group))
        }
    }

    struct Login: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "login", abstract: "Sign in.",
            discussion: """
                The folder keeps its local copies if it had the same account before. Those of another account are
                removed.

                Example:
                  tributary me login --store ann --url URL --antispam TOKEN --email ann@example.org \
                    --password-file password.txt
                """)
        @OptionGroup var account: AccountOptions
        @OptionGroup var address: AccountServerOptions
        @Option(help: "The e-mail address.") var email: String
        @Option(help: "A file with the password in its first line, - for standard input.") var passwordFile: String

        func run() async throws {
            let address = try EmailAddress(email)
            let password = try CommandInput.password(passwordFile)
            let client = try account.client(of: self.address.server())
            account.show(try await client.login(email: address.text, password: password))
        }
    }

    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "verify", abstract: "Confirm the e-mail address with the code of the mail.",
            discussion: "Example:\n  tributary me verify --store ann --code C")
        @OptionGroup var account: AccountOptions
        @Option(parsing: .unconditional, help: "The code of the mail.") var code: String

        func run() async throws { account.show(try await account.client().verify(code: code)) }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show the account that is signed in.",
            discussion: "Example:\n  tributary me show --store ann --json")
        @OptionGroup var account: AccountOptions

        func run() async throws { account.show(try await account.client().holder()) }
    }

    struct Logout: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "logout", abstract: "End the session and remove all local copies.",
            discussion: """
                The copies are removed even if the server cannot be reached.

                Example:
                  tributary me logout --store ann
                """)
        @OptionGroup var account: AccountOptions

        func run() async throws {
            let client = try account.client()
            let holder = try client.storedHolder()
            let wasSignedIn = await client.state != .signedOut
            if try await !client.logout(), wasSignedIn {
                CommandOutput.note(
                    "The server could not be reached: the session ends by itself. Its tokens are removed.")
            }
            if let holder { account.show(holder) }
        }
    }
}
