#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Finds the tags of an export and their attributes, without copying bytes.
///
/// Exports contain all data in attributes, and many are not well-formed. This is therefore not an XML parser but a
/// reader of tags, which counts faults and continues after them. It supports only XML's five entities and character
/// references, and loads nothing. The size of a tag is limited by the buffer. On well-formed input it reports the same
/// as libxml2 (the tests compare them).
///
/// <https://www.w3.org/TR/xml/#sec-starttags>
struct MarkupScanner<Events: MarkupEvents> {
    private enum State { case content, comment, cdata, instruction, declaration }

    /// Number of bytes that are kept of a value that fills the buffer. Values that are read are shorter.
    static var keptOfLongValue: Int { 1024 }

    private(set) var cleaner = MarkupCleaner()
    /// Number of values that were too long to be kept.
    private(set) var cutValues = 0
    /// Number of words of attribute names that were separated by spaces (iOS 8 wrote metadata in this way).
    private(set) var joinedNames = 0
    /// Number of `<` inside a value that begin no element.
    private(set) var strayBrackets = 0

    /// Whether any byte was replaced so far, so that values must be checked.
    var hasMarks: Bool { cleaner.hasMarks || strayBrackets > 0 }

    /// The element whose tag was cut off by the end of the input.
    private(set) var unfinished: ExportElement?

    /// Receives the events.
    var events: Events
    private var state = State.content
    private var clean = 0
    private var attributes: [MarkupAttribute] = []
    /// The offset of a value that is not closed yet.
    private var openValue: Int?
    private var isCutting = false
    /// The attribute that last followed each attribute; index 0 is for the beginning of a tag.
    private var following: [(attribute: ExportAttribute, name: StaticString)?] = Array(
        repeating: nil, count: ExportAttribute.allCases.count + 1)
    private var lastAttribute = 0
    /// The problems in the current tag. They are counted when the tag is complete, because an incomplete tag is read
    /// again.
    private var tagProblems = 0
    private var tagJoinedNames = 0

    init(_ events: Events) {
        self.events = events
        attributes.reserveCapacity(64)
    }

    /// Scans the bytes.
    ///
    /// - Returns: the number of bytes that were processed. Pass the remaining bytes again, as they are in the buffer,
    ///   followed by more bytes.
    mutating func scan(_ bytes: UnsafeMutableBufferPointer<UInt8>, isLast: Bool) -> Int {
        guard let base = bytes.baseAddress else { return 0 }
        let end = cleaner.clean(bytes, from: clean, isLast: isLast)
        let used = scan(base, end, isLast: isLast)
        clean = end - used
        return used
    }

    /// Shortens a tag that fills the buffer from its beginning without a closing bracket.
    ///
    /// - Returns: the number of bytes that are kept.
    mutating func shorten(_ bytes: UnsafeMutableBufferPointer<UInt8>) -> Int {
        var kept = min(64, bytes.count)
        if let openValue {
            kept = min(bytes.count, openValue + Self.keptOfLongValue)
            if !isCutting { cutValues += 1 }
            isCutting = true
        } else if let last = attributes.prefix(32).last {
            kept = Int(last.valueEnd) + 1
            events.problem()
        }
        clean = min(clean, kept)
        return kept
    }

    private mutating func scan(_ base: UnsafeMutablePointer<UInt8>, _ end: Int, isLast: Bool) -> Int {
        var offset = 0
        while offset < end {
            if events.isFinished { return end }
            switch state {
            case .content:
                guard let found = memchr(base + offset, 0x3C, end - offset) else { return end }
                offset = UnsafePointer(base).distance(to: found.assumingMemoryBound(to: UInt8.self))
                if end - offset < 9, !isLast { return offset }
                let next = offset + 1 < end ? base[offset + 1] : 0
                if next == UInt8(ascii: "/") {
                    guard let after = closingTag(base, from: offset, to: end) else {
                        if !isLast, end - offset < 4096 { return offset }
                        events.problem()
                        offset += 2
                        continue
                    }
                    offset = after
                } else if next == UInt8(ascii: "!") || next == UInt8(ascii: "?") {
                    state = construct(base + offset, end - offset)
                    offset += 2
                } else if Self.beginsName(next) {
                    guard let after = openingTag(base, from: offset, to: end, isLast: isLast) else { return offset }
                    offset = after
                } else {
                    events.problem()
                    offset += 1
                }
            case .comment, .cdata, .instruction, .declaration:
                guard let after = endOfConstruct(base, from: offset, to: end) else { return max(offset, end - 2) }
                state = .content
                offset = after
            }
        }
        return offset
    }

