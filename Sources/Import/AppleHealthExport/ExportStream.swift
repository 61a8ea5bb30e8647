import HealthData

/// Moves an export's bytes through prolog, scanner and scanner.events.
final class ExportStream {
    private static let chunk = 1 << 18
    /// How many bytes of one tag are kept.
    private static let capacity = chunk * 4

    private let source: any ByteSource
    private let isRecognised: Bool
    private var scanner: MarkupScanner<ExportReader>
    private let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: capacity)
    private var prolog = ExportProlog()
    private var isInProlog = true
    private var filled = 0
    private var isLast = false

    /// - Parameter isRecognised: whether the beginning is an export's. Where it is not, a source without a root element
    ///   is no cut export but something else.
    init(_ source: any ByteSource, _ selection: HealthSelection, isRecognised: Bool) {
        self.source = source
        self.isRecognised = isRecognised
        scanner = MarkupScanner(ExportReader(selection))
    }

    var importReport: HealthImportReport { scanner.events.importReport }
    /// The entries for the files beside the XML, as far as it is read.
    var files: ExportFileEntries { scanner.events.files }
    /// How many elements were read so far.
    var elementCount: Int { scanner.events.elementCount }
    func takeBatch() -> ExportBatch { scanner.events.takeBatch() }

    deinit { buffer.deallocate() }

    /// Reads on until there are so many samples or the source ends.
    ///
    /// - Returns: whether there may be more.
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
        // 1. Read behind what was left over.
        let room = UnsafeMutableRawBufferPointer(
            rebasing: UnsafeMutableRawBufferPointer(buffer)[filled..<min(filled + Self.chunk, Self.capacity)])
        let count = try source.read(into: room)
        isLast = count == 0
        filled += count
        var used = 0
        // 2. Step over the prolog.
        if isInProlog {
            let step = try prolog.skip(
                UnsafeBufferPointer(rebasing: buffer[..<filled]), isLast: isLast)
            used = step.count
            isInProlog = !step.found
        }
        // 3. Read the tags behind it.
        if !isInProlog {
            let part = UnsafeMutableBufferPointer(rebasing: buffer[used..<filled])
            let start = used
            used += scanner.scan(part, isLast: isLast)
            if used == start, start == 0, filled == Self.capacity { filled = scanner.shorten(part) }
        }
        // 4. Keep what is left over.
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
                    ? ("export-malformed", "The XML cannot be read further; what came before is converted.")
                    : (
                        "export-truncated",
                        "The file ends in the middle; what came before is converted. Export again to get the rest."
                    )))
    }
}
