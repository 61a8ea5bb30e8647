import HealthData

/// Moves an export's bytes through prolog, sanitizer, parser and reader.
final class ExportStream {
    private static let chunk = 1 << 16

    private let conversion: HealthConversion
    private let reader: ExportReader
    private let sanitizer = ExportSanitizer()

    init(_ conversion: HealthConversion) {
        self.conversion = conversion
        reader = ExportReader(conversion)
    }

    /// Reads the source to its end and completes the account.
    ///
    /// - Parameter isRecognised: whether the beginning is an export's. Where it is not, a source without a root element
    ///   is no cut export but something else.
    func run(_ source: any ByteSource, isRecognised: Bool) throws {
        let parser = XMLPushParser(reader)
        reader.prepare(parser)
        let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: Self.chunk * 2)
        defer { buffer.deallocate() }
        var prolog = ExportProlog()
        var isInProlog = true
        var filled = 0
        var isLast = false
        while !isLast, !reader.isComplete, !hasStopped(parser), reader.failure == nil {
            // 1. Read behind what was left over.
            let room = UnsafeMutableRawBufferPointer(
                rebasing: UnsafeMutableRawBufferPointer(buffer)[filled..<(filled + Self.chunk)])
            let count = try source.read(into: room)
            isLast = count == 0
            filled += count
            var start = 0
            // 2. Step over the prolog.
            if isInProlog {
                let step = try prolog.skip(UnsafeBufferPointer(rebasing: buffer[..<filled]), isLast: isLast)
                start = step.count
                isInProlog = !step.found
            }
            // 3. Clean and parse the rest.
            if !isInProlog {
                let part = UnsafeMutableBufferPointer(rebasing: buffer[start..<filled])
                let cleaned = sanitizer.clean(part, isLast: isLast)
                reader.checksMarks = sanitizer.hasMarks
                parser.feed(UnsafeBufferPointer(rebasing: part[..<cleaned.ready]))
                // What is left over stands behind what is ready: a cut value has moved it.
                let rest = part.count - cleaned.used
                for index in 0..<rest { buffer[index] = part[cleaned.ready + index] }
                filled = rest
            } else {
                let rest = filled - start
                for index in 0..<rest { buffer[index] = buffer[start + index] }
                filled = rest
            }
        }
        if isInProlog, !isRecognised { throw ExportError.notAnExport }
        if !reader.isComplete, !hasStopped(parser), !isInProlog {
            reader.elementLimit = sanitizer.openedElements
            parser.finish()
        }
        try complete(source, parser)
    }

    private func hasStopped(_ parser: XMLPushParser) -> Bool { parser.hasStopped || reader.isTooDeep }

    private func complete(_ source: any ByteSource, _ parser: XMLPushParser) throws {
        try reader.finish(unfinished: sanitizer.unfinishedElement)
        let counts = [
            ("illegal-characters", sanitizer.illegalCharacters), ("invalid-utf-8", sanitizer.invalidUTF8),
            ("cut-values", sanitizer.cutValues), ("joined-names", sanitizer.joinedNames),
            ("stray-brackets", sanitizer.strayBrackets),
        ]
        for (kind, count) in counts where count > 0 { conversion.account.filtered[kind] = count }
        guard !reader.isComplete else { return }
        conversion.account.outcome = .truncated
        conversion.account.problem =
            source.damage
            ?? (hasStopped(parser)
                ? ("export-malformed", "The XML cannot be read further; what came before is converted.")
                : (
                    "export-truncated",
                    "The file ends in the middle; what came before is converted. Export again to get the rest."
                ))
    }
}
