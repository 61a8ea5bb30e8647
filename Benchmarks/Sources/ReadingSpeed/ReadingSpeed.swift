import Foundation
import RecordStorage
import Storage

/// Reads resources by their ids alternately from two stores with the same contents.
///
///     ReadingSpeed STORE OTHER IDS ROUNDS
///
/// A store is a path or a URL; the file of ids has one `Type/id` a line. Each round reads all resources in one
/// transaction, twenty times, and then each resource in its own transaction, as a request does. One round before them
/// warms the caches. Prints one JSON object: for each store the seconds of the rounds, and the bytes of the contents,
/// which must be equal in both.
@main
struct ReadingSpeed {
    /// Number of times that a round reads all resources in one transaction; a single pass is too short to measure.
    private static let passes = 20

    static func main() async throws {
        let words = CommandLine.arguments
        guard words.count == 5, let rounds = Int(words[4]) else { throw Misuse() }
        let ids = try String(contentsOfFile: words[3], encoding: .utf8).split(separator: "\n").map { line in
            let parts = line.split(separator: "/", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { throw Misuse() }
            return (type: parts[0], id: parts[1])
        }
        let stores = [try await open(words[1]), try await open(words[2])]
        var together: [[Double]] = [[], []]
        var apart: [[Double]] = [[], []]
        var contents: [[Data]] = [[], []]
        for round in 0...rounds {
            for (index, store) in stores.enumerated() {
                let begin = ContinuousClock.now
                var found: [Data] = []
                for _ in 0..<passes {
                    found = try await store.read { transaction in try ids.map { try read($0, in: transaction) } }
                }
                let middle = ContinuousClock.now
                for id in ids { _ = try await store.read { try read(id, in: $0) } }
                let (seconds, secondsApart) = (begin.seconds(to: middle), middle.seconds(to: .now))
                contents[index] = found
                guard round > 0 else { continue }
                together[index].append(seconds)
                apart[index].append(secondsApart)
            }
            guard contents[0] == contents[1] else { throw OtherContents() }
        }
        for store in stores { try await store.close() }
        let result: [String: Any] = [
            "resources": ids.count, "passes": passes, "bytes": contents[0].reduce(0) { $0 + $1.count },
            "together": together,
            "apart": apart,
        ]
        print(String(decoding: try JSONSerialization.data(withJSONObject: result, options: .sortedKeys), as: UTF8.self))
    }

    private static func open(_ location: String) async throws -> any SQLDatabase {
        try await Store(
            at: StoreLocation(location), migrations: [], schema: .records, permissions: (0o600, 0o700)
        ).open()
    }

    private static func read(_ id: (type: String, id: String), in transaction: any SQLTransaction) throws -> Data {
        guard let record = try RecordStore().read(type: id.type, id: id.id, in: transaction) else { throw Missing() }
        return record.content
    }

    /// The command line's arguments, or a line of ids, are not valid.
    struct Misuse: Error {}

    /// The stores have different contents.
    struct OtherContents: Error {}

    /// A resource does not exist.
    struct Missing: Error {}
}

extension ContinuousClock.Instant {
    /// Returns the seconds to a later instant.
    fileprivate func seconds(to later: ContinuousClock.Instant) -> Double {
        let time = duration(to: later).components
        return Double(time.seconds) + Double(time.attoseconds) / 1e18
    }
}
