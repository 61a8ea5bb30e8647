extension String {
    /// Creates a string from UTF-8 bytes. Returns nil if they are not valid UTF-8 ([Unicode, section
    /// 3.9](https://www.unicode.org/versions/latest/core-spec/chapter-3/)). Nothing is repaired.
    public init?(validUTF8 bytes: some Collection<UInt8>) {
        // `init(validating:as:)` is newer than the oldest iOS and macOS that the package supports.
        if #available(macOS 15, iOS 18, *) {
            self.init(validating: bytes, as: UTF8.self)
        } else {
            self.init(unrepairedUTF8: bytes)
        }
    }

    /// Does the same on every system, at up to five times the cost: decoding replaces invalid bytes, so that the result
    /// differs from the input.
    init?(unrepairedUTF8 bytes: some Collection<UInt8>) {
        self.init(decoding: bytes, as: UTF8.self)
        guard utf8.elementsEqual(bytes) else { return nil }
    }
}
