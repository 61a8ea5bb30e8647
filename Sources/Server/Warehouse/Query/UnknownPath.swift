import Core
import Storage

/// The error that no concept of the ontology has a path, with the nearest paths.
package struct UnknownPath: CodedError, Hashable {
    /// The requested path.
    package let path: String
    /// Paths that may be meant, the nearest first.
    package let nearest: [String]

    /// The stable code.
    package var code: String { "path-unknown" }

    /// A sentence that a person can act on.
    package var message: String {
        let list = nearest.isEmpty ? "" : " The nearest are " + nearest.map { "'\($0)'" }.joined(separator: ", ") + "."
        return "No concept has the path \(path).\(list) `tributary warehouse ontology STUDY --paths` lists all."
    }

    /// Maximum number of ``nearest``.
    static let maximumNearest = 5
    /// Maximum length of a path that is repeated in the message.
    private static let maximumShown = 200

    /// Finds the nearest concepts.
    init(_ path: String, among concepts: [OntologyConcept]) {
        self.path = path.count > Self.maximumShown ? path.prefix(Self.maximumShown) + "…" : path
        let asked = PathWords(path)
        let scored = concepts.compactMap { concept -> (path: String, score: Int)? in
            if concept.code?.lowercased() == path.lowercased() || concept.name.lowercased() == path.lowercased() {
                return (concept.path, -1)
            }
            return PathWords(concept.path).distance(to: asked).map { (concept.path, $0) }
        }
        nearest = scored.sorted { ($0.score, $0.path.count, $0.path) < ($1.score, $1.path.count, $1.path) }
            .prefix(Self.maximumNearest).map(\.path)
    }
}

/// The segments of a path, with any separator.
private struct PathWords {
    let segments: [[UInt8]]

    /// Maximum number of compared segments, and of bytes of each.
    private static let maximumSegments = 12
    private static let maximumLength = 60

    init(_ path: String) {
        segments = path.lowercased().split { $0 == "\\" || $0 == "/" }.suffix(Self.maximumSegments)
            .map { Array($0.utf8.prefix(Self.maximumLength)) }
    }

    /// Returns the distance from the last segment of another path, and then from its folders; nil if the last segments
    /// have little in common.
    func distance(to other: PathWords) -> Int? {
        guard let own = segments.last, let asked = other.segments.last else { return nil }
        let last = Self.distance(own, asked)
        let isPart =
            asked.count > 2 && String(decoding: own, as: UTF8.self).contains(String(decoding: asked, as: UTF8.self))
        guard last <= max(2, asked.count / 2) || isPart else { return nil }
        let shared = zip(segments.dropLast(), other.segments.dropLast()).prefix { $0 == $1 }.count
        let folders = max(segments.count, other.segments.count) - 1 - shared
        return (isPart ? min(last, 3) : last) * 4 + folders
    }

    /// Returns the number of bytes to change, add or remove between two texts (Levenshtein).
    private static func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
        var row = Array(0...other.count)
        for (index, byte) in one.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in other.indices {
                let above = row[column + 1]
                row[column + 1] = min(above + 1, row[column] + 1, diagonal + (byte == other[column] ? 0 : 1))
                diagonal = above
            }
        }
        return row[other.count]
    }
}
