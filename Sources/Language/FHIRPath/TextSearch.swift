/// Searching in texts by code points, in time linear in both texts: the algorithm of Knuth, Morris and Pratt
/// (<https://doi.org/10.1137/0206024>). Bytes are compared, because in UTF-8 a match always consists of whole code
/// points.
struct TextSearch {
    private let part: [UInt8]
    /// For each prefix of the part, the length of the longest proper prefix of the part that the prefix ends with.
    private let borders: [Int32]

    /// - Parameter part: the text to find; not empty.
    init(_ part: String) {
        let part = Array(part.utf8)
        var borders = [Int32](repeating: 0, count: part.count)
        var length = 0
        for index in part.indices.dropFirst() {
            while length > 0, part[index] != part[length] { length = Int(borders[length - 1]) }
            if part[index] == part[length] { length += 1 }
            borders[index] = Int32(length)
        }
        self.part = part
        self.borders = borders
    }

    /// Calls the body with the byte offset of each occurrence, in their order, until it returns false.
    ///
    /// - Parameter overlapping: whether an occurrence may begin inside of the one before it.
    func each(in bytes: [UInt8], overlapping: Bool = false, _ body: (Int) -> Bool) {
        guard !part.isEmpty, bytes.count >= part.count else { return }
        bytes.withUnsafeBufferPointer { bytes in
            part.withUnsafeBufferPointer { part in
                borders.withUnsafeBufferPointer { borders in
                    var length = 0
                    for index in bytes.indices {
                        while length > 0, bytes[index] != part[length] { length = Int(borders[length - 1]) }
                        guard bytes[index] == part[length] else { continue }
                        length += 1
                        guard length == part.count else { continue }
                        guard body(index + 1 - length) else { return }
                        length = overlapping ? Int(borders[length - 1]) : 0
                    }
                }
            }
        }
    }
}

extension TextSearch {
    /// Returns the offset of the first occurrence, in code points.
    static func offset(of part: String, in text: String) -> Int? {
        if part.isEmpty { return 0 }
        let bytes = Array(text.utf8)
        var found: Int?
        TextSearch(part).each(in: bytes) { offset in
            found = offset
            return false
        }
        return found.map { scalars(before: $0, in: bytes) }
    }

    /// Returns the offset of the last occurrence, in code points.
    static func lastOffset(of part: String, in text: String) -> Int? {
        let bytes = Array(text.utf8)
        if part.isEmpty { return scalars(before: bytes.count, in: bytes) }
        var found: Int?
        TextSearch(part).each(in: bytes, overlapping: true) { offset in
            found = offset
            return true
        }
        return found.map { scalars(before: $0, in: bytes) }
    }

    private static func scalars(before offset: Int, in bytes: [UInt8]) -> Int {
        bytes[..<offset].reduce(0) { $1 & 0xC0 == 0x80 ? $0 : $0 + 1 }
    }

    /// Returns the texts between the occurrences of a separator; nil if their number exceeds the limit.
    static func split(_ text: String, by separator: String, limit: Int) -> [String]? {
        if separator.isEmpty {
            guard text.unicodeScalars.count <= limit else { return nil }
            return text.unicodeScalars.map { String($0) }
        }
        let (bytes, length) = (Array(text.utf8), separator.utf8.count)
        var output: [String] = []
        var start = 0
        TextSearch(separator).each(in: bytes) { offset in
            output.append(String(decoding: bytes[start..<offset], as: UTF8.self))
            start = offset + length
            return output.count <= limit
        }
        output.append(String(decoding: bytes[start...], as: UTF8.self))
        return output.count <= limit ? output : nil
    }

    /// Replaces each occurrence of a text. An empty text is replaced between all code points and at both ends. Returns
    /// nil if the result has more bytes than the limit.
    static func replace(_ part: String, by replacement: String, in text: String, limit: Int) -> String? {
        let (bytes, new) = (Array(text.utf8), Array(replacement.utf8))
        var output: [UInt8] = []
        if part.isEmpty {
            guard (text.unicodeScalars.count + 1) * new.count + bytes.count <= limit else { return nil }
            for byte in bytes {
                if byte & 0xC0 != 0x80 { output += new }
                output.append(byte)
            }
            return String(decoding: output + new, as: UTF8.self)
        }
        let length = part.utf8.count
        var start = 0
        TextSearch(part).each(in: bytes) { offset in
            output += bytes[start..<offset]
            output += new
            start = offset + length
            return output.count <= limit
        }
        guard output.count + bytes.count - start <= limit else { return nil }
        return String(decoding: output + bytes[start...], as: UTF8.self)
    }
}
