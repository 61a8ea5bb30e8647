import Core

/// The kinds of pictures that can be cleaned; the raw value is the media type.
public enum ImageFormat: String, Sendable, Hashable, CaseIterable {
    /// JPEG (ITU-T T.81, <https://www.w3.org/Graphics/JPEG/itu-t81.pdf>).
    case jpeg = "image/jpeg"
    /// PNG (<https://www.w3.org/TR/png-3/>).
    case png = "image/png"
}

/// The kinds of what a picture holds besides the picture.
public enum ImageMetadata: String, Sendable, Hashable, CaseIterable {
    /// Exif: camera, place, time, maker's notes, a thumbnail.
    case exif
    /// XMP, also in several parts.
    case xmp
    /// Photoshop's and IPTC's records: author, caption, place.
    case iptc
    /// A comment or a text.
    case text
    /// A smaller picture inside of the picture.
    case thumbnail
    /// What a colour profile says besides the colours: names, makers, dates.
    case profileText = "profile-text"
    /// The time of the last change.
    case time
    /// Parts of other programs.
    case applicationData = "application-data"
    /// Bytes behind the end of the picture, such as the film of a motion photo.
    case trailingData = "trailing-data"
}

/// The limits of the pictures that are taken.
public struct ImageLimits: Sendable, Hashable {
    /// Bytes of the file.
    public var bytes: Int
    /// Width times height, in pixels.
    public var pixels: Int
    /// Parts of the file: JPEG's segments, PNG's chunks.
    public var parts: Int

    /// Makes limits; without arguments 64 MiB, 250 megapixels, 65,536 parts.
    public init(bytes: Int = 64 << 20, pixels: Int = 250_000_000, parts: Int = 65_536) {
        self.bytes = bytes
        self.pixels = pixels
        self.parts = parts
    }

    func checkSize(width: Int, height: Int) throws(AttachmentError) {
        guard width > 0, height > 0 else { throw .damaged("it has no width or no height") }
        let (area, overflow) = width.multipliedReportingOverflow(by: height)
        guard !overflow, area <= pixels else {
            throw AttachmentError(.tooLarge, "The picture has more pixels than are taken (\(pixels)).")
        }
    }
}

/// A picture without what would tell who made it, when, where and with what: format, size, colour and orientation are
/// what remains.
///
/// The pixels are not decoded, and stay as they are bit by bit. What the file is its bytes decide.
///
/// ```swift
/// let image = try CleanedImage(photo)
/// upload(image.bytes)
/// ```
public struct CleanedImage: Sendable, Hashable {
    /// The clean file.
    public let bytes: [UInt8]
    /// What the bytes are.
    public let format: ImageFormat
    /// Pixels.
    public let width: Int
    /// Pixels.
    public let height: Int
    /// How the picture is to be turned, 1 (as it is) to 8: Exif's orientation, the one entry of Exif that is kept
    /// (CIPA DC-008, 4.6.4).
    public let orientation: Int
    /// The kinds of what was taken out; empty where the file was clean.
    public let removed: Set<ImageMetadata>

    /// Cleans a JPEG or a PNG, in time linear in its bytes.
    ///
    /// - Throws: ``AttachmentError``: `attachment-not-cleanable` for any other kind of file, `attachment-damaged`,
    ///   `attachment-too-large`.
    public init(_ file: some Collection<UInt8>, limits: ImageLimits = ImageLimits()) throws(AttachmentError) {
        guard file.count <= limits.bytes else {
            throw AttachmentError(.tooLarge, "The file is larger than is taken (\(limits.bytes) bytes).")
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
