import FHIR
import FHIRValidation
import Foundation

/// Validates resources and only parses them, alternately, and prints the ratio of the times.
///
///     ValidationSpeed FOLDER PREFIX [RUNS]
///
/// Measures the valid files whose names begin with the prefix.
@main
struct ValidationSpeed {
    static func main() throws {
        guard CommandLine.arguments.count >= 3 else {
            print("usage: ValidationSpeed FOLDER PREFIX [RUNS]")
            exit(64)
        }
        let folder = URL(fileURLWithPath: CommandLine.arguments[1])
        let prefix = CommandLine.arguments[2]
        let runs = CommandLine.arguments.count > 3 ? Int(CommandLine.arguments[3]) ?? 5 : 5
        let walk = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        let urls = (walk?.compactMap { $0 as? URL } ?? [])
            .filter { $0.pathExtension == "json" && $0.lastPathComponent.hasPrefix(prefix) }
        let validator = FHIRValidator()
        let texts = try urls.sorted { $0.path < $1.path }.map { Array(try Data(contentsOf: $0)) }
            .filter { validator.validate($0).isValid }
        let size = texts.reduce(0) { $0 + $1.count }
        guard size > 0 else {
            print("no valid files")
            exit(1)
        }
        let rounds = max(1, 8_000_000 / size)
        var parsing: [Double] = []
        var validating: [Double] = []
        for run in 0...runs {
            let first = try measure(rounds) { for text in texts { _ = try JSON(text) } }
            let second = try measure(rounds) {
                for text in texts where !validator.validate(text).isValid { throw CocoaError(.fileReadCorruptFile) }
            }
            // The first run warms up.
            if run > 0 {
                parsing.append(first)
                validating.append(second)
            }
        }
        let ratios = zip(parsing, validating).map { $1 / $0 }
        let result: [String: Any] = [
            "files": texts.count, "bytes": size, "timesParsing": median(ratios),
            "parsingMBps": Double(size * rounds) / 1e6 / median(parsing),
            "validatingMBps": Double(size * rounds) / 1e6 / median(validating),
        ]
        let data = try JSONSerialization.data(withJSONObject: result, options: [.sortedKeys])
        print(String(decoding: data, as: UTF8.self))
    }

    private static func measure(_ rounds: Int, _ body: () throws -> Void) rethrows -> Double {
        let begin = ContinuousClock.now
        for _ in 0..<rounds { try body() }
        let time = (ContinuousClock.now - begin).components
        return Double(time.seconds) + Double(time.attoseconds) / 1e18
    }

    private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
}
