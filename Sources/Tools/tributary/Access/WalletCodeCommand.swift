import ArgumentParser
import DeviceCommands
import FHIR
import Foundation
import Identity
import Permissions
import StudyFiles
import TributaryServer

struct WalletCodeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wallet-code", abstract: "One-time codes, by which a wallet becomes that of a Patient.",
        discussion: "Example:\n  tributary wallet-code create study --patient 6f1e...", subcommands: [Create.self])

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create", abstract: "Make a code for the wallet of a Patient, shown only once.",
            discussion: """
                The code is valid for 7 days and for one wallet. Earlier codes of the Patient end. The new wallet replaces
                the one that the Patient has.

                Example:
                  tributary wallet-code create study --patient 6f1e...
                """)
        @OptionGroup var location: RecordsLocation
        @Option(help: "The id of the Patient.") var patient: String
        @Flag(help: "Print one JSON value.") var json = false

        func validate() throws {
            guard Resource.isID(patient) else { throw ValidationError("--patient takes the id of a Patient.") }
        }

        func run() async throws {
            let made = try await location.withAccess {
                try await WalletCodes(audit: $0.audit).create(forPatient: patient, by: .account)
            }
            guard json else { return CommandOutput.result(made.code) }
            CommandOutput.result(
                ["code": .string(made.code), "expires": .string(DateTime(made.expiresAt).text)])
        }
    }
}
