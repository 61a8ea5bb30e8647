/// Splits bytes that arrive in pieces of any size into lines. Only the beginning of a line is kept.
struct LineScanner {
    /// The beginning of a line without its line end; whether the line was longer; whether the file ended in it.
    struct Line {
        let bytes: ArraySlice<UInt8>
        let isCut: Bool
        let isUnfinished: Bool
    }

    private let limit: Int
    private var buffer: [UInt8] = []
    private var isCut = false
    private var lastWasReturn = false

    /// - Parameter limit: maximum number of bytes that are kept of a line.
    init(limit: Int) {
        self.limit = limit
        buffer.reserveCapacity(min(limit, 256))
    }

    /// Reads a piece and passes the lines that end in it. Lines end with LF, CR LF or CR.
    ///
    /// - Parameter line: returns false to stop; the rest of the piece is dropped.
    mutating func feed(_ piece: UnsafeRawBufferPointer, _ line: (Line) -> Bool) {
        for byte in piece {
            if byte == 0x0A || byte == 0x0D {
                let isPair = byte == 0x0A && lastWasReturn
                lastWasReturn = byte == 0x0D
                if isPair { continue }
                guard emit(isUnfinished: false, line) else { return }
            } else {
                lastWasReturn = false
                if buffer.count < limit { buffer.append(byte) } else { isCut = true }
            }
        }
    }

    /// Passes the last line if the file ends in it.
    mutating func finish(_ line: (Line) -> Bool) {
        if !buffer.isEmpty { _ = emit(isUnfinished: true, line) }
    }

    private mutating func emit(isUnfinished: Bool, _ line: (Line) -> Bool) -> Bool {
        let shouldContinue = line(Line(bytes: buffer[...], isCut: isCut, isUnfinished: isUnfinished))
        buffer.removeAll(keepingCapacity: true)
        isCut = false
        return shouldContinue
    }
}