    // MARK: - Skipped constructs

    private func construct(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> State {
        func starts(_ word: StaticString) -> Bool {
            count >= word.utf8CodeUnitCount && memcmp(bytes, word.utf8Start, word.utf8CodeUnitCount) == 0
        }
        return starts("<!--") ? .comment : starts("<![CDATA[") ? .cdata : starts("<?") ? .instruction : .declaration
    }

    private mutating func endOfConstruct(_ base: UnsafePointer<UInt8>, from start: Int, to end: Int) -> Int? {
        var offset = start
        while offset < end, let found = memchr(base + offset, 0x3E, end - offset) {
            let bracket = base.distance(to: UnsafePointer(found.assumingMemoryBound(to: UInt8.self)))
            offset = bracket + 1
            func before(_ distance: Int) -> UInt8 { bracket - distance >= start ? base[bracket - distance] : 0 }
            switch state {
            case .comment where before(1) == UInt8(ascii: "-") && before(2) == UInt8(ascii: "-"): return offset
            case .cdata where before(1) == UInt8(ascii: "]") && before(2) == UInt8(ascii: "]"): return offset
            case .instruction where before(1) == UInt8(ascii: "?"): return offset
            case .declaration: return offset
            default: continue
            }
        }
        return nil
    }

    // MARK: - Tags

    private mutating func closingTag(_ base: UnsafePointer<UInt8>, from start: Int, to end: Int) -> Int? {
        let limit = min(end, start + 4096)
        guard let found = memchr(base + start, 0x3E, limit - start) else { return nil }
        let bracket = base.distance(to: UnsafePointer(found.assumingMemoryBound(to: UInt8.self)))
        var last = start + 2
        while last < bracket, !Self.isBlank(base[last]), base[last] != 0x3C { last += 1 }
        events.end(ExportElement(UnsafeBufferPointer(start: base + start + 2, count: last - start - 2)))
        return bracket + 1
    }

    // 1. The name. 2. Attribute by attribute: name, equals sign, quoted value. 3. The end of the tag.
    // Returns nil if the tag is not complete yet: it is read again from its beginning when there are more bytes.
    private mutating func openingTag(_ base: UnsafeMutablePointer<UInt8>, from start: Int, to end: Int, isLast: Bool)
        -> Int?
    {
        var offset = start + 1
        while offset < end, !Self.endsName(base[offset]) { offset += 1 }
        let element = ExportElement(UnsafeBufferPointer(start: base + start + 1, count: offset - start - 1))
        attributes.removeAll(keepingCapacity: true)
        (openValue, tagProblems, tagJoinedNames) = (nil, 0, 0)
        lastAttribute = 0
        while true {
            while offset < end, Self.isBlank(base[offset]) { offset += 1 }
            guard offset < end else { return incomplete(element, length: end - start, isLast: isLast) }
            switch base[offset] {
            case UInt8(ascii: ">"):
                report(element, base, isEmpty: false)
                return offset + 1
            case UInt8(ascii: "/"):
                guard offset + 1 < end else { return incomplete(element, length: end - start, isLast: isLast) }
                offset += 1
                guard base[offset] == UInt8(ascii: ">") else { continue }
                report(element, base, isEmpty: true)
                return offset + 1
            case UInt8(ascii: "<"):
                // The tag was never closed; another one follows.
                tagProblems += 1
                report(element, base, isEmpty: true)
                return offset
            case UInt8(ascii: "="), UInt8(ascii: "\""), UInt8(ascii: "'"):
                // A value without a name, or a second value of a name.
                tagProblems += 1
                if base[offset] != UInt8(ascii: "=") {
                    switch value(base, from: offset, to: end, isLast: isLast) {
                    case .incomplete: return incomplete(element, length: end - start, isLast: isLast)
                    case .closed(let after, _): offset = after
                    case .neverClosed(let after): offset = after
                    }
                } else {
                    offset += 1
                }
            default:
                switch attribute(base, from: offset, to: end, isLast: isLast) {
                case .incomplete: return incomplete(element, length: end - start, isLast: isLast)
                case .closed(let after, _): offset = after
                case .neverClosed(let after): offset = after
                }
            }
        }
    }

    private mutating func incomplete(_ element: ExportElement, length: Int, isLast: Bool) -> Int? {
        if isLast, length > 1 { unfinished = element }
        return nil
    }

    private mutating func report(_ element: ExportElement, _ base: UnsafeMutablePointer<UInt8>, isEmpty: Bool) {
        openValue = nil
        isCutting = false
        joinedNames += tagJoinedNames
        for _ in 0..<tagProblems { events.problem() }
        let hasMarks = hasMarks
        attributes.withUnsafeBufferPointer {
            events.begin(
                element, MarkupAttributes(base: base, list: $0, mayHaveMarks: hasMarks), isEmpty: isEmpty)
        }
    }

    private enum Step {
        case incomplete
        case closed(after: Int, hasReferences: Bool)
        case neverClosed(at: Int)
    }

    /// Reads a name, the equals sign and the value.
    private mutating func attribute(_ base: UnsafeMutablePointer<UInt8>, from start: Int, to end: Int, isLast: Bool)
        -> Step
    {
        if let (known, quote) = expected(base, from: start, to: end) {
            let step = value(base, from: quote, to: end, isLast: isLast)
            if case .closed(let after, let hasReferences) = step {
                attributes.append(
                    MarkupAttribute(
                        nameStart: Int32(start), nameEnd: Int32(quote - 1), valueStart: Int32(quote + 1),
                        valueEnd: Int32(after - 1), known: known.rawValue, hasReferences: hasReferences))
            }
            return step
        }
        var offset = start
        var joined = 0
        // 1. The name: up to the equals sign, including spaces in it.
        while true {
            while offset < end, !Self.endsName(base[offset]) { offset += 1 }
            guard offset < end else { return .incomplete }
            if !Self.isBlank(base[offset]) { break }
            let nameEnd = offset
            while offset < end, Self.isBlank(base[offset]) { offset += 1 }
            guard offset < end else { return .incomplete }
            if base[offset] == UInt8(ascii: "=") || Self.endsName(base[offset]) {
                guard base[offset] == UInt8(ascii: "=") else { break }
                return value(of: (start, nameEnd, joined), in: base, from: offset + 1, to: end, isLast: isLast)
            }
            joined += 1
        }
        guard base[offset] == UInt8(ascii: "=") else {
            // A name without a value.
            tagProblems += 1
            return .closed(after: offset, hasReferences: false)
        }
        return value(of: (start, offset, joined), in: base, from: offset + 1, to: end, isLast: isLast)
    }

    /// Returns the attribute at this offset if it is the one that followed last time, and the offset of its value's
    /// quote. The attributes of an element nearly always have the same order.
    private mutating func expected(_ base: UnsafePointer<UInt8>, from start: Int, to end: Int) -> (
        ExportAttribute, Int
    )? {
        guard let next = following[lastAttribute] else { return nil }
        let name = next.name
        let quote = start + name.utf8CodeUnitCount + 1
        guard quote < end, base[quote] == UInt8(ascii: "\""), base[quote - 1] == UInt8(ascii: "="),
            memcmp(base + start, name.utf8Start, name.utf8CodeUnitCount) == 0
        else { return nil }
        lastAttribute = Int(next.attribute.rawValue) + 1
        return (next.attribute, quote)
    }

    private mutating func value(
        of name: (start: Int, end: Int, joined: Int), in base: UnsafeMutablePointer<UInt8>, from start: Int,
        to end: Int,
        isLast: Bool
    ) -> Step {
        var offset = start
        while offset < end, Self.isBlank(base[offset]) { offset += 1 }
        guard offset < end else { return .incomplete }
        let quote = base[offset]
        guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            // A value without quotes is not a value; it ends at the next space.
            tagProblems += 1
            while offset < end, !Self.isBlank(base[offset]), base[offset] != UInt8(ascii: ">"), base[offset] != 0x3C {
                offset += 1
            }
            return offset < end ? .closed(after: offset, hasReferences: false) : .incomplete
        }
        let step = value(base, from: offset, to: end, isLast: isLast)
        guard case .closed(let after, let hasReferences) = step else { return step }
        tagJoinedNames += name.joined
        let bytes = UnsafeBufferPointer(start: UnsafePointer(base) + name.start, count: name.end - name.start)
        let known = ExportAttribute.find(bytes, isJoined: name.joined > 0)
        if let attribute = ExportAttribute(rawValue: known) {
            following[lastAttribute] = (attribute, attribute.name)
            lastAttribute = Int(known) + 1
        }
        attributes.append(
            MarkupAttribute(
                nameStart: Int32(name.start), nameEnd: Int32(name.end), valueStart: Int32(offset + 1),
                valueEnd: Int32(after - 1), known: known, hasReferences: hasReferences))
        return step
    }

