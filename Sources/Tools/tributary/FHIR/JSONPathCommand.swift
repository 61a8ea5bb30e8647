import ArgumentParser
import Core
import DeviceCommands
import JSONQuery

/// `tributary jsonpath`
struct JSONPathCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jsonpath", abstract: "Evaluate a JSONPath, as Json.NET reads it, on a JSON document.",
        discussion: """
            Prints the array of the values that are found, which may be empty; numbers keep their digits. Exit code 1:
            the document, the path or the evaluation failed; the error's code is in brackets.
            Example:
              tributary jsonpath '$..[?(@heartRate)]' message.json
            """)

    @Argument(help: "The path.") var expression: String
    @Argument(help: "The file; without one, or with -, standard input. An empty one counts as null.") var file = "-"

    func run() async throws {
        let compiled = try JSONPath(expression)
        CommandOutput.result(JSON.array(try compiled.evaluate(on: try CommandInput.document(file))))
    }
}
