import Foundation

/// The blocks of a PEM file (RFC 7468): label and bytes. Text around the blocks is explanatory and ignored.
struct PEMDocument: Sendable {
    struct Block: Sendable {
        let label: String
        let bytes: Data
    }

    let blocks: [Block]

    /// Reads every block. `nil` if a block is not closed, is closed under another label or holds no base64.
    init?(_ text: String) {
        var blocks: [Block] = []
        var open: (label: String, body: String)?
        for line in text.split(whereSeparator: \.isNewline) {
            let line = line.trimmingCharacters(in: .whitespaces)
            if let label = Self.label(of: line, after: "-----BEGIN ") {
                guard open == nil else { return nil }
                open = (label, "")
            } else if let label = Self.label(of: line, after: "-----END ") {
                guard let block = open, block.label == label, let bytes = Data(base64Encoded: block.body) else {
                    return nil
                }
                blocks.append(Block(label: label, bytes: bytes))
                open = nil
            } else if open != nil {
                open?.body.append(line)
            }
        }
        guard open == nil else { return nil }
        self.blocks = blocks
    }

    private static func label(of line: String, after prefix: String) -> String? {
        guard line.hasPrefix(prefix), line.hasSuffix("-----"), line.count > prefix.count + 5 else { return nil }
        return String(line.dropFirst(prefix.count).dropLast(5))
    }

    /// One block as PEM text, lines of 64 characters, with a newline at the end.
    static func text(label: String, bytes: Data) -> String {
        var lines = ["-----BEGIN \(label)-----"]
        var rest = Substring(bytes.base64EncodedString())
        while !rest.isEmpty {
            lines.append(String(rest.prefix(64)))
            rest = rest.dropFirst(64)
        }
        lines.append("-----END \(label)-----")
        return lines.joined(separator: "\n") + "\n"
    }
}
