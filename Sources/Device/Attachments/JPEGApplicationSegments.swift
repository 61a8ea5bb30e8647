/// The application segments of a JPEG: the content that is kept, and the kinds of content that is removed.
struct JPEGApplicationSegments {
    var removed: Set<ImageMetadata> = []
    /// Exif's orientation; the first one if there are several.
    private(set) var orientation: Int?
    private var jfif: ArraySlice<UInt8>?
    private var adobe: ArraySlice<UInt8>?
    /// The parts of the colour profile by their numbers.
    private var profile: [Int: ArraySlice<UInt8>] = [:]
    private var profileParts: Int?
    private var profileIsBroken = false

    private static let jfifLength = 14
    private static let adobeLength = 12

    /// Reads a segment APPn.
    mutating func take(_ number: UInt8, _ content: ArraySlice<UInt8>) {
        switch number {
        case 0 where content.begins(with: "JFIF\0") && content.count >= Self.jfifLength && jfif == nil:
            jfif = content.prefix(Self.jfifLength - 2)
            // Width and height of the thumbnail, which follows them.
            let hasThumbnail = content.dropFirst(Self.jfifLength - 2).prefix(2).contains { $0 != 0 }
            if hasThumbnail || content.count > Self.jfifLength { removed.insert(.thumbnail) }
        case 0 where content.begins(with: "JFXX\0"): removed.insert(.thumbnail)
        case 1 where content.begins(with: "Exif\0"):
            let exif = ExifOrientation(content.dropFirst(6))
            orientation = orientation ?? exif.value
            if !exif.isAlone { removed.insert(.exif) }
        case 1 where content.begins(with: "http://ns.adobe.com/"): removed.insert(.xmp)
        case 2 where content.begins(with: "ICC_PROFILE\0") && content.count >= 14: takeProfile(content.dropFirst(12))
        case 13: removed.insert(.iptc)
        case 14 where content.begins(with: "Adobe") && content.count >= Self.adobeLength && adobe == nil:
            adobe = content.prefix(Self.adobeLength)
            if content.count > Self.adobeLength { removed.insert(.applicationData) }
        default: removed.insert(.applicationData)
        }
    }

    private mutating func takeProfile(_ content: ArraySlice<UInt8>) {
        let number = Int(content.first ?? 0)
        let parts = Int(content.dropFirst().first ?? 0)
        if number < 1 || number > parts || profile[number] != nil || profileParts ?? parts != parts {
            profileIsBroken = true
        }
        profileParts = parts
        profile[number] = content.dropFirst(2)
    }

    /// Returns the segments that are kept, and records in `removed` when the colour profile is changed or dropped.
    mutating func kept() -> [UInt8] {
        var bytes: [UInt8] = []
        func append(_ marker: UInt8, _ content: [UInt8]) {
            bytes += [0xFF, marker]
            bytes.append(uint16: content.count + 2)
            bytes += content
        }
        if let jfif { append(0xE0, Array(jfif) + [0, 0]) }
        if let orientation, orientation != 1 {
            var exif: [UInt8] = []
            exif.append(text: "Exif\0\0")
            append(0xE1, exif + ExifOrientation.tiff(orientation))
        }
        if let parts = profileParts {
            let whole = (1...max(parts, 1)).flatMap { profile[$0] ?? [] }
            let clean = profileIsBroken || profile.count != parts ? nil : ColourProfile.cleaned(whole)
            if clean != whole { removed.insert(.profileText) }
            if let clean {
                var content: [UInt8] = []
                content.append(text: "ICC_PROFILE\0")
                append(0xE2, content + [1, 1] + clean)
            }
        }
        if let adobe { append(0xEE, Array(adobe)) }
        return bytes
    }
}
