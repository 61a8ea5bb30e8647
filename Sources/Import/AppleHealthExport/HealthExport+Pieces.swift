import HealthData

extension HealthExport {
    /// Converts the XML of an export that is passed piece by piece, on one core, for sources that are not files.
    ///
    /// - Throws: ``ExportError`` if it is not an export; errors of the sink.
    public static func convert(
        pieces: some Sequence<ArraySlice<UInt8>>, _ selection: HealthSelection, into sink: HealthSink
    ) throws -> HealthImportReport {
        let conversion = HealthConversion(selection, sink)
        let stream = ExportStream(PieceSource(pieces), selection, isRecognised: false)
        var hasMore = true
        while hasMore {
            hasMore = try stream.read(samples: 4096)
            try conversion.take(stream.takeBatch())
        }
        return try conversion.finish(with: stream.importReport)
    }
}

/// Returns the pieces one after the other.
private final class PieceSource: ByteSource {
    private var pieces: AnyIterator<ArraySlice<UInt8>>
    private var rest: ArraySlice<UInt8> = []
    let damage: (code: String, message: String)? = nil

    init(_ pieces: some Sequence<ArraySlice<UInt8>>) {
        var iterator = pieces.makeIterator()
        self.pieces = AnyIterator { iterator.next() }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ExportError) -> Int {
        while rest.isEmpty {
            guard let next = pieces.next() else { return 0 }
            rest = next
        }
        let count = min(rest.count, buffer.count)
        buffer.copyBytes(from: rest.prefix(count))
        rest = rest.dropFirst(count)
        return count
    }
}
