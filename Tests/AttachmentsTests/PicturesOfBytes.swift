/// Pictures made byte by byte. Their segments are valid, their pixels are only a few bytes.
enum JPEGBytes {
    static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
        [0xFF, marker, UInt8((content.count + 2) >> 8), UInt8((content.count + 2) & 0xFF)] + content
    }

    static func segment(_ marker: UInt8, text: String, rest: [UInt8] = []) -> [UInt8] {
        segment(marker, Array(text.utf8) + rest)
    }

    static let quantization = segment(0xDB, [0] + [UInt8](repeating: 1, count: 64))
    static let coding = segment(0xC4, [0] + [1] + [UInt8](repeating: 0, count: 15) + [0])

    static func frame(width: Int = 8, height: Int = 8) -> [UInt8] {
        segment(
            0xC0,
            [8, UInt8(height >> 8), UInt8(height & 0xFF), UInt8(width >> 8), UInt8(width & 0xFF), 1, 1, 0x11, 0])
    }

    /// A scan with a stuffed zero and a restart marker in it.
    static let scan = segment(0xDA, [1, 1, 0, 0, 63, 0]) + [0x12, 0xFF, 0x00, 0x34, 0xFF, 0xD0, 0x56]

    static let picture = quantization + frame() + coding + scan
    static let jfif = segment(0xE0, text: "JFIF\0", rest: [1, 1, 0, 0, 1, 0, 1, 0, 0])
    static let adobe = segment(0xEE, text: "Adobe", rest: [0, 100, 0, 0, 0, 0, 1])

    static func file(_ parts: [UInt8]..., picture: [UInt8] = picture, trailing: [UInt8] = []) -> [UInt8] {
        [0xFF, 0xD8] + parts.joined() + picture + [0xFF, 0xD9] + trailing
    }

    /// Exif with a manufacturer, an orientation and the location of the picture.
    static func exif(orientation: Int, isLittle: Bool = false) -> [UInt8] {
        func number(_ value: Int, _ size: Int) -> [UInt8] {
            let bytes = (0..<size).map { UInt8(value >> (8 * $0) & 0xFF) }
            return isLittle ? bytes : bytes.reversed()
        }
        func entry(_ tag: Int, type: Int, count: Int, value: [UInt8]) -> [UInt8] {
            number(tag, 2) + number(type, 2) + number(count, 4) + value
                + [UInt8](repeating: 0, count: 4 - value.count)
        }
        let entries = [
            entry(0x010F, type: 2, count: 4, value: Array("Eve\0".utf8)),
            entry(0x0112, type: 3, count: 1, value: number(orientation, 2)),
            entry(0x8825, type: 4, count: 1, value: number(8, 4)),
        ]
        return Array((isLittle ? "II" : "MM").utf8) + number(42, 2) + number(8, 4) + number(entries.count, 2)
            + entries.joined() + number(0, 4) + Array("SECRET".utf8)
    }

    static func exifSegment(orientation: Int, isLittle: Bool = false) -> [UInt8] {
        segment(0xE1, text: "Exif\0\0", rest: exif(orientation: orientation, isLittle: isLittle))
    }
}

enum PNGBytes {
    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// A second implementation of the checksum: bit by bit, from the text of the standard.
    static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var value: UInt32 = ~0
        for byte in bytes {
            for bit in 0..<8 {
                let isOdd = (value ^ UInt32(byte >> bit)) & 1 == 1
                value = value >> 1 ^ (isOdd ? 0xEDB8_8320 : 0)
            }
        }
        return ~value
    }

    static func number(_ value: UInt32) -> [UInt8] { (0..<4).reversed().map { UInt8(value >> (8 * $0) & 0xFF) } }

    static func chunk(_ name: String, _ content: [UInt8] = []) -> [UInt8] {
        let named = Array(name.utf8) + content
        return number(UInt32(content.count)) + named + number(checksum(named))
    }

    static func header(width: UInt32 = 8, height: UInt32 = 8) -> [UInt8] {
        chunk("IHDR", number(width) + number(height) + [8, 2, 0, 0, 0])
    }

    static let data = chunk("IDAT", [0x78, 0x9C, 1, 2, 3])
    static let end = chunk("IEND")

    static func file(_ parts: [UInt8]..., trailing: [UInt8] = []) -> [UInt8] {
        signature + header() + parts.joined() + data + end + trailing
    }
}

/// A colour profile of version 2 or 4 with three primaries, curves, a manufacturer and a name.
enum ProfileBytes {
    static func profile(version: UInt8 = 4, name: String = "Annas Display") -> [UInt8] {
        func number(_ value: Int) -> [UInt8] { PNGBytes.number(UInt32(value)) }
        let xyz = Array("XYZ \0\0\0\0".utf8) + number(0x6FA2) + number(0x38F5) + number(0x0390)
        let curve = Array("para\0\0\0\0\0\0\0\0".utf8) + number(0x23333)
        let text = Array("text\0\0\0\0\(name)\0".utf8)
        var tags = ["wtpt", "rXYZ", "gXYZ", "bXYZ"].map { ($0, xyz) }
        tags += ["rTRC", "gTRC", "bTRC"].map { ($0, curve) }
        tags += [("desc", text), ("cprt", text), ("dmnd", text)]
        var table: [UInt8] = []
        var data: [UInt8] = []
        for (name, value) in tags {
            table += Array(name.utf8) + number(128 + 4 + 12 * tags.count + data.count) + number(value.count)
            data += value + [UInt8](repeating: 0, count: (4 - value.count % 4) % 4)
        }
        var header = number(128 + 4 + table.count + data.count) + Array("appl".utf8) + [version, 0, 0, 0]
        header += Array("mntrRGB XYZ ".utf8) + [7, 0xEA, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5]
        header += Array("acspAPPL".utf8) + number(0) + Array("EVE EVE ".utf8) + number(0) + number(0) + number(1)
        header += number(0xF6D6) + number(0x10000) + number(0xD32D) + Array("anna".utf8)
        header += [UInt8](repeating: 0x41, count: 128 - header.count)
        return header + number(tags.count) + table + data
    }

    static func segments(_ profile: [UInt8], parts: Int = 1) -> [UInt8] {
        let size = (profile.count + parts - 1) / parts
        return (0..<parts).flatMap { part in
            JPEGBytes.segment(
                0xE2, text: "ICC_PROFILE\0",
                rest: [UInt8(part + 1), UInt8(parts)] + profile[(part * size)..<min((part + 1) * size, profile.count)])
        }
    }
}
