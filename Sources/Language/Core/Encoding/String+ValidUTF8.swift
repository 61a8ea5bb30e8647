extension String {
    /// Makes a text of bytes that are UTF-8; nil for any others.
    public init?(validUTF8 bytes: some Collection<UInt8>) {
        // The library's own is of 2024; before it, what was repaired shows by comparison.
        if #available(iOS 18, macOS 15, *) {
            guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
            self = text
        } else {
            let text = String(decoding: bytes, as: UTF8.self)
            guard text.utf8.elementsEqual(bytes) else { return nil }
            self = text
        }
    }
}
