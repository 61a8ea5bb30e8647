import HealthData

/// The content of the head of an electrocardiogram. Names and birth dates are never stored.
struct ElectrocardiogramHead {
    private(set) var recorded: HealthInstant?
    private(set) var classification: Electrocardiogram.Classification?
    /// Whether the text of the classification is unknown.
    var hasUnknownClassification: Bool { notes.contains(.classificationUnrecognised) }
    private(set) var symptoms: Electrocardiogram.SymptomsStatus?
    private(set) var version: String?
    private(set) var hardware: String?
    /// Sampling rate in hertz, in JSON's grammar.
    private(set) var rate: String?
    /// Heart rate in beats per minute, in JSON's grammar.
    private(set) var heartRate: String?
    /// The factor from the numbers to microvolts.
    private(set) var microvolts: Int?
    /// The decimal mark of the head's numbers.
    private(set) var mark: LocalNumber.Mark?
    private(set) var lineCount = 0
    var notes: Set<ExportFileNote> = []
    /// The number of the line with the recording date. The lines after it are recognised by their order.
    private var recordedLine: Int?

    /// Whether numbers can follow. Until then, a line with a number belongs to the head.
    var isComplete: Bool { rate != nil || microvolts != nil }

    mutating func add(_ bytes: ArraySlice<UInt8>) {
        lineCount += 1
        var text = String(decoding: bytes, as: UTF8.self)
        if text.unicodeScalars.contains(where: { $0.value == 0xFFFD || ($0.value < 0x20 && $0.value != 0x09) }) {
            notes.insert(.illegalCharacters)
            // A file that was saved by another program can be Latin-1, in which each byte is a character.
            text = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        }
        let (name, value) = Self.fields(text)
        let label = ElectrocardiogramWords.label(name)
        if label == .person { return }
        if takeDate(label, value) || takeQuantity(label, value) || takeUnit(label, value) || takeDevice(label, value) {
            return
        }
        let lineAfterDate = recordedLine.map { lineCount - $0 }
        if label == .classification || (label == nil && lineAfterDate == 1) {
            takeClassification(value)
        } else if label == .symptoms || (label == nil && lineAfterDate == 2) {
            takeSymptoms(value)
        } else if version == nil, label == .version || (label == nil && (lineAfterDate ?? 0) > 2) {
            let read = Redaction.version(value)
            if !read.isEmpty { version = read }
        }
    }

    private mutating func takeDate(_ label: ElectrocardiogramWords.Label?, _ value: String) -> Bool {
        guard recorded == nil, label == nil || label == .recorded else { return label == .recorded }
        let read = Array(Self.withASCIIDigits(value).utf8).withUnsafeBufferPointer {
            ExportDate.read($0) ?? ExportDate.readOld($0)
        }
        guard let read, HealthInstant.believable.contains(read.seconds) else { return label == .recorded }
        recorded = read
        recordedLine = lineCount
        return true
    }

    /// Reads a number with a unit: the sampling rate or the heart rate.
    private mutating func takeQuantity(_ label: ElectrocardiogramWords.Label?, _ value: String) -> Bool {
        guard label == nil || label == .rate || label == .heartRate else { return false }
        let (number, unit) = Self.quantity(value)
        guard let number else { return label != nil }
        let isHertz = ElectrocardiogramWords.isHertz(unit)
        if label == .heartRate || (label == nil && ElectrocardiogramWords.isBeatsPerMinute(unit)) {
            heartRate = Self.read(number, in: 10...400)?.text
            return true
        }
        let isAtRatePosition =
            label == nil && hardware != nil && rate == nil && !unit.isEmpty
            && ElectrocardiogramWords.microvolts(unit) == nil
        guard label == .rate || isHertz || isAtRatePosition, let read = Self.read(number, in: 50...10_000) else {
            return label != nil || isHertz
        }
        if !isHertz { notes.insert(.rateUnitUnrecognised) }
        rate = read.text
        mark = mark ?? read.mark
        return true
    }

