import FHIR

/// Finds the lines and columns of elements in their JSON text.
///
/// Issues are rare and elements are many, so no positions are stored while reading. Instead, the text is scanned once
/// more, and only along the paths of issues.
struct SourceLocator {
    private let bytes: [UInt8]
    private var position = 0

    /// A node of the tree of paths that are searched.
    private final class Node {
        var children: [String: Node] = [:]
        var items: [Int: Node] = [:]
        /// Indices of the issues whose path ends at this node.
        var ends: [Int] = []
    }

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Returns the issues with line and column. A missing element gets the position of the object that should contain
    /// it.
    func located(_ found: [ValidationWalk.FoundIssue]) -> [ValidationIssue] {
        let root = Node()
        for (index, item) in found.enumerated() {
            var node = root
            for step in item.steps {
                let next = node.children[step.key] ?? Node()
                node.children[step.key] = next
                node = next
                if let itemIndex = step.index {
                    let inner = node.items[itemIndex] ?? Node()
                    node.items[itemIndex] = inner
                    node = inner
                }
            }
            node.ends.append(index)
        }
        var offsets: [Int?] = Array(repeating: nil, count: found.count)
        var scanner = self
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { scanner.position = 3 }
        scanner.skipSpace()
        SourceLocator.setOffset(of: root, to: scanner.position, in: &offsets)
        scanner.value(root, &offsets)
        let lines = SourceLocator.lines(bytes, offsets)
        return zip(found, lines).map { item, location in
            var issue = item.issue
            issue.line = location?.line
            issue.column = location?.column
            return issue
        }
    }

    /// Sets the offset of all issues below a node; deeper matches overwrite it.
    private static func setOffset(of node: Node, to offset: Int, in offsets: inout [Int?]) {
        for index in node.ends { offsets[index] = offset }
        for child in node.children.values { setOffset(of: child, to: offset, in: &offsets) }
        for child in node.items.values { setOffset(of: child, to: offset, in: &offsets) }
    }

    private static func lines(_ bytes: [UInt8], _ offsets: [Int?]) -> [(line: Int, column: Int)?] {
        var result: [(line: Int, column: Int)?] = Array(repeating: nil, count: offsets.count)
        var line = 1
        var start = 0
        var position = 0
        for (index, offset) in offsets.enumerated().compactMap({ pair in pair.element.map { (pair.offset, $0) } })
            .sorted(by: { $0.1 < $1.1 })
        {
            while position < offset {
                if bytes[position] == UInt8(ascii: "\n") {
                    line += 1
                    start = position + 1
                }
                position += 1
            }
            result[index] = (line, offset - start + 1)
        }
        return result
    }

    // MARK: The text, which is known to be JSON

    private mutating func value(_ node: Node?, _ offsets: inout [Int?]) {
        skipSpace()
        guard position < bytes.count else { return }
        switch bytes[position] {
        case UInt8(ascii: "{"): object(node, &offsets)
        case UInt8(ascii: "["): array(node, &offsets)
        case UInt8(ascii: "\""): _ = string()
        default:
            while position < bytes.count, !SourceLocator.ends.contains(bytes[position]) { position += 1 }
        }
    }

    private static let ends: Set<UInt8> = Set(",]} \n\r\t".utf8)

    private mutating func object(_ node: Node?, _ offsets: inout [Int?]) {
        position += 1
        while position < bytes.count {
            skipSpace()
            guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else { break }
            let start = position
            let key = string()
            let next = node.flatMap { node in
                node.children.isEmpty ? nil : node.children[SourceLocator.name(key)]
            }
            if let next { SourceLocator.setOffset(of: next, to: start, in: &offsets) }
            skipSpace()
            position += 1
            value(next, &offsets)
            skipSpace()
            guard position < bytes.count, bytes[position] == UInt8(ascii: ",") else { break }
            position += 1
        }
        position += 1
    }

    private mutating func array(_ node: Node?, _ offsets: inout [Int?]) {
        position += 1
        var index = 0
        while position < bytes.count {
            skipSpace()
            guard position < bytes.count, bytes[position] != UInt8(ascii: "]") else { break }
            let next = node?.items[index]
            if let next { SourceLocator.setOffset(of: next, to: position, in: &offsets) }
            value(next, &offsets)
            skipSpace()
            index += 1
            guard position < bytes.count, bytes[position] == UInt8(ascii: ",") else { break }
            position += 1
        }
        position += 1
    }

    /// Skips a string and returns the bytes between the quotes.
    private mutating func string() -> ArraySlice<UInt8> {
        position += 1
        let start = position
        while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
            position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
        }
        let end = min(position, bytes.count)
        position = end + 1
        return bytes[start..<end]
    }

    private static func name(_ key: ArraySlice<UInt8>) -> String {
        guard key.contains(UInt8(ascii: "\\")) else { return String(decoding: key, as: UTF8.self) }
        let quoted = [UInt8(ascii: "\"")] + key + [UInt8(ascii: "\"")]
        return (try? JSON(quoted))?.string ?? ""
    }

    private mutating func skipSpace() {
        while position < bytes.count, [0x20, 9, 10, 13].contains(bytes[position]) { position += 1 }
    }
}
