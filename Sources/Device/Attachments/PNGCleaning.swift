/// Removes from a PNG everything other than the picture (<https://www.w3.org/TR/png-3/>). The chunks of the picture,
/// its animation, its colours, its transparency and the aspect ratio of its pixels are kept, and the orientation.
///
/// A colour profile (`iCCP`) is removed, because it is compressed and contains names: `cICP`, `sRGB`, `gAMA` and `cHRM`
/// define the colours.
enum PNGCleaning {
    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// Valid lengths of the chunks that are not picture data.
    private static let lengths: [String: ClosedRange<Int>] = [
        "tRNS": 1...256, "gAMA": 4...4, "cHRM": 32...32, "sRGB": 1...1, "sBIT": 1...4, "bKGD": 1...6, "pHYs": 9...9,
        "cICP": 4...4, "acTL": 8...8,
    ]

    static func clean(_ bytes: [UInt8], limits: ImageLimits) throws(AttachmentError) -> CleanedImage {
        var cursor = ByteCursor(bytes, at: signature.count)
        var clean = signature
        clean.reserveCapacity(bytes.count)
        var removed: Set<ImageMetadata> = []
        var orientation: Int?
        var size: (width: Int, height: Int)?
        var headerEnd = 0
        var seen: Set<String> = []
        var parts = 0
        chunks: while true {
            parts += 1
            guard parts <= limits.parts else {
                throw AttachmentError(.tooLarge, "The picture exceeds the limit of \(limits.parts) parts.")
            }
            // 1. Read a chunk: length, name, content, checksum.
            let start = cursor.position
            let length = try cursor.uint32()
            let name = String(decoding: try cursor.take(4), as: UTF8.self)
            let content = try cursor.take(length)
            guard PNGChecksum.of(bytes[start + 4..<start + 8 + length]) == (try cursor.uint32()) else {
                throw .damaged("a part's checksum is wrong")
            }
            guard (size == nil) == (name == "IHDR") else { throw .damaged("its header is missing or repeated") }
            let whole = bytes[start..<cursor.position]
            // 2. Decide whether it is part of the picture.
            switch name {
            case "IHDR":
                size = try header(content, limits)
                clean += whole
                headerEnd = clean.count
            case "IDAT": clean += whole
            case "IEND":
                guard content.isEmpty, seen.contains("IDAT") else { throw .damaged("it holds no picture") }
                clean += whole
                break chunks
            case "PLTE":
                guard content.count.isMultiple(of: 3), (3...768).contains(content.count), !seen.contains(name) else {
                    throw .damaged("its palette is invalid")
                }
                clean += whole
            // The frames of an animation.
            case "fcTL" where content.count == 26, "fdAT" where content.count > 4: clean += whole
            case "eXIf":
                let exif = ExifOrientation(content)
                orientation = orientation ?? exif.value
                if !exif.isAlone { removed.insert(.exif) }
            case _ where lengths[name]?.contains(content.count) ?? false && !seen.contains(name): clean += whole
            case _ where name.utf8.first.map { $0 & 0x20 == 0 } ?? true:
                throw AttachmentError(
                    .notCleanable,
                    "The PNG has an unknown critical chunk and is not supported. Save the picture as an ordinary PNG.")
            case "tEXt", "zTXt", "iTXt": removed.insert(content.begins(with: "XML:com.adobe.xmp\0") ? .xmp : .text)
            case "tIME": removed.insert(.time)
            case "iCCP": removed.insert(.profileText)
            default: removed.insert(.applicationData)
            }
            seen.insert(name)
        }
        if !cursor.isAtEnd { removed.insert(.trailingData) }
        guard let size else { throw .damaged("its header is missing or repeated") }
        // 3. Insert the orientation after the header.
        if let orientation, orientation != 1 { clean.insert(contentsOf: exif(orientation), at: headerEnd) }
        return CleanedImage(
            bytes: clean, format: .png, width: size.width, height: size.height, orientation: orientation ?? 1,
            removed: removed)
    }

    private static func header(
        _ content: ArraySlice<UInt8>, _ limits: ImageLimits
    ) throws(AttachmentError) -> (width: Int, height: Int) {
        guard content.count == 13, let width = content.bigEndian(at: 0, bytes: 4),
            let height = content.bigEndian(at: 4, bytes: 4)
        else { throw .damaged("its header's length is invalid") }
        try limits.checkSize(width: width, height: height)
        return (width, height)
    }

    private static func exif(_ orientation: Int) -> [UInt8] {
        let content = ExifOrientation.tiff(orientation)
        var named: [UInt8] = []
        named.append(text: "eXIf")
        named += content
        var chunk: [UInt8] = []
        chunk.append(uint32: content.count)
        chunk += named
        chunk.append(uint32: PNGChecksum.of(named))
        return chunk
    }
}
