#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Makes the XML of real exports readable, in place and in one pass, before the parser sees it.
///
/// - Characters that XML forbids and bytes that are no UTF-8 become DEL (0x7F), a mark that is legal and that no
///   export has; outside of values they become spaces.
/// - A value of more than ``maximumValue`` bytes is cut: no value that is read is that long, and the parser would keep it.
/// - Names of attributes with spaces in them (iOS 8 wrote metadata so) are joined with `_`.
/// - A `<` inside a value that begins no element of an export becomes DEL.
///
/// It follows tags and quotes only as far as these rules need; well-formedness stays the parser's matter.
final class ExportSanitizer {
    private enum State { case content, tag, value, comment, cdata, instruction }
    private enum Phase { case elementName, between, name, afterName, afterEquals }

    static let maximumValue = 1 << 20
    static let mark: UInt8 = 0x7F

    private(set) var illegalCharacters = 0
    private(set) var invalidUTF8 = 0
    private(set) var cutValues = 0
    private(set) var joinedNames = 0
    private(set) var strayBrackets = 0

    /// The elements whose opening tag is complete.
    private(set) var openedElements = 0

    /// Whether anything was replaced so far, so that attributes need a look.
    var hasMarks: Bool { illegalCharacters + invalidUTF8 + strayBrackets > 0 }

    private var state = State.content
    private var phase = Phase.elementName
    private var isClosingTag = false
    private var quote: UInt8 = 0
    private var valueLength = 0
    private var openName: [UInt8] = []
    private var last: (UInt8, UInt8) = (0, 0)
    private let classes: UnsafeMutablePointer<UInt8>

    private static let illegal: UInt8 = 1
    private static let high: UInt8 = 2
    private static let open: UInt8 = 4
    private static let close: UInt8 = 8
    private static let double: UInt8 = 16
    private static let single: UInt8 = 32
    private static let blank: UInt8 = 64
    private static let equals: UInt8 = 128

    init() {
        classes = .allocate(capacity: 256)
        classes.initialize(repeating: 0, count: 256)
        for byte in 0..<0x20 { classes[byte] = Self.illegal }
        for byte in [0x09, 0x0A, 0x0D, 0x20] { classes[byte] = Self.blank }
        for byte in 0x80..<0x100 { classes[byte] = Self.high }
        classes[0x7F] = Self.illegal
        classes[Int(UInt8(ascii: "<"))] = Self.open
        classes[Int(UInt8(ascii: ">"))] = Self.close
        classes[Int(UInt8(ascii: "\""))] = Self.double
        classes[Int(UInt8(ascii: "'"))] = Self.single
        classes[Int(UInt8(ascii: "="))] = Self.equals
    }

    deinit { classes.deallocate() }

    /// The name of the element whose tag is not closed yet; nil between tags.
    var unfinishedElement: String? {
        state == .tag || state == .value ? String(decoding: openName, as: UTF8.self) : nil
    }

    /// Cleans the bytes.
    ///
    /// - Returns: `ready` bytes at the front can go to the parser. `used` bytes of the input are dealt with; what follows
    ///   them is to be given again with more behind it. The two differ where a value was cut.
    func clean(_ bytes: UnsafeMutableBufferPointer<UInt8>, isLast: Bool) -> (ready: Int, used: Int) {
        guard let base = bytes.baseAddress else { return (0, 0) }
        var count = bytes.count
        var removed = 0
        var place = 0
        /// Where the open tag begins, if it does in these bytes.
        var tagStart = -1
        var blankStart = 0

        /// Ends the pass before a place whose meaning depends on bytes that are not there yet.
        func stop(at end: Int) -> (ready: Int, used: Int) {
            remember(base, end: end, tagStart: tagStart)
            return (end, end + removed)
        }

        while place < count {
            let mask: UInt8 =
                switch state {
                case .content: Self.illegal | Self.high | Self.open
                case .tag: 0xFF
                case .value:
                    Self.illegal | Self.high | Self.open | (quote == UInt8(ascii: "'") ? Self.single : Self.double)
                case .comment, .cdata, .instruction: Self.illegal | Self.high | Self.close
                }
            let start = place
            while place < count, classes[Int(base[place])] & mask == 0 { place += 1 }
            if state == .tag, place > start {
                // A run of name characters.
                switch phase {
                case .between: phase = base[start] == UInt8(ascii: "/") ? .between : .name
                case .afterName where base[start] != UInt8(ascii: "/"):
                    for blank in blankStart..<start { base[blank] = UInt8(ascii: "_") }
                    joinedNames += 1
                    phase = .name
                case .afterName: phase = .between
                case .elementName, .name, .afterEquals: break
                }
            } else if state == .value {
                valueLength += place - start
                if valueLength > Self.maximumValue {
                    if valueLength - (place - start) <= Self.maximumValue { cutValues += 1 }
                    memmove(base + start, base + place, count - place)
                    removed += place - start
                    count -= place - start
                    place = start
                }
            }
            guard place < count else { break }
            let byte = base[place]
            switch classes[Int(byte)] {
            case Self.illegal:
                illegalCharacters += 1
                base[place] = state == .tag ? 0x20 : Self.mark
                place += 1
            case Self.high:
                guard let length = sequence(base + place, available: count - place, isLast: isLast) else {
                    return stop(at: place)
                }
                if length == 0 {
                    invalidUTF8 += 1
                    base[place] = state == .tag ? 0x20 : Self.mark
                    place += 1
                } else {
                    if state == .value { valueLength += length }
                    if state == .tag, phase == .between { phase = .name }
                    place += length
                }
            case Self.open:
                if count - place < 24, !isLast { return stop(at: place) }
                if state == .value, !beginsElement(base + place, count - place) {
                    strayBrackets += 1
                    base[place] = Self.mark
                    place += 1
                    continue
                }
                tagStart = place
                begin(base + place, count - place)
                place += 1
            case Self.close:
                close(base, place)
                place += 1
            case Self.double, Self.single:
                if state == .tag {
                    (state, quote, valueLength) = (.value, byte, 0)
                } else if state == .value {
                    (state, phase) = (.tag, .between)
                }
                place += 1
            case Self.blank:
                switch phase {
                case .elementName: phase = .between
                case .name:
                    phase = .afterName
                    blankStart = place
                default: break
                }
                place += 1
                while phase == .afterName, place < count, classes[Int(base[place])] == Self.blank { place += 1 }
                if phase == .afterName, place == count, !isLast {
                    phase = .name
                    return stop(at: blankStart)
                }
            case Self.equals:
                phase = .afterEquals
                place += 1
            default: place += 1
            }
        }
        return stop(at: count)
    }

