/// The orientation in Exif's TIFF structure, and the smallest structure that contains it
/// (CIPA DC-008, 4.5.2 and 4.6.4; TIFF 6.0, section 2).
struct ExifOrientation {
    /// The orientation from 1 to 8; nil if there is no valid one.
    let value: Int?
    /// Whether the structure contains nothing else.
    let isAlone: Bool

    private static let tag = 0x0112
    private static let entrySize = 12

    /// Reads the structure as far as possible. A damaged structure has no orientation and is removed.
    init(_ tiff: some Collection<UInt8>) {
        let bytes = Array(tiff)
        let isLittle = bytes.begins(with: "II")
        func number(_ offset: Int, _ size: Int) -> Int? {
            guard offset >= 0, size <= bytes.count - offset else { return nil }
            let part = bytes[offset..<offset + size]
            return isLittle ? part.reversed().bigEndian() : part.bigEndian()
        }
        guard isLittle || bytes.begins(with: "MM"), number(2, 2) == 42, let directory = number(4, 4),
            let count = number(directory, 2)
        else {
            value = nil
            isAlone = false
            return
        }
        var found: Int?
        for index in 0..<count {
            let entry = directory + 2 + index * Self.entrySize
            guard let tag = number(entry, 2) else { break }
            guard tag == Self.tag, let type = number(entry + 2, 2), number(entry + 4, 4) == 1 else { continue }
            found = type == 3 ? number(entry + 8, 2) : type == 4 ? number(entry + 8, 4) : nil
            break
        }
        value = found.flatMap { (1...8).contains($0) ? $0 : nil }
        isAlone =
            value != nil && count == 1 && directory == 8 && bytes.count == Self.tiff(1).count && number(22, 4) == 0
    }

    /// Returns the structure with this entry alone.
    static func tiff(_ orientation: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(text: "MM")
        bytes.append(uint16: 42)
        bytes.append(uint32: 8)
        bytes.append(uint16: 1)
        bytes.append(uint16: tag)
        bytes.append(uint16: 3)
        bytes.append(uint32: 1)
        bytes.append(uint16: orientation)
        bytes.append(uint16: 0)
        bytes.append(uint32: 0)
        return bytes
    }
}
