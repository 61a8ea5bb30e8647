import ArgumentParser
import Core
import DeviceCommands
import JSONQuery

/// `tributary jmespath`
struct JMESPathCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jmespath", abstract: "Evaluate a JMESPath expression on a JSON document.",
        discussion: """
            Prints the value as JSON, or null if nothing is found; numbers keep their digits. Exit code 1: the document,
            the expression or the evaluation failed; the error's code is in brackets.
            Example:
              tributary jmespath "Body.readings[?unit == 'mmHg'].systolic" message.json
              tributary jmespath 'add(`1.10`, `2`)' < /dev/null
            """)

    @Argument(help: "The expression.") var expression: String
    @Argument(help: "The file; without one, or with -, standard input. An empty one counts as null.") var file = "-"

    func run() async throws {
        let compiled = try JMESPath(expression)
        CommandOutput.result(try compiled.evaluate(on: try CommandInput.document(file)))
    }
}

extension CommandInput {
    /// Returns the JSON on which an expression is evaluated.
    static func document(_ path: String) throws -> JSON {
        let bytes = try file(path)
        do {
            return bytes.isEmpty ? .null : try JSON(bytes)
        } catch {
            throw CommandError(error.code, "\(path == "-" ? "Standard input" : path): \(error.message)")
        }
    }
}
