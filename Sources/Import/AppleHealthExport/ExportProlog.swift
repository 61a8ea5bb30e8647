/// Skips everything before the root element: byte order mark, XML declaration, comments and the document type.
///
/// The document type is not parsed, whatever its size: that of iOS 16 is not well-formed, and contains nothing that the
/// data does not contradict. It is only searched for a declaration of entities, which is refused, and for
/// `<HealthData`, where the data begins. Comments and quoted literals can contain that text and are skipped.
struct ExportProlog {
    private enum State {
        case open, comment, instruction
        case quoted(UInt8)
    }

    private var state = State.open
    private var isInDocumentType = false
    /// The last byte that is not white space, and whether a line ended after it.
    private var lastVisible: UInt8 = 0
    private var isLineStart = true
    private var isAtStart = true

    static let root = Array("<HealthData".utf8)
    /// The number of bytes that are needed to recognise the construct after a `<`.
    private static let lookahead = 12

    /// Skips bytes.
    ///
    /// - Returns: the number of bytes to drop, and whether the root element begins there. Pass the bytes after the
    ///   dropped ones again, together with the bytes that follow them.
    mutating func skip(_ bytes: UnsafeBufferPointer<UInt8>, isLast: Bool) throws(ExportError) -> (
        count: Int, found: Bool
    ) {
        if isAtStart, bytes.count >= 2 {
            isAtStart = false
            let first = (bytes[0], bytes[1])
            if first == (0xFE, 0xFF) || first == (0xFF, 0xFE) || first.0 == 0 || first.1 == 0 { throw .encoding }
        }
        var offset = 0
        while offset < bytes.count {
            let byte = bytes[offset]
            let rest = bytes.count - offset
            switch state {
            case .comment:
                if byte == UInt8(ascii: "-") {
                    if rest < 3, !isLast { return (offset, false) }
                    if starts(bytes, at: offset, with: "-->") {
                        state = .open
                        lastVisible = UInt8(ascii: ">")
                        offset += 3
                        continue
                    }
                }
            case .instruction:
                if byte == UInt8(ascii: "?") {
                    if rest < 2, !isLast { return (offset, false) }
                    if starts(bytes, at: offset, with: "?>") {
                        state = .open
                        lastVisible = UInt8(ascii: ">")
                        offset += 2
                        continue
                    }
                }
            case .quoted(let quote):
                if byte == quote { state = .open }
                if byte == UInt8(ascii: "<") {
                    if rest < Self.lookahead, !isLast { return (offset, false) }
                    // A quote that was never closed must not hide the data: the root follows a `>` or begins a line.
                    if lastVisible == UInt8(ascii: ">") || isLineStart, isRoot(bytes, offset) { return (offset, true) }
                    if starts(bytes, at: offset, with: "<!ENTITY") { throw .entityDeclared }
                }
            case .open:
                if byte == UInt8(ascii: "<") {
                    if rest < Self.lookahead, !isLast { return (offset, false) }
                    if isRoot(bytes, offset) { return (offset, true) }
                    if starts(bytes, at: offset, with: "<!ENTITY") { throw .entityDeclared }
                    if starts(bytes, at: offset, with: "<!DOCTYPE") { isInDocumentType = true }
                    if starts(bytes, at: offset, with: "<!--") {
                        state = .comment
                        offset += 4
                        continue
                    }
                    if starts(bytes, at: offset, with: "<?") { state = .instruction }
                } else if isInDocumentType, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                    state = .quoted(byte)
                }
            }
            if byte == 0x0A || byte == 0x0D {
                isLineStart = true
            } else if byte > 0x20 {
                lastVisible = byte
                isLineStart = false
            }
            offset += 1
        }
        return (offset, false)
    }

    private func isRoot(_ bytes: UnsafeBufferPointer<UInt8>, _ offset: Int) -> Bool {
        guard starts(bytes, at: offset, with: "<HealthData") else { return false }
        let next = offset + Self.root.count
        guard next < bytes.count else { return true }
        return bytes[next] <= 0x20 || bytes[next] == UInt8(ascii: ">") || bytes[next] == UInt8(ascii: "/")
    }

    private func starts(_ bytes: UnsafeBufferPointer<UInt8>, at offset: Int, with word: StaticString) -> Bool {
        guard bytes.count - offset >= word.utf8CodeUnitCount else { return false }
        for index in 0..<word.utf8CodeUnitCount where bytes[offset + index] != word.utf8Start[index] { return false }
        return true
    }
}
