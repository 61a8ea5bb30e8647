import ArgumentParser
import DeviceCommands
import FHIR
import Foundation
import InformedConsent
import StudyFiles

/// `tributary consent show`: prints a consent for reading.
struct ConsentShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print a consent, a Contract or Markdown, as text or HTML.",
        discussion: """
            Of a study's folder, it prints the version that is shown to people who sign now. Parts that cannot be read
            are named on standard error.

            Example:
              tributary consent show study
              tributary consent show study/consent/consent.md --html -o consent.html
            """)

    @Argument(help: "A Contract, a Markdown file, or a study's folder.") var path: String
    @Flag(help: "Print an HTML page.") var html = false
    @Option(help: "The language, of a study's folder with several.") var language: String?
    @Option(name: [.short, .customLong("output")], help: "Where to write it; standard output unless given.")
    var output: String?
    @Flag(help: "Replace a file that is there already.") var force = false
    @Flag(help: "Print one JSON value.") var json = false

    func run() async throws {
        let template = try template()
        for warning in template.warnings { CommandOutput.note("warning: \(warning)") }
        let text =
            json ? Self.json(template).text(.pretty) + "\n" : html ? template.page : template.plainText + "\n"
        guard let output, output != "-" else {
            CommandOutput.result(Data(text.utf8))
            return
        }
        try OutputFile.write(Data(text.utf8), to: output, replaces: force)
    }

    private func template() throws -> ConsentTemplate {
        guard ConsentInput.isFolder(path) else { return try ConsentInput.template(path) }
        let consents = PublishedConsents(StudyFolder(path: path).consents())
        if let current = consents.current(languages: language.map { [$0] } ?? []) { return current }
        throw CommandError(
            "consent-missing",
            "\(path) has no current consent in consent/; `tributary study check` lists what is wrong.")
    }

    private static func json(_ template: ConsentTemplate) -> JSON {
        var object = template.summary
        object["team"] = template.teamName.map { .string($0) } ?? .null
        object["status"] = .string(template.status.rawValue)
        object["change"] = .string(template.change.rawValue)
        object["sharing"] =
            template.requiresSharingAnswer ? "required" : template.asksForSharing ? "asked" : "not-asked"
        object["healthData"] = .array(template.includedHealthData.sorted().map { .string($0) })
        object["eligibility"] = .array(
            template.eligibility.criteria.map { ["question": .string($0.text), "answer": .bool($0.mustBeMet)] })
        object["sections"] = .array(
            zip(template.sections, template.documentSections).map { section, document in
                [
                    "type": .string(section.kind.rawValue), "title": .string(section.title),
                    "paragraphs": .array(document.paragraphs.map { .string($0) }),
                ]
            })
        object["warnings"] = .array(template.warnings.map { .string($0) })
        return .object(object)
    }
}
