import ArgumentParser
import Core
import DeviceCommands
import DeviceGateway
import Foundation

/// `tributary gateway`
struct GatewayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gateway",
        abstract: "Third-party devices: hubs, registrations, events and templates.",
        discussion: """
            The templates are in the study's folder: devices/devicecontent.json, devices/fhirmapping.json. See
            docs/device-gateway.md.

            Example:
              tributary gateway key study --hub watches --url https://study.example
              tributary gateway register study --device pump-17 --participant 6f1e...
              tributary gateway test --device-template devicecontent.json --fhir-template fhirmapping.json event.json
            """,
        subcommands: [Key.self, Register.self, Status.self, Retry.self, Test.self, Templates.self])

    struct Test: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "test", abstract: "Show the result of templates for a device's events.",
            discussion: """
                The templates are those of Microsoft's IoMT FHIR connector. Nothing is stored, and no device is looked up:
                the event names its device and participant. Exit code 1: there is a problem, which is named.

                Example:
                  tributary gateway test --device-template devicecontent.json event.json
                  tributary gateway test --device-template devicecontent.json --fhir-template fhirmapping.json event.json --json
                """)

        @Option(help: "The device templates, which find readings in events.") var deviceTemplate: String
        @Option(help: "The FHIR templates, which make Observations of readings; without it, only readings are shown.")
        var fhirTemplate: String?
        @Argument(help: "The file with one event or an array of them; with -, standard input.") var payload: String
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let device = try Self.reading(deviceTemplate) { json throws(TemplateError) in try DeviceTemplates(json) }
            let fhir = try fhirTemplate.map { path in
                try Self.reading(path) { json throws(TemplateError) in try FHIRTemplates(json) }
            }
            let document = try CommandInput.documentWithoutMark(payload)
            let trial = TemplateTrial(events: document.array ?? [document], device: device, fhir: fhir)
            if json { CommandOutput.result(trial.json) } else { show(trial) }
            guard trial.problems.isEmpty else { throw ExitCode(1) }
        }

        private static func reading<T>(_ path: String, _ read: (JSON) throws(TemplateError) -> T) throws -> T {
            let json = try CommandInput.documentWithoutMark(path)
            do throws(TemplateError) { return try read(json) } catch {
                throw CommandError(error.code, "\(path): \(error.message)")
            }
        }

        private func show(_ trial: TemplateTrial) {
            if trial.measurements.isEmpty { CommandOutput.result("No template finds a reading.") }
            for measurement in trial.measurements {
                let values = measurement.properties.map { "\($0.name) \($0.value)" }.joined(separator: ", ")
                CommandOutput.result(
                    "\(measurement.occurrence) \(measurement.type) of \(measurement.deviceID): \(values)")
            }
            for observation in trial.observations { CommandOutput.result(observation.json) }
            for problem in trial.problems { CommandOutput.result("\(problem.message) [\(problem.code)]") }
        }
    }
}

extension CommandInput {
    /// Returns the JSON in a file, which may begin with a byte order mark, as files from Windows do.
    fileprivate static func documentWithoutMark(_ path: String) throws -> JSON {
        let bytes = try file(path)
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        do throws(JSONError) {
            return try JSON(bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes)
        } catch {
            throw CommandError(error.code, "\(path == "-" ? "Standard input" : path): \(error.message)")
        }
    }
}

/// `tributary devices`, the earlier name of `gateway`, which the help does not show.
struct DevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices", abstract: GatewayCommand.configuration.abstract,
        discussion: GatewayCommand.configuration.discussion, shouldDisplay: false,
        subcommands: GatewayCommand.configuration.subcommands)
}
