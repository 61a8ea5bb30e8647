import FHIR

/// Positions of elements in R4 XML, looked up by the FHIRPath expressions of validation issues.
///
/// ``ResourceXML`` has read the text before, so it is well-formed and without a document type; only the positions of
/// tags are searched here.
public struct ElementLocations {
    /// A line and a column in bytes, both counted from 1.
    public struct Location: Sendable, Hashable {
        /// The line, from 1.
        public let line: Int
        /// The column in bytes, from 1.
        public let column: Int
    }

    /// A node of the tree of expressions that are searched.
    private final class Node {
        var children: [String: Node] = [:]
        var items: [Int: Node] = [:]
        /// Expressions that end at this node.
        var ends: [String] = []
    }

    /// An element that is still open.
    private struct Frame {
        let node: Node?
        let name: String
        var counts: [String: Int] = [:]
    }

    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    private var lineStart = 0
    private var found: [String: Location] = [:]

    /// Returns the positions of expressions such as `Observation.component[0].value.ofType(Quantity).code`. An element
    /// that the text does not contain gets the position of the nearest ancestor.
    public static func locations(of expressions: [String], in bytes: some Collection<UInt8>) -> [String: Location] {
        let root = Node()
        for expression in Set(expressions) {
            var node = root
            for step in steps(of: expression) {
                let next = node.children[step.name] ?? Node()
                node.children[step.name] = next
                node = next
                guard let index = step.index else { continue }
                let item = node.items[index] ?? Node()
                node.items[index] = item
                node = item
            }
            node.ends.append(expression)
        }
        var locations = ElementLocations(Array(bytes))
        locations.walk(root)
        return locations.found
    }

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    // MARK: Expressions

    /// Returns the names of the tags on the path, without the resource itself. `value.ofType(Quantity)` is
    /// `valueQuantity`.
    static func steps(of expression: String) -> [(name: String, index: Int?)] {
        var steps: [(name: String, index: Int?)] = []
        for part in expression.split(separator: ".").dropFirst() {
            if part.hasPrefix("ofType("), let last = steps.popLast() {
                let type = part.dropFirst(7).prefix { $0 != ")" }
                steps.append(
                    (last.name + type.prefix(1).uppercased() + type.dropFirst(), index(of: part) ?? last.index))
                continue
            }
            let name = part.prefix { $0 != "[" }.filter { $0 != "`" }
            steps.append((String(name), index(of: part)))
        }
        return steps
    }

    private static func index(of part: Substring) -> Int? {
        guard let open = part.lastIndex(of: "["), part.last == "]" else { return nil }
        return Int(part[part.index(after: open)...].dropLast())
    }

    // MARK: Tags

    private mutating func walk(_ root: Node) {
        var open: [Frame] = []
        while let start = nextTag() {
            let (line, column) = (self.line, start - lineStart + 1)
            if matches("<!--", at: start) {
                skip(past: "-->")
            } else if matches("<![CDATA[", at: start) {
                skip(past: "]]>")
            } else if matches("<?", at: start) {
                skip(past: "?>")
            } else if matches("</", at: start) {
                skip(past: ">")
                _ = open.popLast()
            } else {
                let name = self.name(at: start + 1)
                let isEmpty = endOfTag()
                let node = enter(name, open: &open, root: root, at: Location(line: line, column: column))
                if !isEmpty { open.append(Frame(node: node, name: name)) }
            }
        }
    }

    /// Returns the node of a tag. Its position is also used for the descendants that are searched, until a closer one
    /// is found.
    private mutating func enter(
        _ name: String, open: inout [Frame], root: Node, at location: Location
    ) -> Node? {
        guard let parent = open.last else {
            mark(root, location)
            return root
        }
        // A contained resource is wrapped: `<contained><Patient>`.
        let isResource = name.first?.isUppercase == true && (parent.name == "contained" || parent.name == "resource")
        if isResource { return parent.node }
        let index = parent.counts[name, default: 0]
        open[open.count - 1].counts[name] = index + 1
        guard let child = parent.node?.children[name] else { return nil }
        if index == 0 { mark(child, location) }
        guard let item = child.items[index] else { return child.items.isEmpty ? child : nil }
        mark(item, location)
        return item
    }

    private mutating func mark(_ node: Node, _ location: Location) {
        for expression in node.ends { found[expression] = location }
        for child in node.children.values { mark(child, location) }
        for item in node.items.values { mark(item, location) }
    }

    // MARK: Bytes

    private mutating func nextTag() -> Int? {
        while position < bytes.count, bytes[position] != UInt8(ascii: "<") { advance() }
        return position < bytes.count ? position : nil
    }

    private mutating func advance() {
        if bytes[position] == UInt8(ascii: "\n") {
            line += 1
            lineStart = position + 1
        }
        position += 1
    }

    private func matches(_ text: StaticString, at offset: Int) -> Bool {
        guard offset + text.utf8CodeUnitCount <= bytes.count else { return false }
        return text.withUTF8Buffer { buffer in bytes[offset..<offset + buffer.count].elementsEqual(buffer) }
    }

    private mutating func skip(past end: StaticString) {
        while position < bytes.count, !matches(end, at: position) { advance() }
        for _ in 0..<end.utf8CodeUnitCount where position < bytes.count { advance() }
    }

    /// The local name of a tag.
    private func name(at start: Int) -> String {
        let ends: Set<UInt8> = [0x20, 9, 10, 13, UInt8(ascii: ">"), UInt8(ascii: "/")]
        let name = bytes[start...].prefix { !ends.contains($0) }
        let local = name.lastIndex(of: UInt8(ascii: ":")).map { name[($0 + 1)...] } ?? name
        return String(decoding: local, as: UTF8.self)
    }

    /// Moves past a start tag and returns whether the element is empty.
    private mutating func endOfTag() -> Bool {
        var quote: UInt8?
        while position < bytes.count {
            let byte = bytes[position]
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: ">") {
                let isEmpty = bytes[position - 1] == UInt8(ascii: "/")
                advance()
                return isEmpty
            }
            advance()
        }
        return false
    }
}
