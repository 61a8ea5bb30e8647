import Foundation

/// A Swift text in its three parts, line by line: code, comments and the contents of string literals.
struct SwiftText {
    struct Line {
        let number: Int
        let text: String
    }

    /// The byte before each literal of a line in ``strings``.
    static let separator: UInt8 = 0x1F

    private static let lineComment = Array("//".utf8)
    private static let blockStart = Array("/*".utf8)
    private static let blockEnd = Array("*/".utf8)

    private(set) var code: [Line] = []
    private(set) var comments: [Line] = []
    private(set) var strings: [Line] = []

    private enum State {
        case code
        case comment
        case block(depth: Int)
        /// `delimiter` ends the literal; `escape` begins an escape sequence.
        case string(delimiter: [UInt8], escape: [UInt8])
    }

    init(_ source: String) {
        let bytes = Array(source.utf8)
        var state = State.code
        // Literals around an interpolation, with the number of open parentheses in it.
        var outer: [(state: State, depth: Int)] = []
        var (code, comment, string): ([UInt8], [UInt8], [UInt8]) = ([], [], [])
        var number = 1
        var index = 0

        func starts(_ text: [UInt8]) -> Bool {
            guard bytes[index] == text[0], index + text.count <= bytes.count else { return false }
            var offset = 1
            while offset < text.count, bytes[index + offset] == text[offset] { offset += 1 }
            return offset == text.count
        }
        func literal() -> (delimiter: [UInt8], escape: [UInt8], length: Int)? {
            let hashes = Array(bytes[index...].prefix { $0 == UInt8(ascii: "#") })
            let quotes = bytes[(index + hashes.count)...].prefix(3)
            guard quotes.first == UInt8(ascii: "\"") else { return nil }
            let isMultiline = quotes.count == 3 && quotes.allSatisfy { $0 == UInt8(ascii: "\"") }
            let mark = [UInt8](repeating: UInt8(ascii: "\""), count: isMultiline ? 3 : 1)
            return (mark + hashes, [UInt8(ascii: "\\")] + hashes, hashes.count + mark.count)
        }
        func endLine() {
            for (bytes, path) in [(code, \SwiftText.code), (comment, \.comments), (string, \.strings)] {
                let text = String(decoding: bytes, as: UTF8.self)
                if !text.allSatisfy(\.isWhitespace) { self[keyPath: path].append(Line(number: number, text: text)) }
            }
            (code, comment, string) = ([], [], [])
            number += 1
        }

        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\n") {
                if case .comment = state { state = .code }
                endLine()
                index += 1
                continue
            }
            switch state {
            case .code:
                if starts(Self.lineComment) {
                    state = .comment
                    index += 2
                } else if starts(Self.blockStart) {
                    state = .block(depth: 1)
                    index += 2
                } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "#"), let literal = literal() {
                    state = .string(delimiter: literal.delimiter, escape: literal.escape)
                    code += "\"\"".utf8
                    string.append(Self.separator)
                    index += literal.length
                } else {
                    if let last = outer.last {
                        let depth = last.depth + (byte == UInt8(ascii: "(") ? 1 : byte == UInt8(ascii: ")") ? -1 : 0)
                        outer[outer.count - 1].depth = depth
                        if depth == 0 {
                            state = last.state
                            outer.removeLast()
                        }
                    }
                    code.append(byte)
                    index += 1
                }
            case .comment:
                comment.append(byte)
                index += 1
            case .block(let depth):
                if starts(Self.blockEnd) {
                    state = depth == 1 ? .code : .block(depth: depth - 1)
                    index += 2
                } else if starts(Self.blockStart) {
                    state = .block(depth: depth + 1)
                    index += 2
                } else {
                    comment.append(byte)
                    index += 1
                }
            case .string(let delimiter, let escape):
                if starts(delimiter) {
                    state = .code
                    index += delimiter.count
                } else if starts(escape) {
                    index += escape.count
                    if index < bytes.count, bytes[index] == UInt8(ascii: "(") {
                        outer.append((state, 1))
                        state = .code
                        code.append(bytes[index])
                        string.append(UInt8(ascii: " "))
                    }
                    // The line of a literal that continues ends here, too.
                    if index < bytes.count, bytes[index] != UInt8(ascii: "\n") { index += 1 }
                } else {
                    string.append(byte)
                    index += 1
                }
            }
        }
        endLine()
    }
}
