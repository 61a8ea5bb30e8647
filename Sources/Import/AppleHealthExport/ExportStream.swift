import HealthData

/// Passes an export's bytes through prolog, scanner and scanner.events.
final class ExportStream {
    private static let chunk = 1 << 18
    /// Maximum number of bytes that are kept of one tag.
    private static let capacity = chunk * 4

    private let source: any ByteSource
    private let isRecognised: Bool
    private var scanner: MarkupScanner<ExportReader>
    private let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: capacity)
    private var prolog = ExportProlog()
    private var isInProlog = true
    private var filled = 0
    private var isLast = false

    /// - Parameter isRecognised: whether the beginning is that of an export. If it is not, a source without a root
    ///   element is not a truncated export but another file.
    init(_ source: any ByteSource, _ selection: HealthSelection, isRecognised: Bool) {
        self.source = source
        self.isRecognised = isRecognised
        scanner = MarkupScanner(ExportReader(selection))
    }

    var importReport: HealthImportReport { scanner.events.importReport }
    /// The entries for separate files, as far as the XML is read.
    var files: ExportFileEntries { scanner.events.files }
    /// The number of elements that were read so far.
    var elementCount: Int { scanner.events.elementCount }
    func takeBatch() -> ExportBatch { scanner.events.takeBatch() }

    deinit { buffer.deallocate() }

    /// Reads until there are `samples` samples or the source ends.
    ///
    /// - Returns: whether there can be more.
    func read(samples: Int) throws -> Bool {
        while scanner.events.batch.marks.count < samples {
            if isLast || scanner.events.isFinished {
                try complete()
                return false
            }
            try readChunk()
        }
        return true
    }

    private func readChunk() throws {
        // 1. Read after the remaining bytes.
        let target = UnsafeMutableRawBufferPointer(
            rebasing: UnsafeMutableRawBufferPointer(buffer)[filled..<min(filled + Self.chunk, Self.capacity)])
        let count = try source.read(into: target)
        isLast = count == 0
        filled += count
        var used = 0
        // 2. Skip the prolog.
        if isInProlog {
            let step = try prolog.skip(
                UnsafeBufferPointer(rebasing: buffer[..<filled]), isLast: isLast)
            used = step.count
            isInProlog = !step.found
        }
        // 3. Read the tags after it.
        if !isInProlog {
            let part = UnsafeMutableBufferPointer(rebasing: buffer[used..<filled])
            let start = used
            used += scanner.scan(part, isLast: isLast)
            if used == start, start == 0, filled == Self.capacity { filled = scanner.shorten(part) }
        }
        // 4. Keep the remaining bytes.
        filled -= used
        if used > 0, filled > 0, let base = buffer.baseAddress { base.update(from: base + used, count: filled) }
    }

    private func complete() throws {
        if isInProlog, !isRecognised { throw ExportError.notAnExport }
        scanner.events.finish(unfinished: scanner.unfinished)
        let counts = [
            ("illegal-characters", scanner.cleaner.illegalCharacters), ("invalid-utf-8", scanner.cleaner.invalidUTF8),
            ("cut-values", scanner.cutValues), ("joined-names", scanner.joinedNames),
            ("stray-brackets", scanner.strayBrackets),
        ]
        scanner.events.filter(counts)
        guard !scanner.events.isComplete else { return }
        scanner.events.cut(
            source.damage
                ?? (scanner.events.isTooDeep
                    ? ("export-malformed", "The XML cannot be read further; the data before that is converted.")
                    : (
                        "export-truncated",
                        "The file is truncated; the data before the end is converted. Export again to get the rest."
                    )))
    }
}
