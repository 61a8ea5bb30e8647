import Core

/// Image formats that can be cleaned; the raw value is the media type.
public enum ImageFormat: String, Sendable, Hashable, CaseIterable {
    /// JPEG (ITU-T T.81, <https://www.w3.org/Graphics/JPEG/itu-t81.pdf>).
    case jpeg = "image/jpeg"
    /// PNG (<https://www.w3.org/TR/png-3/>).
    case png = "image/png"
}

/// Kinds of data in an image file other than the image.
public enum ImageMetadata: String, Sendable, Hashable, CaseIterable {
    /// Exif: camera, location, time, maker's notes, a thumbnail.
    case exif
    /// XMP, also when it is split into several parts.
    case xmp
    /// Photoshop's and IPTC's records: author, caption, location.
    case iptc
    /// A comment or a text.
    case text
    /// A smaller picture inside of the picture.
    case thumbnail
    /// The texts of a colour profile: names, makers, dates.
    case profileText = "profile-text"
    /// The time of the last change.
    case time
    /// Parts that other programs add.
    case applicationData = "application-data"
    /// Bytes after the end of the picture, such as the film of a motion photo.
    case trailingData = "trailing-data"
}

/// Limits of image files.
public struct ImageLimits: Sendable, Hashable {
    /// Maximum size of the file, in bytes.
    public var bytes: Int
    /// Maximum width times height, in pixels.
    public var pixels: Int
    /// Maximum number of parts: JPEG's segments, PNG's chunks.
    public var parts: Int

    /// Creates limits. The defaults are 64 MiB, 250 megapixels and 65,536 parts.
    public init(bytes: Int = 64 << 20, pixels: Int = 250_000_000, parts: Int = 65_536) {
        self.bytes = bytes
        self.pixels = pixels
        self.parts = parts
    }

    func checkSize(width: Int, height: Int) throws(AttachmentError) {
        guard width > 0, height > 0 else { throw .damaged("it has no width or no height") }
        let (area, overflow) = width.multipliedReportingOverflow(by: height)
        guard !overflow, area <= pixels else {
            throw AttachmentError(.tooLarge, "The picture exceeds the limit of \(pixels) pixels.")
        }
    }
}

/// An image without data that identifies the author, the time, the location or the device. Only format, size, colour
/// and orientation remain.
///
/// The pixels are not decoded and stay the same bit by bit. The format is detected from the bytes.
///
/// ```swift
/// let image = try CleanedImage(photo)
/// upload(image.bytes)
/// ```
public struct CleanedImage: Sendable, Hashable {
    /// The clean file.
    public let bytes: [UInt8]
    /// The format of the bytes.
    public let format: ImageFormat
    /// Width in pixels.
    public let width: Int
    /// Height in pixels.
    public let height: Int
    /// The orientation in which the image is shown, from 1 (unchanged) to 8. It is the only Exif entry that is kept
    /// (CIPA DC-008, 4.6.4).
    public let orientation: Int
    /// The kinds of data that were removed; empty if the file was clean.
    public let removed: Set<ImageMetadata>

    /// Cleans a JPEG or a PNG, in time linear in its bytes.
    ///
    /// - Throws: ``AttachmentError``: `attachment-not-cleanable` for any other kind of file, `attachment-damaged`,
    ///   `attachment-too-large`.
    public init(_ file: some Collection<UInt8>, limits: ImageLimits = ImageLimits()) throws(AttachmentError) {
        guard file.count <= limits.bytes else {
            throw AttachmentError(.tooLarge, "The file exceeds the limit of \(limits.bytes) bytes.")
        }
        let bytes = Array(file)
        switch FileKind(bytes) {
        case .jpeg: self = try JPEGCleaning.clean(bytes, limits: limits)
        case .png: self = try PNGCleaning.clean(bytes, limits: limits)
        case let kind: throw kind.refusal
        }
    }

    init(
        bytes: [UInt8], format: ImageFormat, width: Int, height: Int, orientation: Int, removed: Set<ImageMetadata>
    ) {
        self.bytes = bytes
        self.format = format
        self.width = width
        self.height = height
        self.orientation = orientation
        self.removed = removed
    }
}
