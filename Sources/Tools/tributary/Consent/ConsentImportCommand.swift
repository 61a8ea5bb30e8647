import ArgumentParser
import DeviceCommands
import FHIR
import Foundation
import InformedConsent

/// `tributary consent import`: converts a Contract to Markdown.
struct ConsentImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Convert a Contract to Markdown, with the same digest.",
        discussion: """
            Contracts of C3-PRO's apps (DSTU2, STU3) and of R4 are read. HTML that Markdown cannot express remains HTML,
            in a block of its section. Texts in separate files remain there: put the Markdown file next to them.
            Elements that are not part of the text, and that Markdown does not have, are named on standard error.

            Example:
              tributary consent import contract.json -o consent.md
            """)

    @Argument(help: "The Contract.") var contract: String
    @Option(name: [.short, .customLong("output")], help: "Where to write it; standard output unless given.")
    var output: String?
    @Flag(help: "Replace a file that is there already.") var force = false
    @Flag(help: "Print one JSON value.") var json = false

    func run() async throws {
        let template = try ConsentInput.template(contract)
        let markdown: ConsentMarkdown
        do throws(ConsentMarkdownError) {
            markdown = try ConsentMarkdown(template)
        } catch {
            throw CommandError(error.code, "\(contract): \(error.message)")
        }
        let leftOut = markdown.elementsLeftOut(of: template.contract)
        let target = output == "-" ? nil : output
        if let target { try OutputFile.write(Data(markdown.text.utf8), to: target, replaces: force) }
        if json {
            var object = template.summary
            object["output"] = target.map { .string($0) } ?? .null
            object["leftOut"] = .array(leftOut.map { .string($0) })
            object["warnings"] = .array(template.warnings.map { .string($0) })
            if target == nil { object["markdown"] = .string(markdown.text) }
            CommandOutput.result(.object(object))
            return
        }
        for warning in template.warnings { CommandOutput.note("warning: \(warning)") }
        if !leftOut.isEmpty {
            CommandOutput.note(
                "Not in the Markdown file, and not part of the text: \(leftOut.joined(separator: ", ")).")
        }
        if let target {
            CommandOutput.result("\(target): \(template.terms.digest)")
        } else {
            CommandOutput.result(Data(markdown.text.utf8))
        }
    }
}
