import Core

/// The format of a file, detected from its first bytes.
enum FileKind: String {
    case jpeg = "JPEG"
    case png = "PNG"
    case pdf = "PDF"
    case heic = "HEIC or another file of ISO's media format"
    case gif = "GIF"
    case tiff = "TIFF"
    case webP = "WebP"
    case text = "text"
    case other

    init(_ bytes: [UInt8]) {
        func begins(_ text: StaticString, at offset: Int = 0) -> Bool {
            text.withUTF8Buffer { bytes.count >= offset + $0.count && bytes[offset...].starts(with: $0) }
        }
        self =
            switch true {
            case bytes.starts(with: [0xFF, 0xD8, 0xFF]): .jpeg
            case bytes.starts(with: PNGCleaning.signature): .png
            case begins("%PDF"): .pdf
            case begins("ftyp", at: 4): .heic
            case begins("GIF8"): .gif
            case bytes.starts(with: [0x49, 0x49, 0x2A, 0]), bytes.starts(with: [0x4D, 0x4D, 0, 0x2A]): .tiff
            case begins("RIFF") && begins("WEBP", at: 8): .webP
            default: .other
            }
        if self == .other, !bytes.contains(0), String(validUTF8: bytes) != nil { self = .text }
    }

    /// The error for a file of this kind, which cannot be cleaned.
    var refusal: AttachmentError {
        let what = self == .other ? "of an unknown format" : "a file of the format \(rawValue)"
        return AttachmentError(
            .notCleanable,
            """
            The attachment is \(what), from which names and locations cannot be removed. Send it as JPEG or PNG, or \
            let the form's item accept attachments unchanged.
            """)
    }
}
