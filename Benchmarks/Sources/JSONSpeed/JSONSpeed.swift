import CSimd
import FHIR
import Foundation

/// Reads and writes JSON files with `FHIR.JSON` and with simdjson, taking turns, and prints the ratio of their speeds.
///
///     JSONSpeed FOLDER [RUNS]
@main
struct JSONSpeed {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard let folder = arguments.first else {
            print("usage: JSONSpeed FOLDER [RUNS]")
            exit(64)
        }
        let runs = arguments.dropFirst().first.flatMap { Int($0) } ?? 5
        let texts = try files(in: URL(fileURLWithPath: folder))
        let size = texts.reduce(0) { $0 + $1.count }
        guard size > 0 else {
            print("no JSON files in \(folder)")
            exit(1)
        }
        // Small corpora are read several times in a run, so that a run lasts long enough to be measured.
        let rounds = max(1, 40_000_000 / size)
        let parser = csimd_make()
        var seconds: [[Double]] = [[], [], []]
        for run in 0...runs {
            let times = [
                measure(rounds) { try? texts.reduce(0) { try $0 + JSON($1).bytes().count } },
                measure(rounds) { theirs(texts) { csimd_parse_write(parser, $0.baseAddress, $0.count) } },
                measure(rounds) { theirs(texts) { csimd_parse_minify(parser, $0.baseAddress, $0.count) } },
            ]
            // The first run warms up.
            if run > 0 { for (index, time) in times.enumerated() { seconds[index].append(time) } }
        }
        let speeds = seconds.map { Double(size * rounds) / 1e6 / median($0) }
        let result: [String: Any] = [
            "files": texts.count, "bytes": size, "runs": runs,
            "tributaryMBps": rounded(speeds[0]), "simdjsonWriteMBps": rounded(speeds[1]),
            "simdjsonMinifyMBps": rounded(speeds[2]),
            "ratioToParseAndWrite": median(zip(seconds[1], seconds[0]).map { $0 / $1 }),
            "ratioToParseAndMinify": median(zip(seconds[2], seconds[0]).map { $0 / $1 }),
        ]
        let data = try JSONSerialization.data(withJSONObject: result, options: [.sortedKeys])
        print(String(decoding: data, as: UTF8.self))
    }

    private static func theirs(_ texts: [[UInt8]], _ body: (UnsafeBufferPointer<UInt8>) -> Int) -> Int? {
        var total = 0
        for text in texts {
            let written = text.withUnsafeBufferPointer(body)
            if written < 0 { return nil }
            total += written
        }
        return total
    }

    private static func files(in folder: URL) throws -> [[UInt8]] {
        guard let walk = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil) else { return [] }
        let urls = walk.compactMap { $0 as? URL }.filter { $0.pathExtension == "json" }
        return try urls.sorted { $0.path < $1.path }.map { Array(try Data(contentsOf: $0)) }
    }

    private static func measure(_ rounds: Int, _ body: () -> Int?) -> Double {
        let begin = ContinuousClock.now
        for _ in 0..<rounds {
            guard let total = body(), total > 0 else {
                print("a file was refused")
                exit(1)
            }
        }
        let time = (ContinuousClock.now - begin).components
        return Double(time.seconds) + Double(time.attoseconds) / 1e18
    }

    private static func median(_ values: [Double]) -> Double {
        values.sorted()[values.count / 2]
    }

    private static func rounded(_ value: Double) -> Double { (value * 10).rounded() / 10 }
}
