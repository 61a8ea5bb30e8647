import FHIR
import HealthData

/// An electrocardiogram of an export.
public struct ElectrocardiogramFile: Sendable {
    public let electrocardiogram: Electrocardiogram
    public let notes: Set<ExportFileNote>
}

/// Reads an electrocardiogram: a head of lines with a name and a value each, then one voltage per line.
///
/// The head is in the language of the phone, and the numbers have its format. Lines are therefore recognised by their
/// order and by the form of their values; known names of lines are used too. The lines with the person's name and birth
/// date are skipped. Memory is limited by ``SampledSeries/limit``.
public struct ElectrocardiogramReader {
    private var lines = LineScanner(limit: 1024)
    private var head = ElectrocardiogramHead()
    private var isInHead = true
    /// The voltages in their original form, separated by a space; `E` for a line that is not a number.
    private var voltages: [UInt8] = []
    private var count = 0
    private var unreadable = 0
    private var bytes = 0

    /// The problem of the file. If there is one, the caller can stop feeding bytes.
    public private(set) var problem: ExportFileProblem?

    /// Maximum size of a file. An electrocardiogram of half a minute is much smaller.
    public static let maximumBytes = 64 << 20
    /// Maximum number of lines in the head. An export's file has 14.
    static let maximumHeadLines = 100

    private let maximumBytes: Int

    public init() { self.init(maximumBytes: Self.maximumBytes) }

    init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

    public mutating func feed(_ piece: UnsafeRawBufferPointer) {
        guard problem == nil else { return }
        bytes += piece.count
        var scanner = lines
        // The scanner must not be read while it is fed, so a copy is used here.
        lines = LineScanner(limit: 0)
        scanner.feed(piece) { take($0) }
        lines = scanner
        if bytes > maximumBytes { problem = problem ?? .tooLarge }
    }

    public mutating func finish() -> Result<ElectrocardiogramFile, ExportFileProblem> {
        var scanner = lines
        if problem == nil { scanner.finish { take($0) } }
        if let problem { return .failure(problem) }
        if bytes == 0 { return .failure(.empty) }
        guard head.recorded != nil || head.rate != nil else { return .failure(.notAnElectrocardiogram) }
        guard let recorded = head.recorded else { return .failure(.electrocardiogramWithoutDate) }
        guard let rate = head.rate, let frequency = JSONNumber(text: rate) else {
            return .failure(.electrocardiogramWithoutRate)
        }
        guard count > 0 else { return .failure(.electrocardiogramWithoutVoltages) }
        guard let factor = head.microvolts else { return .failure(.electrocardiogramWithoutUnit) }
        let series: SampledSeries
        switch ElectrocardiogramVoltages.series(voltages, markOfHead: head.mark) {
        case .success(let read): series = read
        case .failure(let problem): return .failure(problem)
        }
        guard series.gaps * 10 <= series.count else { return .failure(.electrocardiogramUnreadable) }
        var notes = head.notes
        if series.gaps > 0 { notes.insert(.voltagesUnreadable) }
        let product = head.hardware.flatMap(Redaction.product(hardware:)) ?? .app
        let device = head.hardware.map { HealthDevice(product: product, manufacturer: "Apple", hardware: $0) }
        let source = HealthSource(product: product, version: head.version ?? "", device: device)
        guard
            let electrocardiogram = Electrocardiogram(
                start: recorded, samplingFrequency: frequency,
                voltages: Electrocardiogram.Voltages(series, microvoltFactor: factor),
                classification: head.classification, hasUnknownClassification: head.hasUnknownClassification,
                averageHeartRate: head.heartRate.flatMap { JSONNumber(text: $0) }, symptoms: head.symptoms,
                origin: SpecialOrigin(source: source))
        else { return .failure(.electrocardiogramWithoutRate) }
        return .success(
            ElectrocardiogramFile(electrocardiogram: electrocardiogram, notes: notes))
    }

    /// - Returns: false if the file has a problem.
    private mutating func take(_ line: LineScanner.Line) -> Bool {
        let isBlank = line.bytes.allSatisfy { $0 <= 0x20 }
        if isInHead {
            if isBlank { return true }
            if !line.isCut, head.isComplete, ElectrocardiogramVoltages.number(line.bytes) != nil { isInHead = false }
        }
        if isInHead {
            head.add(line.bytes)
            if head.lineCount > Self.maximumHeadLines {
                problem =
                    head.recorded == nil && head.rate == nil ? .notAnElectrocardiogram : .electrocardiogramUnreadable
            }
        } else if !isBlank {
            // A last line that is only a sign is the truncated rest of a number.
            let number = line.isCut ? nil : ElectrocardiogramVoltages.number(line.bytes)
            if number == nil, line.isUnfinished {
                head.notes.insert(.cutOff)
                return true
            }
            if count > 0 { voltages.append(0x20) }
            voltages.append(contentsOf: number ?? [UInt8(ascii: "E")])
            count += 1
            if number == nil { unreadable += 1 }
            if voltages.count > SampledSeries.limit { problem = .tooLarge }
            if unreadable > 1000, unreadable * 10 > count { problem = .electrocardiogramUnreadable }
        }
        return problem == nil
    }
}

/// The voltages of a file.
enum ElectrocardiogramVoltages {
    /// Returns the digits of a line that contains only a number.
    static func number(_ line: ArraySlice<UInt8>) -> [UInt8]? {
        // A fast path for nearly all lines.
        if line.count <= LocalNumber.maximumLength, let first = line.first, first != 0x2B,
            line.dropFirst().allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E || $0 == 0x2C }),
            (0x30...0x39).contains(first) || (first == 0x2D && line.count > 1),
            line.contains(where: { (0x30...0x39).contains($0) })
        {
            return Array(line)
        }
        return LocalNumber(String(decoding: line, as: UTF8.self).unicodeScalars)?.text
    }

    /// Determines the decimal mark and converts the numbers to JSON's grammar.
    static func series(
        _ text: [UInt8], markOfHead: LocalNumber.Mark?
    ) -> Result<SampledSeries, ExportFileProblem> {
        let numbers = text.split(separator: 0x20).map { LocalNumber($0.lazy.map { Unicode.Scalar($0) }) }
        var certain: Set<LocalNumber.Mark> = []
        var present: Set<LocalNumber.Mark> = []
        for case .some(let number) in numbers {
            if let mark = number.certainMark { certain.insert(mark) }
            if number.text.contains(LocalNumber.Mark.point.rawValue) { present.insert(.point) }
            if number.text.contains(LocalNumber.Mark.comma.rawValue) { present.insert(.comma) }
        }
        let decimal: LocalNumber.Mark
        if certain.count == 1, let mark = certain.first {
            decimal = mark
        } else if certain.isEmpty, present.count <= 1 {
            decimal = present.first ?? .point
        } else if certain.isEmpty, let markOfHead {
            decimal = markOfHead
        } else {
            return .failure(.electrocardiogramAmbiguous)
        }
        var series = SampledSeries()
        for number in numbers { series.append(number?.json(decimal).flatMap { JSONNumber(text: $0) }) }
        return .success(series)
    }
}
