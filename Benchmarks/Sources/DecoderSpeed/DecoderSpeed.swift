import FHIR
import Foundation

/// Reads and writes Observations with `FHIR.JSON`, and with JSONDecoder and JSONEncoder into structs, taking turns. The
/// structs keep only what they declare; `FHIR.JSON` keeps everything.
///
///     DecoderSpeed FOLDER [RUNS]
@main
struct DecoderSpeed {
    static func main() throws {
        guard CommandLine.arguments.count >= 2 else {
            print("usage: DecoderSpeed FOLDER [RUNS]")
            exit(64)
        }
        let folder = URL(fileURLWithPath: CommandLine.arguments[1])
        let runs = CommandLine.arguments.count > 2 ? Int(CommandLine.arguments[2]) ?? 5 : 5
        let walk = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        let urls = (walk?.compactMap { $0 as? URL } ?? [])
            .filter { $0.pathExtension == "json" && $0.lastPathComponent.hasPrefix("Observation-") }
        let decoder = JSONDecoder()
        let encoder = JSONEncoder()
        let texts = try urls.sorted { $0.path < $1.path }.map { try Data(contentsOf: $0) }
            .filter { (try? decoder.decode(CodableObservation.self, from: $0)) != nil }
        let size = texts.reduce(0) { $0 + $1.count }
        guard size > 0 else {
            print("no Observations")
            exit(1)
        }
        let rounds = max(1, 2_000_000 / size)
        var ours: [Double] = []
        var theirs: [Double] = []
        for run in 0...runs {
            let first = try measure(rounds) {
                for text in texts where try JSON(text).bytes().isEmpty { throw CocoaError(.fileReadCorruptFile) }
            }
            let second = try measure(rounds) {
                for text in texts {
                    _ = try encoder.encode(try decoder.decode(CodableObservation.self, from: text))
                }
            }
            if run > 0 {
                ours.append(first)
                theirs.append(second)
            }
        }
        let result: [String: Any] = [
            "files": texts.count, "bytes": size, "ratio": median(zip(ours, theirs).map { $1 / $0 }),
            "tributaryMBps": Double(size * rounds) / 1e6 / median(ours),
            "foundationMBps": Double(size * rounds) / 1e6 / median(theirs),
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
