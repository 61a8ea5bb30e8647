import Foundation

extension JSON {
    /// How the text is laid out.
    public enum Layout: Sendable {
        /// One line without spaces.
        case compact
        /// Two spaces a level, one member a line.
        case pretty
    }

    /// The JSON text as UTF-8, members and digits as they are held.
    public func bytes(_ layout: Layout = .compact) -> [UInt8] {
        var output: [UInt8] = []
        write(to: &output, layout, depth: 0)
        return output
    }

    /// The JSON text.
    public func text(_ layout: Layout = .compact) -> String { String(decoding: bytes(layout), as: UTF8.self) }

    /// The JSON text as UTF-8.
    public func data(_ layout: Layout = .compact) -> Data { Data(bytes(layout)) }

    /// Appends the JSON text to bytes.
    public func write(to output: inout [UInt8]) { write(to: &output, .compact, depth: 0) }

    private func write(to output: inout [UInt8], _ layout: Layout, depth: Int) {
        switch self {
        case .null: output.append(contentsOf: "null".utf8)
        case .bool(let value): output.append(contentsOf: (value ? "true" : "false").utf8)
        case .number(let value): output.append(contentsOf: value.text.utf8)
        case .string(let value): JSON.write(value, to: &output)
        case .array(let elements):
            output.append(UInt8(ascii: "["))
            var first = true
            for element in elements {
                if !first { output.append(UInt8(ascii: ",")) }
                first = false
                JSON.newLine(&output, layout, depth + 1)
                element.write(to: &output, layout, depth: depth + 1)
            }
            if !elements.isEmpty { JSON.newLine(&output, layout, depth) }
            output.append(UInt8(ascii: "]"))
        case .object(let object):
            output.append(UInt8(ascii: "{"))
            var first = true
            for member in object.members {
                if !first { output.append(UInt8(ascii: ",")) }
                first = false
                JSON.newLine(&output, layout, depth + 1)
                JSON.write(member.key, to: &output)
                output.append(UInt8(ascii: ":"))
                if layout == .pretty { output.append(UInt8(ascii: " ")) }
                member.value.write(to: &output, layout, depth: depth + 1)
            }
            if !object.isEmpty { JSON.newLine(&output, layout, depth) }
            output.append(UInt8(ascii: "}"))
        }
    }

    private static func newLine(_ output: inout [UInt8], _ layout: Layout, _ depth: Int) {
        guard layout == .pretty else { return }
        output.append(0x0A)
        output.append(contentsOf: repeatElement(0x20, count: depth * 2))
    }

    private static func write(_ string: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        var text = string
        text.withUTF8 { bytes in
            var start = 0
            for index in bytes.indices {
                let byte = bytes[index]
                guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
                output.append(contentsOf: bytes[start..<index])
                output.append(contentsOf: escape(byte))
                start = index + 1
            }
            output.append(contentsOf: bytes[start...])
        }
        output.append(UInt8(ascii: "\""))
    }

    private static func escape(_ byte: UInt8) -> [UInt8] {
        switch byte {
        case UInt8(ascii: "\""): return Array("\\\"".utf8)
        case UInt8(ascii: "\\"): return Array("\\\\".utf8)
        case 0x0A: return Array("\\n".utf8)
        case 0x0D: return Array("\\r".utf8)
        case 0x09: return Array("\\t".utf8)
        default:
            let digits = Array("0123456789abcdef".utf8)
            return Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
    }
}
