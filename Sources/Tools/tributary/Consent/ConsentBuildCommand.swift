import ArgumentParser
import DeviceCommands
import FHIR
import Foundation
import InformedConsent
import StudyFiles
import StudyKeys

/// `tributary consent build`: makes Contracts from Markdown files.
struct ConsentBuildCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "build", abstract: "Make the Contract of a consent that is written in Markdown.",
        discussion: """
            The Contract of a file is printed, or written to --output. Of a folder, or a study's folder, each NAME.md
            becomes NAME.json in the same folder, or in the folder --output. A Contract is not replaced by an older
            version, and not by another text with the same version; --force replaces it. After an error, nothing is
            written.

            `tributary serve` makes the Contracts itself; the files are for other programs.

            Example:
              tributary consent build study/consent/consent.md
              tributary consent build study --json
            """)

    @Argument(help: "A Markdown file, a folder of them, or a study's folder.") var path: String
    @Option(name: [.short, .customLong("output")], help: "The file to write, or the folder for the files of a folder.")
    var output: String?
    @Flag(help: "Replace a Contract whatever its version.") var force = false
    @Flag(help: "Print one JSON value.") var json = false

    /// A Contract that was built, and its destination.
    private struct Built {
        let source: String
        let template: ConsentTemplate
        let target: String?
        var replaced: ConsentTemplate?
    }

    func run() async throws {
        let isFolder = ConsentInput.isFolder(path)
        var built = try isFolder ? folderContents() : [try contract(path, target: output)]
        // All are checked before the first is written.
        for index in built.indices { built[index].replaced = try replaced(by: built[index]) }
        for one in built {
            guard let target = one.target else { continue }
            // The receiver's account reads published files.
            try PrivateFile.write(
                ConsentFiles.bytes(one.template.contract.resource), to: URL(fileURLWithPath: target),
                permissions: 0o644)
        }
        if json {
            let results = built.map(result)
            CommandOutput.result(isFolder ? ["consents": .array(results)] : results[0])
            return
        }
        for one in built {
            guard let target = one.target else {
                CommandOutput.result(ConsentFiles.bytes(one.template.contract.resource))
                continue
            }
            CommandOutput.result("\(target): \(one.template.version ?? "no version"), \(one.template.terms.digest)")
            if let former = one.replaced, former.version != one.template.version {
                CommandOutput.note(
                    "It replaces version \(former.version ?? "without a name"). Phones that still sign that version are "
                        + "refused unless its file is in consent/ with the status accepted.")
            }
        }
    }

    private func result(_ one: Built) -> JSON {
        var object = one.template.summary
        object["file"] = .string(one.source)
        object["output"] = one.target.map { .string($0) } ?? .null
        if one.target == nil { object["contract"] = one.template.contract.json }
        return .object(object)
    }

    private func folderContents() throws -> [Built] {
        let folder = ConsentInput.folder(path)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter(ConsentMarkdown.isFileName).sorted()
        guard !names.isEmpty else {
            throw CommandError("consent-missing", "\(folder.path) has no consent in Markdown (NAME.md).")
        }
        if let output, !ConsentInput.isFolder(output) {
            throw CommandError("output-not-a-folder", "\(output) is no folder; make it, or leave --output out.")
        }
        let target = output.map { URL(fileURLWithPath: $0, isDirectory: true) } ?? folder
        return try names.map { name in
            let stem = String(name.dropLast(3))
            return try contract(
                folder.appendingPathComponent(name).path, target: target.appendingPathComponent(stem + ".json").path)
        }
    }

    private func contract(_ path: String, target: String?) throws -> Built {
        let data = try CommandInput.file(path)
        do {
            let contract = try ConsentMarkdown(data).contract
            let files = ConsentFiles(folder: URL(fileURLWithPath: path).deletingLastPathComponent())
            let template = try files.template(contract.resource)
            return Built(source: path, template: template, target: target == "-" ? nil : target)
        } catch let error as any CodedError {
            throw CommandError(error.code, "\(path): \(error.message)")
        }
    }

    /// Returns the Contract that is replaced; nil if there is none.
    ///
    /// - Throws: ``CommandError`` `file-exists`, `consent-version-backwards`, `consent-version-repeated`.
    private func replaced(by built: Built) throws -> ConsentTemplate? {
        guard let target = built.target, FileManager.default.fileExists(atPath: target) else { return nil }
        guard let former = try? ConsentInput.template(target) else {
            guard force else {
                throw CommandError(
                    "file-exists", "There is a file \(target) already, and it is no consent; --force replaces it.")
            }
            return nil
        }
        guard !force, former.url == built.template.url, former.contract.language == built.template.contract.language
        else { return former }
        let (old, new) = (BusinessVersion(former.version), BusinessVersion(built.template.version))
        if new < old {
            throw CommandError(
                "consent-version-backwards",
                "\(built.source) has version \(built.template.version ?? "none"), and \(target) the newer version "
                    + "\(former.version ?? "none"): give the text a version after it.")
        }
        if !(old < new), former.terms != built.template.terms {
            throw CommandError(
                "consent-version-repeated",
                "\(target) has the same version \(former.version ?? "none") and another text: give the changed text a "
                    + "version of its own.")
        }
        return former
    }
}
