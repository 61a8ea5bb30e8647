import ArgumentParser
import DeviceCommands
import StudyFiles
import TributaryServer

/// The command line. Each command is in one file, in the folder of its noun.
@main
struct TributaryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tributary",
        abstract: "Carries health data from people's phones into FHIR and i2b2, sealed and with their permission.",
        discussion: """
            Example:
              tributary init study --development
              tributary serve study
            """,
        version: TributaryVersion.text,
        subcommands: [
            DemoCommand.self, InitCommand.self, ConsentCommand.self, ServeCommand.self, KeysCommand.self,
            TokenCommand.self,
            ClientCommand.self, CsiCommand.self, WalletCodeCommand.self, PersonCommand.self, AccountCommand.self,
            AppReceiptCommand.self, EnvelopeCommand.self, DeviceCommand.self, MeCommand.self, CareCommand.self,
            WalletCommand.self, DappCommand.self,
            TeamCommand.self, SurveyCommand.self, FHIRCommand.self,
            FHIRPathCommand.self, JMESPathCommand.self, JSONPathCommand.self, HealthCommand.self, GatewayCommand.self,
            DevicesCommand.self,
            QueueCommand.self,
            EnrolmentCommand.self, ParticipantCommand.self, ExportCommand.self, RecordsCommand.self,
            LinkCommand.self, AuditCommand.self, PermissionCommand.self, BackupCommand.self, RestoreCommand.self,
            MigrateCommand.self,
            StudyCommand.self,
            WarehouseCommand.self,
        ])

    /// Parses and runs the command like the argument parser, with readable errors.
    static func main() async {
        let arguments = FHIRPathCommand.arguments(Array(CommandLine.arguments.dropFirst()))
        var command: any ParsableCommand
        do {
            command = try parseAsRoot(arguments)
        } catch {
            // `--help` and `--version` are such errors too.
            if exitCode(for: error) == .validationFailure, let unknown = UnknownSubcommand(arguments) {
                CommandUsage.exit(unknown.message, usage: unknown.usage)
            }
            exit(withError: CommandFailure.readable(error))
        }
        do {
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch let error as ValidationError {
            CommandUsage.exit(error.message, usage: CommandUsage(of: type(of: command)))
        } catch {
            let readable = CommandFailure.readable(error)
            guard let failure = readable as? CommandError, failure.isOfUsage else { exit(withError: readable) }
            CommandUsage.exit(failure.description, usage: CommandUsage(of: type(of: command)), status: 1)
        }
    }
}
