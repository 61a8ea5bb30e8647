/// Texts that come again and again, so that not every time a new string is made.
struct KnownTexts {
    private var known: [(bytes: [UInt8], text: String)] = []
    private static let limit = 24

    mutating func text(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        for entry in known where bytes.holds(entry.bytes) { return entry.text }
        let text = String(decoding: bytes, as: UTF8.self)
        if known.count == Self.limit { known.removeFirst() }
        known.append((Array(bytes), text))
        return text
    }
}