    private func begin(_ bytes: UnsafePointer<UInt8>, _ available: Int) {
        func starts(_ word: StaticString) -> Bool {
            available >= word.utf8CodeUnitCount && memcmp(bytes, word.utf8Start, word.utf8CodeUnitCount) == 0
        }
        if starts("<!--") {
            state = .comment
        } else if starts("<![CDATA[") {
            state = .cdata
        } else if starts("<?") {
            state = .instruction
        } else {
            (state, phase) = (.tag, .elementName)
            isClosingTag = starts("</")
        }
    }

    private func close(_ base: UnsafePointer<UInt8>, _ place: Int) {
        let before = (place > 1 ? base[place - 2] : place == 1 ? last.1 : last.0, place > 0 ? base[place - 1] : last.1)
        switch state {
        case .tag:
            state = .content
            if !isClosingTag { openedElements += 1 }
        case .comment where before == (UInt8(ascii: "-"), UInt8(ascii: "-")): state = .content
        case .cdata where before == (UInt8(ascii: "]"), UInt8(ascii: "]")): state = .content
        case .instruction where before.1 == UInt8(ascii: "?"): state = .content
        default: break
        }
    }

    private func remember(_ base: UnsafePointer<UInt8>, end: Int, tagStart: Int) {
        if end > 1 { last = (base[end - 2], base[end - 1]) } else if end == 1 { last = (last.1, base[0]) }
        guard tagStart >= 0, state == .tag || state == .value else { return }
        openName = []
        for index in (tagStart + 1)..<max(tagStart + 1, min(end, tagStart + 25)) {
            guard (0x41...0x7A).contains(base[index]) else { break }
            openName.append(base[index])
        }
    }

    /// The length of the UTF-8 sequence of a legal character, 0 where there is none, nil where more bytes are needed.
    private func sequence(_ bytes: UnsafePointer<UInt8>, available: Int, isLast: Bool) -> Int? {
        let lead = bytes[0]
        let length = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0
        guard length > 0 else { return 0 }
        for index in 1..<length {
            guard index < available else { return isLast ? 0 : nil }
            let byte = bytes[index]
            var range: ClosedRange<UInt8> = 0x80...0xBF
            if index == 1 {
                switch lead {
                case 0xE0: range = 0xA0...0xBF
                case 0xED: range = 0x80...0x9F
                case 0xF0: range = 0x90...0xBF
                case 0xF4: range = 0x80...0x8F
                default: break
                }
            }
            guard range.contains(byte) else { return 0 }
        }
        // U+FFFE and U+FFFF are no characters.
        if lead == 0xEF, bytes[1] == 0xBF, bytes[2] >= 0xBE { return 0 }
        return length
    }

    /// Whether the bytes behind a `<` inside a value begin an element of an export: then the value was not closed.
    private func beginsElement(_ bytes: UnsafePointer<UInt8>, _ available: Int) -> Bool {
        Self.elementBeginnings.contains { word in
            available >= word.utf8CodeUnitCount && memcmp(bytes, word.utf8Start, word.utf8CodeUnitCount) == 0
        }
    }

    private static let elementBeginnings: [StaticString] = [
        "</", "<Record ", "<MetadataEntry ", "<Correlation ", "<Workout", "<ActivitySummary", "<ClinicalRecord ",
        "<Audiogram ", "<VisionPrescription ", "<HeartRateVariability", "<InstantaneousBeats", "<FileReference ",
        "<Location ", "<ExportDate ", "<Me ",
    ]
}
