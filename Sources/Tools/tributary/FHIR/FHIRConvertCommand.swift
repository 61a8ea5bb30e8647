import ArgumentParser
import DeviceCommands
import FHIR
import FHIRVersions
import Foundation

/// `tributary fhir convert`: converts resources of an older release to R4.
struct FHIRConvertCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert", abstract: "Convert a resource of DSTU2 or STU3 to R4.",
        discussion: """
            R4 is written to standard output. Elements without an exact equivalent are listed on standard error, one \
            on a line: kept in an official cross-version extension, left out, added or written otherwise. A file whose \
            name ends with .ndjson is converted line by line.

            Example:
              tributary fhir convert --from DSTU2 observation.json
              tributary fhir convert --from 3.0.1 bundle.json -o bundle.r4.json
            """)
    @Option(help: "The release that the file is written in: DSTU2 (1.0.2) or STU3 (3.0.1).") var from: String
    @Option(name: [.short, .customLong("output")], help: "Where to write R4; standard output unless given.")
    var output: String?
    @Flag(help: "Replace a file that is there already.") var force = false
    @Flag(help: "One resource a line, in and out.") var ndjson = false
    @Flag(help: "Print one JSON value (it always does).") var json = false
    @Argument(help: "The file; - is standard input.") var file: String

    func run() async throws {
        guard let version = FHIRVersion(label: from) else {
            throw CommandError(
                "fhir-version-unknown", "--from: \(from) is not a supported release; use DSTU2 or STU3.",
                isOfUsage: true)
        }
        guard ndjson || file.lowercased().hasSuffix(".ndjson") else {
            let result = try converted(try CommandInput.resource(file), version, name: file, prefix: "")
            try write(Data((result.json.text(.pretty) + "\n").utf8))
            return
        }
        var lines = Data()
        let given = try CommandInput.file(file).split(separator: 0x0A, omittingEmptySubsequences: false)
        for (index, line) in given.enumerated() where line.contains(where: { $0 > 0x20 }) {
            let name = "\(file), line \(index + 1)"
            let result = try converted(try resource(line, name), version, name: name, prefix: "line \(index + 1): ")
            lines.append(contentsOf: Data((result.json.text(.compact) + "\n").utf8))
        }
        try write(lines)
    }

    private func converted(
        _ resource: Resource, _ version: FHIRVersion, name: String, prefix: String
    ) throws -> Resource {
        let candidates = FHIRVersion.candidates(of: resource)
        if !candidates.contains(version) {
            let seen = candidates.sorted().map { $0.rawValue.uppercased() }.joined(separator: " or ")
            CommandOutput.note("\(prefix)\(resource.resourceType) looks like \(seen); it is read as \(from).")
        }
        do throws(FHIRConversionError) {
            let result = try FHIRConversion.toR4(resource, from: version)
            for note in result.notes { CommandOutput.note(prefix + note.sentence) }
            return result.resource
        } catch {
            throw CommandError(error.code, "\(name): \(error.message)")
        }
    }

    /// Returns one line as a resource.
    private func resource(_ line: Data, _ name: String) throws -> Resource {
        do throws(ResourceError) {
            return try Resource(line)
        } catch {
            throw CommandError(error.code, "\(name): \(error.message)")
        }
    }

    private func write(_ data: Data) throws {
        guard let output, output != "-" else {
            CommandOutput.result(data)
            return
        }
        try OutputFile.write(data, to: output, replaces: force)
    }
}
