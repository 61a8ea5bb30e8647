import ArgumentParser
import DeviceCommands
import FHIR
import Foundation

struct FHIRCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fhir", abstract: "Work with FHIR files.",
        discussion: "Example:\n  tributary fhir normalize patient.json",
        subcommands: [Normalize.self, FHIRValidateCommand.self, FHIRConvertCommand.self, FHIRDefinitionsCommand.self])

    struct Normalize: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "normalize", abstract: "Read a JSON file and write it again: same value, order and digits.",
            discussion: "Example:\n  tributary fhir normalize patient.json")
        @Argument(help: "The file; - is standard input.") var file: String
        @Flag(help: "Also read a comma before a closing bracket.") var lenient = false
        @Flag(help: "On one line.") var compact = false
        @Flag(help: "Print one JSON value (it always does).") var json = false

        func run() async throws {
            let value = try CommandInput.json(file, lenient: lenient)
            CommandOutput.result(value.text(compact ? .compact : .pretty))
        }
    }
}
