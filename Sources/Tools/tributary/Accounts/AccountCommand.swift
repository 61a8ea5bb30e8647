import AccessPolicy
import Accounts
import ArgumentParser
import Core
import DeviceCommands
import Foundation
import Storage
import StudyFiles
import StudyOperations

/// The study of a command for account holders, and the location of the people store.
struct PeopleLocation: ParsableArguments {
    @Argument(help: "The study's folder.") var dir: String
    @Option(help: "The people store's database, if it is not the study's own.") var peopleDatabase: String?

    func withPeople<T>(_ body: (PeopleStore) async throws -> T) async throws -> T {
        try await StudyStores(StudyFolder(path: dir), people: peopleDatabase).withPeople(body)
    }
}

struct AccountCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "account",
        abstract: "Manage the accounts of identified people, and their roles in teams.",
        discussion: """
            Example:
              tributary account create study --email dora@example.org
              tributary account grant study --account 6f1e... --role care-team --group main
              tributary account list study
            """,
        subcommands: [Create.self, Grant.self, Revoke.self, List.self, Delete.self])

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create", abstract: "Create an account; its owner chooses the password with a code by mail.",
            discussion: """
                The code is valid for an hour. `me reset` takes it, and the app does; a new one is requested there.

                Example:
                  tributary account create study --email dora@example.org
                """)
        @OptionGroup var location: PeopleLocation
        @Option(parsing: .unconditional, help: "The e-mail address.") var email: String
        @Option(help: "A group of study.json; the first one by default.") var group: String?
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let account = try await location.withPeople {
                try await $0.create(email: email, group: group, by: .account)
            }
            if json { return CommandOutput.result(["account": .string(account)]) }
            CommandOutput.result(account)
            CommandOutput.note("The server sends the code for the password by mail.")
        }
    }

    struct Grant: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "grant", abstract: "Give an account a role for the patients of a group.",
            discussion: """
                care-team and observer see profile and photo; study-team sees consents and results. A grant takes effect
                when the account's e-mail address is verified. An account with a grant is no patient itself.

                Example:
                  tributary account grant study --account 6f1e... --role study-team --group '*' --until 2027-06-30
                """)
        @OptionGroup var location: PeopleLocation
        @Option(help: "The account's id.") var account: String
        @Option(help: "care-team, observer or study-team.") var role: GrantedRole
        @Option(help: "A group of study.json, or * for all.") var group: String
        @Option(
            help: "The end: a date or a time, such as 2027-06-30T12:00:00Z; a date ends with its last instant in UTC.")
        var until: String?
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let end = try until.map { text -> Date in
                guard let time = DateTime(text) else {
                    throw CommandError("until-invalid", "--until takes a date or a time with offset.")
                }
                return time.end()
            }
            let id = try await location.withPeople {
                try await $0.grant(role.role, to: account, group: group, until: end, by: .account)
            }
            if json { return CommandOutput.result(["grant": .string(id)]) }
            CommandOutput.result(id)
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke", abstract: "Revoke a grant.",
            discussion: "Example:\n  tributary account revoke study 0b52...")
        @OptionGroup var location: PeopleLocation
        @Argument(help: "The grant's id.") var grant: String
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            try await location.withPeople { try await $0.revokeGrant(grant, by: .account) }
            if json { return CommandOutput.result(["grant": .string(grant)]) }
            CommandOutput.note("The grant is revoked.")
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the accounts with their grants.",
            discussion: "Example:\n  tributary account list study --json")
        @OptionGroup var location: PeopleLocation
        @Option(help: "One account, by its id.") var account: String?
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let accounts = try await location.withPeople { people in
                var accounts = try await people.list(account: account, by: .account)
                while account == nil, let last = accounts.last?.id {
                    let more = try await people.list(after: last, by: .account)
                    if more.isEmpty { break }
                    accounts += more
                }
                return accounts
            }
            if json { return CommandOutput.result(.array(accounts.map(AccountCommand.json))) }
            CommandOutput.table(
                ["account", "e-mail", "verified", "groups", "grants"],
                accounts.map { account in
                    [
                        account.id, account.email, account.isVerified ? "yes" : "no",
                        account.groups.joined(separator: ", "),
                        account.grants.map { "\($0.role.rawValue) of \($0.group ?? TeamGrant.allGroups)" }
                            .joined(separator: ", "),
                    ]
                })
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete", abstract: "Delete an account with all its data.",
            discussion: """
                Sessions end at once. The server deletes the data and the links to the account when the notice to the
                owner is sent, at the latest after 10 minutes. If no server runs, the next one does so.

                Example:
                  tributary account delete study --account 6f1e...
                """)
        @OptionGroup var location: PeopleLocation
        @Option(help: "The account's id.") var account: String
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            try await location.withPeople { try await $0.requestDeletion(of: account, by: .account) }
            if json { return CommandOutput.result(["account": .string(account)]) }
            CommandOutput.note("The account has no sessions any more. The server deletes its data soon.")
        }
    }

    static func json(_ account: ListedAccount) -> JSON {
        [
            "account": .string(account.id), "email": .string(account.email), "verified": .bool(account.isVerified),
            "groups": .array(account.groups.map { .string($0) }),
            "grants": .array(
                account.grants.map { grant in
                    [
                        "grant": .string(grant.id), "role": .string(grant.role.rawValue),
                        "group": .string(grant.group ?? TeamGrant.allGroups),
                        "until": grant.end.map { .string(DateTime($0).text) } ?? .null,
                    ]
                }),
        ]
    }
}

/// A role of a team, as an option.
enum GrantedRole: String, ExpressibleByArgument, CaseIterable {
    case careTeam = "care-team"
    case observer
    case studyTeam = "study-team"

    var role: TeamRole {
        switch self {
        case .careTeam: .careTeam
        case .observer: .observer
        case .studyTeam: .studyTeam
        }
    }
}
