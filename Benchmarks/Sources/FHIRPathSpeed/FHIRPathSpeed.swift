import FHIR
import FHIRPath
import Foundation

/// Evaluates expressions on resources and prints how long one evaluation takes.
///
///     FHIRPathSpeed CASES.json SECONDS
///
/// The cases are an array of `{expression, file}`. The output is an array of `{expression, seconds, items}`.
@main
struct FHIRPathSpeed {
    static func main() throws {
        guard CommandLine.arguments.count == 3, let seconds = Double(CommandLine.arguments[2]) else {
            print("usage: FHIRPathSpeed CASES.json SECONDS")
            exit(64)
        }
        let cases = try JSON(Data(contentsOf: URL(fileURLWithPath: CommandLine.arguments[1])))
        var rows: [JSON] = []
        for item in cases.array ?? [] {
            guard let text = item["expression"]?.string, let file = item["file"]?.string else { continue }
            guard let object = try JSON(Data(contentsOf: URL(fileURLWithPath: file))).object else { continue }
            let expression = try FHIRPathExpression(text)
            let element = TypedElement(resource: object)
            var context = FHIRPathContext()
            context.resource = element
            let items = try expression.evaluate(element, in: context).count
            var rounds = 16
            var time = 0.0
            repeat {
                rounds *= 4
                let begin = ContinuousClock.now
                for _ in 0..<rounds where try expression.evaluate(element, in: context).count != items {
                    print("another result")
                    exit(1)
                }
                let components = (ContinuousClock.now - begin).components
                time = Double(components.seconds) + Double(components.attoseconds) / 1e18
            } while time < seconds
            let each = time / Double(rounds)
            rows.append([
                "expression": .string(text), "items": .number(JSONNumber(items)),
                "seconds": JSONNumber(text: String(format: "%.12f", each)).map(JSON.number) ?? .null,
            ])
        }
        print(JSON.array(rows).text(.compact))
    }
}
