import AccountClient
import ArgumentParser
import CareStores
import FHIR
import Foundation

/// The patients of a team.
package struct TeamCommand: AsyncParsableCommand {
    /// Creates the value with its defaults.
    package init() {}

    package static let configuration = CommandConfiguration(
        commandName: "team", abstract: "Act as a member of a team, with the libraries of an app.",
        discussion: """
            The account is that of `me login` with the same folder.

            Example:
              tributary team patients --store dora
              tributary team pull --store dora
            """,
        subcommands: [Patients.self, Pull.self])

    struct Patients: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "patients", abstract: "List the patients whose data the account may read.",
            discussion: "Example:\n  tributary team patients --store dora --json")
        @OptionGroup var account: AccountOptions

        func run() async throws {
            let patients = try await account.client().patients()
            guard !account.json else { return CommandOutput.result(.array(patients.map(\.json))) }
            CommandOutput.table(
                ["patient", "name", "email", "groups"],
                patients.map { [$0.id, $0.name ?? "", $0.email ?? "", $0.groups.joined(separator: ", ")] })
        }
    }

    struct Pull: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "pull",
            abstract: "Show which patients entered, changed and left since the last pull, and copy their care plans.",
            discussion: """
                The folder has a copy of the plan of each patient, for `care show --patient`. Plans are updated, and those
                of patients who left are removed. If a plan fails, it is named with the code of the error, and the others
                are still updated; the next pull tries it again. Exit status 1 if a plan failed.

                The folder stores the cursor after the output. If the command ends before, the next pull has the same
                changes again.

                Example:
                  tributary team pull --store dora --json
                """)
        @OptionGroup var account: AccountOptions

        func run() async throws {
            let account = account
            let (failures, failure) = AsyncStream.makeStream(of: Void.self)
            try await TeamPlans(client: account.client()).pull { report in
                let changes = report.changes
                let lists = [("entered", changes.entered), ("changed", changes.changed), ("left", changes.left)]
                let lines = lists.flatMap { name, ids in ids.map { "\(name)  \($0)" } }
                let failed = report.failed.map { "failed  \($0.patient)  [\($0.code)]" }
                account.show(report.json, lines: lines.isEmpty && failed.isEmpty ? ["no news"] : lines + failed)
                if !report.failed.isEmpty { failure.yield() }
            }
            failure.finish()
            for await _ in failures { throw ExitCode(1) }
        }
    }
}
