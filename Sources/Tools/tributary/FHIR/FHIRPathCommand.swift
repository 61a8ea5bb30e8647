import ArgumentParser
import DeviceCommands
import FHIR
import FHIRPath
import FHIRValidation
import Foundation

/// `tributary fhirpath`
struct FHIRPathCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fhirpath", abstract: "Evaluate a FHIRPath expression on a resource.",
        discussion: """
            The file contains a resource as JSON or XML; without one, the expression is evaluated alone. Names that the
            resource's type cannot have are an error without --lenient. Exit code 1: the expression or its evaluation
            failed.
            Example:
              tributary fhirpath "name.where(use = 'official').given" patient.json
              tributary fhirpath "4 'g' ~ 4000 'mg'" --json
            """)

    @Argument(help: "The expression.") var expression: String
    @Argument(help: "The file; - is standard input.") var file: String?
    @Flag(help: "Print an array of {type, value}.") var json = false
    @Flag(help: "Names that the type cannot have find nothing instead of being an error.") var lenient = false
    @Flag(help: "Print the arguments of trace() to standard error.") var trace = false

    /// Returns the arguments with the command's own flags first: an expression may begin with a minus sign and is not
    /// an option.
    static func arguments(_ given: [String]) -> [String] {
        guard given.first == "fhirpath", !given.contains("--") else { return given }
        let own: Set<String> = ["--json", "--lenient", "--trace", "--help", "-h"]
        let rest = given.dropFirst()
        return ["fhirpath"] + rest.filter(own.contains) + ["--"] + rest.filter { !own.contains($0) }
    }

    func run() async throws {
        let input = try file.map { try FileValidation.resource(try CommandInput.file($0), $0) }
        switch evaluation(of: input) {
        case .success(let values): show(values)
        case .failure(let error):
            fail(error)
            throw ExitCode(1)
        }
    }

    private func evaluation(of input: JSON?) -> Result<[FHIRPathValue], FHIRPathError> {
        let element = input.map { json in
            json.object.map { TypedElement(resource: $0) } ?? TypedElement(json, type: "")
        }
        var context = FHIRPathContext()
        context.resource = element
        context.terminology = BuiltInTerminology.r4
        context.offsetMinutes = DateTime.offsetMinutes(at: Date())
        if trace { context.trace = FHIRPathCommand.showTrace }
        do {
            let compiled = try FHIRPathExpression(expression)
            if !lenient { try compiled.check(on: element?.typeName) }
            return .success(try compiled.evaluate(on: element.map { [.element($0)] } ?? [], in: context))
        } catch {
            return .failure(error)
        }
    }

    @Sendable private static func showTrace(_ name: String, _ values: [FHIRPathValue]) {
        CommandOutput.note("trace \(name): \(values.map { line($0) }.joined(separator: ", "))")
    }

    private func show(_ values: [FHIRPathValue]) {
        if json {
            let rows = values.map { value -> JSON in ["type": .string(value.typeName), "value": value.json] }
            CommandOutput.result(JSON.array(rows).text(.pretty))
        } else {
            for value in values { CommandOutput.result(FHIRPathCommand.line(value)) }
        }
    }

    /// Returns an item on one line: texts unchanged, elements as JSON.
    private static func line(_ value: FHIRPathValue) -> String {
        switch value {
        case .quantity(let quantity): quantity.description
        default: value.json.string ?? value.json.text(.compact)
        }
    }

    private func fail(_ error: FHIRPathError) {
        if json {
            var object = JSONObject()
            object["kind"] = .string(error.kind.rawValue)
            object["code"] = .string(error.code)
            object["message"] = .string(error.message)
            if let line = error.line { object["line"] = .number(JSONNumber(line)) }
            if let column = error.column { object["column"] = .number(JSONNumber(column)) }
            let report: JSON = ["error": .object(object)]
            CommandOutput.note(report.text(.compact))
        } else {
            CommandOutput.note("Error: \(error.description)")
        }
    }
}
