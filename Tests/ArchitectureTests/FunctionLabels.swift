/// The functions of a file and the number of their parameters without a label.
struct FunctionLabels {
    struct Function {
        let name: String
        let line: Int
        let unlabelled: Int
    }

    let functions: [Function]

    init(_ text: SwiftText) {
        var functions: [Function] = []
        var bytes: [UInt8] = []
        var starts: [(offset: Int, line: Int)] = []
        for line in text.code {
            starts.append((bytes.count, line.number))
            bytes += line.text.utf8
            bytes.append(UInt8(ascii: "\n"))
        }
        var index = 0
        while index < bytes.count {
            guard let (name, list) = Self.declaration(bytes, at: index) else {
                index += 1
                continue
            }
            let (parameters, end) = Self.parameters(bytes, from: list)
            let unlabelled = parameters.count { $0.starts(with: "_ ".utf8) }
            let line = starts.last { $0.offset <= index }?.line ?? 0
            functions.append(Function(name: name, line: line, unlabelled: unlabelled))
            index = max(end, index + 1)
        }
        self.functions = functions
    }

    /// The name of the function that is declared at an index, and the index of its parameter list.
    private static func declaration(_ bytes: [UInt8], at index: Int) -> (name: String, list: Int)? {
        guard index == 0 || !isName(bytes[index - 1]) else { return nil }
        var next = index
        var name: [UInt8] = []
        if bytes[index...].starts(with: "func ".utf8) {
            next += 5
            name = Array(bytes[next...].prefix { isName($0) })
            next += name.count
        } else if bytes[index...].starts(with: "init".utf8), index == 0 || bytes[index - 1] != UInt8(ascii: ".") {
            name = Array("init".utf8)
            next += 4
            if next < bytes.count, bytes[next] == UInt8(ascii: "?") { next += 1 }
        } else {
            return nil
        }
        if next < bytes.count, bytes[next] == UInt8(ascii: "<") {
            var depth = 0
            while next < bytes.count {
                if bytes[next] == UInt8(ascii: "<") { depth += 1 }
                if bytes[next] == UInt8(ascii: ">") { depth -= 1 }
                next += 1
                if depth == 0 { break }
            }
        }
        guard !name.isEmpty, next < bytes.count, bytes[next] == UInt8(ascii: "(") else { return nil }
        return (String(decoding: name, as: UTF8.self), next)
    }

    /// The parameters of a list without leading white space, and the index after the list.
    private static func parameters(_ bytes: [UInt8], from list: Int) -> (parameters: [[UInt8]], end: Int) {
        var parameters: [[UInt8]] = []
        var parameter: [UInt8] = []
        var depth = 0
        var index = list
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            switch byte {
            case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
                if depth == 1 { continue }
            case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"):
                depth -= 1
                if depth == 0 { return (parameters + [parameter], index) }
            case UInt8(ascii: ",") where depth == 1:
                parameters.append(parameter)
                parameter = []
                continue
            default: break
            }
            if parameter.isEmpty, byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") { continue }
            parameter.append(byte)
        }
        return (parameters, index)
    }

    private static func isName(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || byte >= 0x80 || (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
            || (0x61...0x7A).contains(byte)
    }
}
