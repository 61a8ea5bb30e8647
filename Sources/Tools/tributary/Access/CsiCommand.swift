import ArgumentParser
import DeviceCommands
import FHIR
import Foundation
import Identity
import Permissions
import StudyFiles
import TributaryServer
import Wire

struct CsiCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "csi", abstract: "Apps and wallets on people's devices, which get access by permissions.",
        discussion: """
            `tributary client revoke` ends one of them.

            Example:
              tributary csi list study
            """,
        subcommands: [List.self, Role.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the apps and wallets, without the claims about their people.",
            discussion: "Example:\n  tributary csi list study --json")
        @OptionGroup var location: RecordsLocation
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let csis = try await location.withAccess { try await CsiStore(audit: $0.audit).all(by: .account) }
            if json {
                func text(_ value: String?) -> JSON { value.map { .string($0) } ?? .null }
                func instant(_ date: Date?) -> JSON { date.map { .string(DateTime($0).text) } ?? .null }
                return CommandOutput.result(
                    .array(
                        csis.map { csi in
                            [
                                "csiGuid": .string(csi.guid.text), "name": .string(csi.name),
                                "deviceId": .string(csi.deviceID), "role": text(csi.role?.rawValue),
                                "patient": text(csi.patient), "created": instant(csi.createdAt),
                                "ended": instant(csi.endedAt),
                            ]
                        }))
            }
            CommandOutput.table(
                ["csi", "name", "device", "role", "patient", "created", "ended"],
                csis.map { csi in
                    [csi.guid.text, csi.name, csi.deviceID, csi.role?.rawValue ?? "-", csi.patient ?? "-"]
                        + [csi.createdAt, csi.endedAt].map { date in
                            date.map { DateTime($0, milliseconds: false).text } ?? "-"
                        }
                })
        }
    }

    struct Role: AsyncParsableCommand {
        enum AssignedRole: String, ExpressibleByArgument, CaseIterable {
            case provider, caregiver, none

            var role: CsiInstance.CareRole? { CsiInstance.CareRole(rawValue: rawValue) }
        }

        static let configuration = CommandConfiguration(
            commandName: "role", abstract: "Assign the role of the person who uses an app.",
            discussion: """
                An app passes a permission on only to an app of a provider or a caregiver. What was passed on before
                remains until it ends.

                Example:
                  tributary csi role study 6f1e... --role provider
                """)
        @OptionGroup var location: RecordsLocation
        @Argument(help: "The guid of the app, as `csi list` shows it.") var guid: String
        @Option(help: "provider, caregiver or none.") var role: AssignedRole
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let csi = CsiGuid(guid)
            let done = try await location.withAccess { access in
                guard let csi else { return false }
                return try await CsiStore(audit: access.audit).setRole(role.role, of: csi, by: .account)
            }
            guard done else { throw CommandError("csi-unknown", "There is no app in use with that guid.") }
            if json {
                CommandOutput.result(
                    ["csiGuid": .string(guid), "role": role.role.map { .string($0.rawValue) } ?? .null])
            } else {
                CommandOutput.result("role \(role.rawValue)")
            }
        }
    }
}