    private mutating func takeUnit(_ label: ElectrocardiogramWords.Label?, _ value: String) -> Bool {
        guard label == nil || label == .unit else { return label == .lead }
        guard let factor = ElectrocardiogramWords.microvolts(value) else { return label == .unit }
        microvolts = factor
        return true
    }

    private mutating func takeDevice(_ label: ElectrocardiogramWords.Label?, _ value: String) -> Bool {
        guard label == nil || label == .device else { return false }
        let model = Redaction.hardware(value)
        hardware = hardware ?? model
        return model != nil || label == .device
    }

    private mutating func takeClassification(_ value: String) {
        guard classification == nil, !hasUnknownClassification, !value.isEmpty else { return }
        classification = ElectrocardiogramWords.classification(value)
        if classification == nil { notes.insert(.classificationUnrecognised) }
    }

    private mutating func takeSymptoms(_ value: String) {
        guard symptoms == nil else { return }
        symptoms = ElectrocardiogramWords.symptoms(value)
        if symptoms == nil { notes.insert(.symptomsUnrecognised) }
    }

    /// Returns the text with the digits of all scripts replaced by ASCII digits, and without marks of the writing
    /// direction.
    private static func withASCIIDigits(_ text: String) -> String {
        guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars where ![0x200E, 0x200F, 0x061C].contains(scalar.value) {
            let digit = scalar.properties.numericType == .decimal ? scalar.properties.numericValue : nil
            result.append(digit.map { Unicode.Scalar(UInt8(0x30 + Int($0))) } ?? scalar)
        }
        return String(result)
    }

    /// Returns the name and the value of a line. The value is everything after the first comma, semicolon or tab: it
    /// can contain commas without quotation marks (`511,562 Hertz`).
    static func fields(_ line: String) -> (name: String, value: String) {
        var name = line[...]
        var value = line[line.endIndex...]
        var isQuoted = false
        for index in line.indices {
            if line[index] == "\"" { isQuoted.toggle() }
            guard !isQuoted, ",;\t".contains(line[index]) else { continue }
            name = line[..<index]
            value = line[line.index(after: index)...]
            break
        }
        return (bare(name), bare(value))
    }

    /// Returns the text without surrounding spaces, quotation marks, and the byte order mark.
    private static func bare(_ text: Substring) -> String {
        var text = trimmed(text)
        if text.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") { text = text.dropFirst().dropLast() }
        return String(trimmed(text)).replacing("\"\"", with: "\"")
    }

    private static func trimmed(_ text: Substring) -> Substring {
        func isOuter(_ letter: Character) -> Bool { letter.isWhitespace || letter == "\u{FEFF}" }
        var text = text.drop(while: isOuter)
        while let last = text.last, isOuter(last) { text = text.dropLast() }
        return text
    }

    /// Returns the number at the beginning of a text, and the rest.
    private static func quantity(_ text: String) -> (LocalNumber?, String) {
        let scalars = Array(text.unicodeScalars)
        let end = scalars.firstIndex { $0.properties.isAlphabetic || $0 == "/" } ?? scalars.endIndex
        var unit = String.UnicodeScalarView()
        unit.append(contentsOf: scalars[end...])
        return (LocalNumber(scalars[..<end]), String(unit))
    }

    /// Returns the number if it is in a range when its last mark is read as the decimal mark, or otherwise as a
    /// thousands separator.
    private static func read(
        _ number: LocalNumber, in range: ClosedRange<Double>
    ) -> (text: String, mark: LocalNumber.Mark?)? {
        let marks = number.text.compactMap(LocalNumber.Mark.init)
        guard let last = marks.last else {
            return number.json(.point).flatMap { text in
                Double(text).map(range.contains) == true ? (text, nil) : nil
            }
        }
        for mark in [last, last == .point ? .comma : .point] {
            if let text = number.json(mark), let value = Double(text), range.contains(value) { return (text, mark) }
        }
        return nil
    }
}
