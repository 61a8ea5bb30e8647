import Foundation
import JSONQuery

/// Evaluates expressions on a document and prints the results and the time of one evaluation.
///
///     QuerySpeed jmespath|jsonpath EXPRESSIONS.json DOCUMENT.json SECONDS
///
/// The output is an array of `{expression, found, seconds}`.
@main
struct QuerySpeed {
    static func main() throws {
        guard CommandLine.arguments.count == 5, let seconds = Double(CommandLine.arguments[4]) else {
            print("usage: QuerySpeed jmespath|jsonpath EXPRESSIONS.json DOCUMENT.json SECONDS")
            exit(64)
        }
        let expressions = try JSON(Data(contentsOf: URL(fileURLWithPath: CommandLine.arguments[2])))
        let document = try JSON(Data(contentsOf: URL(fileURLWithPath: CommandLine.arguments[3])))
        var rows: [JSON] = []
        for text in (expressions.array ?? []).compactMap(\.string) {
            let row: (found: JSON, seconds: Double)
            if CommandLine.arguments[1] == "jmespath" {
                let expression = try JMESPath(text)
                row = try measured(seconds) { try expression.evaluate(on: document) }
            } else {
                let path = try JSONPath(text)
                row = try measured(seconds) { .array(try path.evaluate(on: document)) }
            }
            rows.append([
                "expression": .string(text), "found": row.found,
                "seconds": JSONNumber(text: String(format: "%.12f", row.seconds)).map(JSON.number) ?? .null,
            ])
        }
        print(JSON.array(rows).text(.compact))
    }

    /// Returns the result of an evaluation, and the seconds of one evaluation when it is repeated for at least `least`
    /// seconds.
    private static func measured(
        _ least: Double, _ evaluate: () throws -> JSON
    ) throws -> (found: JSON, seconds: Double) {
        let found = try evaluate()
        var rounds = 4
        while true {
            rounds *= 4
            let begin = ContinuousClock.now
            for _ in 0..<rounds where try evaluate().isNull != found.isNull {
                print("another result")
                exit(1)
            }
            let components = (ContinuousClock.now - begin).components
            let time = Double(components.seconds) + Double(components.attoseconds) / 1e18
            if time >= least { return (found, time / Double(rounds)) }
        }
    }
}
