import ArgumentParser
import DeviceCommands
import FHIR
import Foundation
import InformedConsent
import StudyFiles

/// `tributary consent`: the study's consent as Markdown and as a Contract.
struct ConsentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "consent", abstract: "Write, show and convert a study's consent.",
        discussion: """
            Example:
              tributary consent show study
              tributary consent build study/consent/consent.md -o consent.json
              tributary consent import consent.json -o consent.md
            """,
        subcommands: [ConsentBuildCommand.self, ConsentShowCommand.self, ConsentImportCommand.self])
}

/// Reads the files of consents for commands.
enum ConsentInput {
    /// Reads a consent from a file, with the texts that its sections name.
    ///
    /// - Throws: ``CommandError`` with the code of the error, and the file's path.
    static func template(_ path: String) throws -> ConsentTemplate {
        let data = try CommandInput.file(path)
        do {
            return try ConsentFiles.template(file: URL(fileURLWithPath: path), data: data)
        } catch let error as any CodedError {
            throw CommandError(error.code, "\(path): \(error.message)")
        }
    }

    /// Returns the folder of consents in a folder: `consent/` of a study, otherwise the folder itself.
    static func folder(_ path: String) -> URL {
        let study = StudyFolder(path: path)
        let isStudy = isFolder(study.consentURL.path)
        return isStudy ? study.consentURL : study.url
    }

    static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }
}

extension ConsentTemplate {
    /// The members that identify the version, in the output of commands.
    var summary: JSONObject {
        var object = JSONObject()
        object["title"] = .string(title)
        object["version"] = version.map { .string($0) } ?? .null
        object["language"] = contract.language.map { .string($0) } ?? .null
        object["url"] = url.map { .string($0) } ?? .null
        object["digest"] = .string(terms.digest)
        return object
    }
}