    /// Reads a value from its opening quote, eight bytes at a time.
    private mutating func value(_ base: UnsafeMutablePointer<UInt8>, from start: Int, to end: Int, isLast: Bool) -> Step
    {
        let quote = base[start]
        let quotes = UInt64(quote) &* Self.ones
        var hasReferences = false
        var offset = start + 1
        openValue = offset
        while offset < end {
            if offset + 8 <= end {
                let word = UnsafeRawPointer(base + offset).loadUnaligned(as: UInt64.self)
                let hits =
                    Self.zeros(word ^ quotes) | Self.zeros(word ^ (0x3C &* Self.ones))
                    | Self.zeros(word ^ (0x26 &* Self.ones))
                if hits == 0 {
                    offset += 8
                    continue
                }
                offset += hits.trailingZeroBitCount >> 3
            }
            let byte = base[offset]
            if byte == quote {
                openValue = nil
                return .closed(after: offset + 1, hasReferences: hasReferences)
            }
            if byte == UInt8(ascii: "&") {
                hasReferences = true
            } else if byte == UInt8(ascii: "<") {
                if end - offset < 24, !isLast { return .incomplete }
                if ExportElement.begins(base + offset, end - offset) {
                    openValue = nil
                    return .neverClosed(at: offset)
                }
                strayBrackets += 1
                base[offset] = MarkupCleaner.mark
            }
            offset += 1
        }
        return .incomplete
    }

    // MARK: - Bytes

    private static var ones: UInt64 { 0x0101_0101_0101_0101 }

    /// Returns a word in which the high bit of the lowest zero byte is set, and possibly those of some bytes above it.
    private static func zeros(_ word: UInt64) -> UInt64 { (word &- ones) & ~word & 0x8080_8080_8080_8080 }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 || byte == MarkupCleaner.mark
    }

    private static func endsName(_ byte: UInt8) -> Bool {
        byte <= 0x20 || byte == UInt8(ascii: "=") || byte == UInt8(ascii: ">") || byte == UInt8(ascii: "/")
            || byte == UInt8(ascii: "<") || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
            || byte == MarkupCleaner.mark
    }

    private static func beginsName(_ byte: UInt8) -> Bool {
        byte >= 0x80 || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == UInt8(ascii: "_")
            || byte == UInt8(ascii: ":")
    }
}
