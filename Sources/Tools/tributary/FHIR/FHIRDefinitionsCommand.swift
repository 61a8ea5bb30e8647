import ArgumentParser
import DeviceCommands
import FHIR
import Foundation
import StudyFiles

/// `tributary fhir definitions`
struct FHIRDefinitionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "definitions", abstract: "Show or write Tributary's own extensions and code systems.",
        discussion: """
            The extensions and code systems that Tributary defines, as StructureDefinition and CodeSystem, for tools
            that validate or show its resources. A server has them under /fhir, and `fhir validate` knows them.

            Example:
              tributary fhir definitions -o Definitions
            """)

    @Option(name: [.customShort("o"), .long], help: "Write one file for each into this folder, which is made.")
    var output: String?
    @Flag(help: "Print an array of the resources.") var json = false

    func run() async throws {
        let all = PublishedDefinitions.all
        if let output {
            let folder = URL(fileURLWithPath: output, isDirectory: true)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for object in all {
                let name = "\(object["resourceType"]?.string ?? "")-\(object["id"]?.string ?? "").json"
                try Data((JSON.object(object).text(.pretty) + "\n").utf8).write(to: folder.appendingPathComponent(name))
            }
            CommandOutput.note("\(all.count) definitions are in \(output)")
        }
        if json {
            CommandOutput.result(.array(all.map(JSON.object)))
        } else if output == nil {
            CommandOutput.table(
                ["TYPE", "URL", "TITLE"],
                all.map { object in
                    ["resourceType", "url", "title"].map { object[$0]?.string ?? "-" }
                })
        }
    }
}
