import AccessPolicy
import ArgumentParser
import Audit
import DeviceCommands
import FHIR
import Foundation
import Permissions
import Storage
import StudyFiles
import StudyOperations
import Wire

struct PermissionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "permission", abstract: "Permissions that people give to apps.",
        discussion: "Example:\n  tributary permission list study",
        subcommands: [List.self, Verify.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the newest permissions, also those that have ended.",
            discussion: "Example:\n  tributary permission list study --participant 6f1e...")
        @OptionGroup var location: RecordsLocation
        @Option(help: "Only permissions for the records of this participant: the id of their Patient.")
        var participant: String?
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let (participant, now) = (participant, Date())
            let found = try await location.withAccess { access in
                let audit = access.audit
                return try await audit.database.write { transaction in
                    try audit.require(
                        .account, .listPermissions,
                        target: Target(
                            resourceType: participant == nil ? nil : "Patient", resourceID: participant,
                            subject: participant),
                        message: "This account may not list permissions.", in: transaction)
                    let store = PermissionStore()
                    let permissions = try store.permissions(ofPatient: participant, in: transaction)
                    return zip(permissions, try store.reports(permissions, at: now, in: transaction))
                        .map { (patient: $0.patient, report: $1) }
                }
            }
            if json {
                return CommandOutput.result(
                    .array(
                        found.map { patient, report in
                            var json = report.json
                            json["patient"] = .string("Patient/" + patient)
                            return json
                        }))
            }
            CommandOutput.table(
                ["permission", "patient", "from", "to", "access", "types", "starts", "ends", "status"],
                found.map { patient, report in
                    [
                        report.id, patient, report.grantor.text, report.grantees.map(\.text).joined(separator: " "),
                        report.scope.access.rawValue, report.scope.types.text, report.start.text, report.end.text,
                        report.status.rawValue,
                    ]
                })
        }
    }

    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "verify", abstract: "Compare permissions with their signed requests and their records.",
            discussion: """
                For each permission the stored request has a valid signature, and the permission, its Consent and its
                Provenance agree with it. If one differs, it prints its id, and the exit status is 1.

                Example:
                  tributary permission verify study
                """)
        @OptionGroup var location: RecordsLocation
        @Flag(help: "Print one JSON value.") var json = false

        private static let page = 200

        func run() async throws {
            let result = try await location.reading { database in
                var verification = PermissionVerification()
                var hasMore = true
                while hasMore {
                    let known = verification
                    (verification, hasMore) = try await database.read { transaction in
                        var next = known
                        let hasMore = try next.page(of: Self.page, in: transaction)
                        return (next, hasMore)
                    }
                }
                return verification
            }
            let different = result.different
            if json {
                CommandOutput.result(
                    different.isEmpty
                        ? ["ok": true, "permissions": .number(JSONNumber(result.count))]
                        : ["ok": false, "different": .array(different.map { .string($0) })])
            } else if different.isEmpty {
                CommandOutput.result("ok: \(result.count) permissions")
            } else {
                for id in different { CommandOutput.result("different: \(id)") }
            }
            if !different.isEmpty { throw ExitCode(1) }
        }
    }
}
