/// Finds the tags and texts of a simple XML document in bytes that arrive in pieces of any size.
///
/// It supports no entities and loads nothing. Broken markup is skipped: parsing continues at the next `<`. Only the
/// beginnings of tags and texts are kept.
struct RouteMarkup {
    enum Token {
        case begin(Tag)
        case end(String)
        /// A text of a few bytes, without surrounding spaces.
        case text(String)
        case documentType
    }

    /// An opening tag.
    struct Tag {
        fileprivate let bytes: [UInt8]

        /// The name without the namespace prefix.
        var name: String { RouteMarkup.name(bytes[...]) }
        /// Whether the tag also closes the element.
        var isEmpty: Bool { bytes.last == UInt8(ascii: "/") }

        /// Returns the unresolved value of an attribute; nil if there is none.
        func attribute(_ wanted: String) -> String? {
            var rest = bytes.drop { !RouteMarkup.isBlank($0) }
            while true {
                rest = rest.drop { RouteMarkup.isBlank($0) }
                guard let equals = rest.firstIndex(of: UInt8(ascii: "=")) else { return nil }
                var name = rest[..<equals]
                while let last = name.last, RouteMarkup.isBlank(last) { name = name.dropLast() }
                let value = rest[(equals + 1)...].drop { RouteMarkup.isBlank($0) }
                guard let quote = value.first, quote == 0x22 || quote == 0x27,
                    let end = value.dropFirst().firstIndex(of: quote)
                else { return nil }
                if name.elementsEqual(wanted.utf8) {
                    return String(decoding: value[(value.startIndex + 1)..<end], as: UTF8.self)
                }
                rest = value[(end + 1)...]
            }
        }
    }

    private enum State {
        case text
        /// After `<`.
        case tag
        /// Inside a comment, CDATA or an instruction, up to these two bytes and `>`.
        case skipping(UInt8, UInt8)
    }

    static let tagLimit = 4096
    static let textLimit = 64

    private var state = State.text
    private var buffer: [UInt8] = []
    private var isTextCut = false
    private var quote: UInt8?
    private var last: (UInt8, UInt8) = (0, 0)

    init() {}

    /// Reads a piece and passes the tokens that end in it.
    ///
    /// - Parameter token: returns false to stop; the rest of the piece is dropped.
    mutating func feed(_ piece: UnsafeRawBufferPointer, _ token: (Token) -> Bool) {
        for byte in piece {
            switch state {
            case .text:
                if byte == UInt8(ascii: "<") {
                    guard endText(token) else { return }
                    state = .tag
                    quote = nil
                } else if buffer.count < Self.textLimit {
                    if !buffer.isEmpty || !Self.isBlank(byte) { buffer.append(byte) }
                } else if !Self.isBlank(byte) {
                    isTextCut = true
                }
            case .tag: guard takeTag(byte, token) else { return }
            case .skipping(let first, let second):
                if byte == UInt8(ascii: ">"), last.1 == second, first == 0 || last.0 == first { state = .text }
                last = (last.1, byte)
            }
        }
    }

    private mutating func endText(_ token: (Token) -> Bool) -> Bool {
        defer {
            buffer.removeAll(keepingCapacity: true)
            isTextCut = false
        }
        guard !buffer.isEmpty, !isTextCut else { return true }
        while let last = buffer.last, Self.isBlank(last) { buffer.removeLast() }
        return token(.text(String(decoding: buffer, as: UTF8.self)))
    }

    private mutating func takeTag(_ byte: UInt8, _ token: (Token) -> Bool) -> Bool {
        if let open = quote {
            if byte == open { quote = nil }
        } else if byte == UInt8(ascii: ">") {
            let tag = buffer
            buffer.removeAll(keepingCapacity: true)
            state = .text
            return endTag(tag, token)
        } else if byte == UInt8(ascii: "<") {
            // The preceding tag was never closed.
            buffer.removeAll(keepingCapacity: true)
            return true
        } else if byte == 0x22 || byte == 0x27, buffer.contains(UInt8(ascii: "=")) {
            quote = byte
        }
        buffer.append(byte)
        switch buffer.count {
        case 1 where byte == UInt8(ascii: "?"): skip(0, UInt8(ascii: "?"))
        case 3 where buffer.elementsEqual("!--".utf8): skip(UInt8(ascii: "-"), UInt8(ascii: "-"))
        case 8 where buffer.first == UInt8(ascii: "!"):
            if buffer.elementsEqual("![CDATA[".utf8) {
                skip(UInt8(ascii: "]"), UInt8(ascii: "]"))
            } else if String(decoding: buffer, as: UTF8.self).uppercased() == "!DOCTYPE" {
                return token(.documentType)
            }
        case Self.tagLimit...:
            buffer.removeAll(keepingCapacity: true)
            state = .text
            isTextCut = true
        default: break
        }
        return true
    }

    private mutating func skip(_ first: UInt8, _ second: UInt8) {
        buffer.removeAll(keepingCapacity: true)
        last = (0, 0)
        state = .skipping(first, second)
    }

    private func endTag(_ tag: [UInt8], _ token: (Token) -> Bool) -> Bool {
        guard let first = tag.first else { return true }
        if first == UInt8(ascii: "/") { return token(.end(Self.name(tag.dropFirst()))) }
        if first == UInt8(ascii: "!") { return true }
        return token(.begin(Tag(bytes: tag)))
    }

    private static func name(_ tag: ArraySlice<UInt8>) -> String {
        let name = tag.prefix { !isBlank($0) && $0 != UInt8(ascii: "/") }
        let local = name.lastIndex(of: UInt8(ascii: ":")).map { name[($0 + 1)...] } ?? name
        return String(decoding: local.prefix(32), as: UTF8.self)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte <= 0x20 }
}
