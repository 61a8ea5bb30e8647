/// Removes from a JPEG everything other than the picture (ITU-T T.81, annex B; JFIF 1.02; ICC.1:2022 annex B.4).
///
/// The frame, its tables and its scans are kept unchanged. JFIF is kept without its thumbnail, Adobe's segment without
/// its extra data, and the colour profile with its colours alone (``ColourProfile``). The orientation is kept. All
/// other application segments, all comments and the bytes after the end are removed.
enum JPEGCleaning {
    private enum Marker {
        static let frames: Set<UInt8> = [0xC0, 0xC1, 0xC2, 0xC3, 0xC9, 0xCA, 0xCB]
        static let hierarchical: Set<UInt8> = [0xC5, 0xC6, 0xC7, 0xCD, 0xCE, 0xCF, 0xDE, 0xDF]
        static let codingTables: UInt8 = 0xC4
        static let arithmetic: UInt8 = 0xCC
        static let end: UInt8 = 0xD9
        static let scan: UInt8 = 0xDA
        static let quantization: UInt8 = 0xDB
        static let lines: UInt8 = 0xDC
        static let restart: UInt8 = 0xDD
        static let application: ClosedRange<UInt8> = 0xE0...0xEF
        static let comment: UInt8 = 0xFE
    }

    static func clean(_ bytes: [UInt8], limits: ImageLimits) throws(AttachmentError) -> CleanedImage {
        var cursor = ByteCursor(bytes, at: 2)
        var applications = JPEGApplicationSegments()
        var picture: [UInt8] = []
        picture.reserveCapacity(bytes.count)
        var size: (width: Int, height: Int)?
        var hasScan = false
        var parts = 0
        // 1. Read segment by segment, to the end of the picture.
        while true {
            parts += 1
            guard parts <= limits.parts else {
                throw AttachmentError(.tooLarge, "The picture exceeds the limit of \(limits.parts) parts.")
            }
            let marker = try marker(&cursor)
            if marker == Marker.end { break }
            let length = try cursor.uint16()
            guard length >= 2 else { throw .damaged("a part declares no length") }
            let content = try cursor.take(length - 2)
            switch marker {
            case Marker.application:
                applications.take(marker - Marker.application.lowerBound, content)
                continue
            case Marker.comment:
                applications.removed.insert(.text)
                continue
            case _ where Marker.frames.contains(marker):
                guard size == nil else { throw .damaged("it has several frames") }
                size = try frame(content, limits)
            case _ where Marker.hierarchical.contains(marker):
                throw AttachmentError(
                    .notCleanable, "Hierarchical JPEG is not supported. Save the picture as an ordinary JPEG.")
            case Marker.scan:
                guard size != nil, let count = content.first, (1...4).contains(count),
                    content.count == 4 + 2 * Int(count)
                else { throw .damaged("a scan's header is invalid") }
            case Marker.quantization: try checkQuantization(content)
            case Marker.codingTables: try checkCodingTables(content)
            case Marker.arithmetic:
                guard content.count.isMultiple(of: 2), content.count <= 128 else {
                    throw .damaged("a table's length is invalid")
                }
            case Marker.restart, Marker.lines:
                guard content.count == 2 else { throw .damaged("a part's length is invalid") }
            default: throw .damaged("it has a part that JPEG does not define")
            }
            picture += [0xFF, marker]
            picture.append(uint16: length)
            picture += content
            if marker == Marker.scan {
                hasScan = true
                picture += try scanned(&cursor)
            }
        }
        guard let size, hasScan else { throw .damaged("it holds no picture") }
        // 2. Detect bytes after the end.
        if !cursor.isAtEnd { applications.removed.insert(.trailingData) }
        // 3. Write the clean file.
        var clean: [UInt8] = [0xFF, 0xD8]
        clean.reserveCapacity(picture.count + 1024)
        let orientation = applications.orientation ?? 1
        clean += applications.kept()
        clean += picture
        clean += [0xFF, Marker.end]
        return CleanedImage(
            bytes: clean, format: .jpeg, width: size.width, height: size.height, orientation: orientation,
            removed: applications.removed)
    }

    /// Returns the next marker, after any number of fill bytes.
    private static func marker(_ cursor: inout ByteCursor) throws(AttachmentError) -> UInt8 {
        guard try cursor.byte() == 0xFF else { throw .damaged("a part does not begin where the one before it ends") }
        var code = try cursor.byte()
        while code == 0xFF { code = try cursor.byte() }
        return code
    }

    /// Returns the coded data after a scan's header, up to the first marker that is neither a stuffed zero nor a
    /// restart.
    private static func scanned(_ cursor: inout ByteCursor) throws(AttachmentError) -> ArraySlice<UInt8> {
        let start = cursor.position
        let end: Int? = cursor.bytes.withUnsafeBufferPointer { bytes in
            var index = start
            while index + 1 < bytes.count {
                guard bytes[index] == 0xFF else {
                    index += 1
                    continue
                }
                switch bytes[index + 1] {
                case 0x00, 0xD0...0xD7: index += 2
                case 0xFF: index += 1
                default: return index
                }
            }
            return nil
        }
        guard let end else { throw .damaged("the file is truncated") }
        return try cursor.take(end - start)
    }

    private static func frame(
        _ content: ArraySlice<UInt8>, _ limits: ImageLimits
    ) throws(AttachmentError) -> (width: Int, height: Int) {
        guard let height = content.bigEndian(at: 1, bytes: 2), let width = content.bigEndian(at: 3, bytes: 2),
            let components = content.bigEndian(at: 5, bytes: 1), components > 0, content.count == 6 + 3 * components
        else { throw .damaged("its frame header is invalid") }
        try limits.checkSize(width: width, height: height)
        return (width, height)
    }

    /// Checks the lengths of the tables: a table that is longer than it declares could hold any data.
    private static func checkQuantization(_ content: ArraySlice<UInt8>) throws(AttachmentError) {
        var rest = content
        while let first = rest.first {
            let size = first >> 4 == 0 ? 65 : 129
            guard first >> 4 <= 1, rest.count >= size else { throw .damaged("a table's length is invalid") }
            rest = rest.dropFirst(size)
        }
    }

    private static func checkCodingTables(_ content: ArraySlice<UInt8>) throws(AttachmentError) {
        var rest = content
        while !rest.isEmpty {
            let codes = rest.dropFirst().prefix(16).reduce(0) { $0 + Int($1) }
            guard rest.count >= 17 + codes, codes <= 256 else {
                throw .damaged("a table's length is invalid")
            }
            rest = rest.dropFirst(17 + codes)
        }
    }
}
