import AccessPolicy
import ArgumentParser
import DeviceCommands
import FHIR
import Foundation
import StudyFiles
import TributaryServer

struct PersonCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "person", abstract: "People who sign in to grant access to apps.",
        discussion: "Example:\n  tributary person create study --username anna --role participant --patient 6f1e...",
        subcommands: [Create.self, List.self, Password.self, Disable.self])

    enum PersonRole: String, ExpressibleByArgument, CaseIterable {
        case participant, practitioner, staff

        var role: Role {
            switch self {
            case .participant: .participant
            case .practitioner: .practitioner
            case .staff: .staff
            }
        }
    }

    /// The source of a password.
    struct PasswordSource: ParsableArguments {
        @Option(help: "A file with the password, - for standard input; without one, it is made and shown once.")
        var passwordFile: String?

        /// Returns the first line; nil if a password is to be made.
        func password() throws -> String? {
            try passwordFile.map { try CommandInput.password($0) }
        }

        /// Prints the username, and the password if it was made.
        static func show(_ username: String, _ made: String?, json: Bool) {
            var members: [JSONObject.Member] = [.init(key: "username", value: .string(username))]
            if let made { members.append(.init(key: "password", value: .string(made))) }
            if json { return CommandOutput.result(JSON(members)) }
            for member in members { CommandOutput.result("\(member.key) \(member.value.string ?? "")") }
        }
    }

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create", abstract: "Create an account; a password that is made is shown only once.",
            discussion: """
                A participant sees the records of one Patient only, whatever an app requests.

                Example:
                  tributary person create study --username anna --role participant --patient 6f1e...
                  tributary person create study --username dora --role practitioner --practitioner d1
                """)
        @OptionGroup var location: RecordsLocation
        @Option(parsing: .unconditional, help: "The name for signing in.") var username: String
        @Option(help: "participant, practitioner, or staff, whose apps can only read.") var role: PersonRole
        @Option(help: "The id of a participant's Patient.") var patient: String?
        @Option(help: "The id of a practitioner's Practitioner.") var practitioner: String?
        @OptionGroup var source: PasswordSource
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let password = try source.password()
            let made = try await location.withAccess {
                try await $0.accounts.createAccount(
                    username: username, role: role.role, patient: patient, practitioner: practitioner,
                    password: password, by: .account)
            }
            PasswordSource.show(made.account.username, made.password, json: json)
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the accounts, without secrets.",
            discussion: "Example:\n  tributary person list study")
        @OptionGroup var location: RecordsLocation
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let accounts = try await location.withAccess { try await $0.accounts.all() }
            if json {
                func instant(_ date: Date?) -> JSON { date.map { .string(DateTime($0).text) } ?? .null }
                return CommandOutput.result(
                    .array(
                        accounts.map { account in
                            [
                                "username": .string(account.username), "role": .string(account.role.rawValue),
                                "patient": account.patient.map { .string($0) } ?? .null,
                                "practitioner": account.practitioner.map { .string($0) } ?? .null,
                                "created": instant(account.createdAt), "disabled": instant(account.disabledAt),
                            ]
                        }))
            }
            CommandOutput.table(
                ["username", "role", "who", "created", "disabled"],
                accounts.map { account in
                    [account.username, account.role.rawValue, account.resource ?? "-"]
                        + [account.createdAt, account.disabledAt].map { date in
                            date.map { DateTime($0, milliseconds: false).text } ?? "-"
                        }
                })
        }
    }

    struct Password: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "password",
            abstract: "Change an account's password, and end its sessions and its apps' access.",
            discussion: "Example:\n  tributary person password study anna")
        @OptionGroup var location: RecordsLocation
        @Argument(help: "The name for signing in.") var username: String
        @OptionGroup var source: PasswordSource
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let password = try source.password()
            let made = try await location.withAccess {
                try await $0.accounts.changePassword(username: username, to: password, by: .account)
            }
            PasswordSource.show(username, made, json: json)
        }
    }

    struct Disable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "disable", abstract: "Disable an account, and end its sessions and its apps' access.",
            discussion: "Example:\n  tributary person disable study anna")
        @OptionGroup var location: RecordsLocation
        @Argument(help: "The name for signing in.") var username: String
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            try await location.withAccess { try await $0.accounts.disableAccount(username: username, by: .account) }
            if json {
                CommandOutput.result(["disabled": .string(username)])
            } else {
                CommandOutput.result("disabled \(username)")
            }
        }
    }
}
