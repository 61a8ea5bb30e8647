/// Texts that come again and again, so that not every time a new string is made.
struct KnownTexts {
    private var known: [(bytes: [UInt8], text: String)] = []
    private static let limit = 24

    mutating func text(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        for (index, entry) in known.enumerated()
        where entry.bytes.count == bytes.count && bytes.elementsEqual(entry.bytes) {
            // What comes often moves to the front.
            if index > 0 { known.swapAt(index, index - 1) }
            return entry.text
        }
        let text = String(decoding: bytes, as: UTF8.self)
        if known.count == Self.limit { known.removeLast() }
        known.append((Array(bytes), text))
        return text
    }
}
