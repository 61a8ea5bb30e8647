/// The colours of an ICC profile without its texts (ICC.1:2022,
/// <https://www.color.org/specification/ICC.1-2022-05.pdf>).
///
/// A profile can contain the name of a display, and with it a person's name, a maker, a serial number and a date. Its
/// colours are three primaries, three curves and a white point. They are enough to show a picture in Display P3 or
/// Adobe RGB unchanged. A new profile is written from these alone; its description is always the same. Profiles of
/// other kinds, such as those of printers, are removed.
enum ColourProfile {
    private static let headerSize = 128
    private static let maximumTags = 100
    /// The white point of the space that colours are converted to: D50.
    private static let illuminant = [0xF6D6, 0x10000, 0xD32D]

    /// Returns a profile with the colours alone; nil if the colours cannot be read. A profile that this function wrote
    /// stays the same.
    static func cleaned(_ profile: [UInt8]) -> [UInt8]? {
        guard profile.count >= headerSize + 4, profile[36...].begins(with: "acsp"),
            let major = profile.first(at: 8), major == 2 || major == 4,
            ["mntr", "scnr", "spac"].contains(where: { word(profile, 12) == $0 }), word(profile, 20) == "XYZ ",
            let intent = profile.bigEndian(at: 64, bytes: 4), intent <= 3,
            let count = profile.bigEndian(at: headerSize, bytes: 4), count <= maximumTags
        else { return nil }
        // 1. The required tags.
        let needed: [String]
        switch word(profile, 16) {
        case "RGB ": needed = ["wtpt", "rXYZ", "gXYZ", "bXYZ", "rTRC", "gTRC", "bTRC"]
        case "GRAY": needed = ["wtpt", "kTRC"]
        default: return nil
        }
        // 2. Read the tags with colours.
        var found: [String: [UInt8]] = [:]
        for index in 0..<count {
            let entry = headerSize + 4 + 12 * index
            guard let offset = profile.bigEndian(at: entry + 4, bytes: 4),
                let size = profile.bigEndian(at: entry + 8, bytes: 4), let name = word(profile, entry)
            else { return nil }
            guard needed.contains(name) || name == "chad", found[name] == nil else { continue }
            guard offset <= profile.count, size <= profile.count - offset,
                let value = value(profile[offset..<offset + size], named: name)
            else { return nil }
            found[name] = value
        }
        guard needed.allSatisfy({ found[$0] != nil }) else { return nil }
        // 3. Write a new profile.
        var tags = (needed + ["chad"]).compactMap { name in found[name].map { (name: name, value: $0) } }
        tags.append(("desc", major == 2 ? description2 : text4))
        tags.append(("cprt", major == 2 ? text2 : text4))
        // After the size: the preferred engine, which is none, and the version.
        var header: [UInt8] = []
        header.append(uint32: 0)
        header.append(uint32: major == 2 ? 0x0210_0000 : 0x0430_0000)
        header += profile[12..<24]
        header += [UInt8](repeating: 0, count: 12)
        header.append(text: "acsp")
        header += [UInt8](repeating: 0, count: 24)
        header.append(uint32: intent)
        for number in illuminant { header.append(uint32: number) }
        header += [UInt8](repeating: 0, count: headerSize - header.count - 4)
        return written(header, tags)
    }

    private static func written(_ header: [UInt8], _ tags: [(name: String, value: [UInt8])]) -> [UInt8]? {
        let start = headerSize + 4 + 12 * tags.count
        var table: [UInt8] = []
        var data: [UInt8] = []
        var offsets: [[UInt8]: Int] = [:]
        for tag in tags {
            // Equal values, such as three equal curves, are stored once.
            let offset = offsets[tag.value] ?? start + data.count
            if offsets[tag.value] == nil {
                offsets[tag.value] = offset
                data += tag.value
                data += [UInt8](repeating: 0, count: (4 - data.count % 4) % 4)
            }
            table += tag.name.utf8
            table.append(uint32: offset)
            table.append(uint32: tag.value.count)
        }
        var size: [UInt8] = []
        size.append(uint32: start + data.count)
        var count: [UInt8] = []
        count.append(uint32: tags.count)
        let profile = size + header + count + table + data
        // It must fit into one segment.
        return profile.count <= 65_000 ? profile : nil
    }

    /// Returns the value of a tag, cut to the length that its type defines.
    private static func value(_ tag: ArraySlice<UInt8>, named name: String) -> [UInt8]? {
        guard let type = word(tag, 0), let reserved = tag.bigEndian(at: 4, bytes: 4), reserved == 0 else { return nil }
        let size: Int
        switch (type, name.hasSuffix("TRC")) {
        case ("XYZ ", false) where name != "chad": size = 20
        case ("sf32", false) where name == "chad": size = 44
        case ("curv", true):
            guard let count = tag.bigEndian(at: 8, bytes: 4), count <= 4096 else { return nil }
            size = 12 + 2 * count
        case ("para", true):
            let parameters = [1, 3, 4, 5, 7]
            guard let function = tag.bigEndian(at: 8, bytes: 2), parameters.indices.contains(function),
                tag.bigEndian(at: 10, bytes: 2) == 0
            else { return nil }
            size = 12 + 4 * parameters[function]
        default: return nil
        }
        return tag.count >= size ? Array(tag.prefix(size)) : nil
    }

    private static func word(_ bytes: some Collection<UInt8>, _ offset: Int) -> String? {
        guard bytes.count >= offset + 4 else { return nil }
        return String(decoding: bytes.dropFirst(offset).prefix(4), as: UTF8.self)
    }

    // MARK: Texts that a profile must have

    /// `textDescriptionType` of version 2: the text, and two empty ones.
    private static let description2: [UInt8] = {
        var bytes: [UInt8] = []
        bytes.append(text: "desc\0\0\0\0")
        bytes.append(uint32: 4)
        bytes.append(text: "ICC\0")
        return bytes + [UInt8](repeating: 0, count: 4 + 4 + 2 + 1 + 67)
    }()

    /// `textType` of version 2.
    private static let text2: [UInt8] = {
        var bytes: [UInt8] = []
        bytes.append(text: "text\0\0\0\0ICC\0")
        return bytes
    }()

    /// `multiLocalizedUnicodeType` of version 4.
    private static let text4: [UInt8] = {
        var bytes: [UInt8] = []
        bytes.append(text: "mluc\0\0\0\0")
        for number in [1, 12] { bytes.append(uint32: number) }
        bytes.append(text: "enUS")
        for number in [6, 28] { bytes.append(uint32: number) }
        bytes.append(text: "\0I\0C\0C")
        return bytes
    }()
}

extension [UInt8] {
    fileprivate func first(at offset: Int) -> UInt8? { indices.contains(offset) ? self[offset] : nil }
}
