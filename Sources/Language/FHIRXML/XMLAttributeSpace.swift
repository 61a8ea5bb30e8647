#if canImport(CXML2)
    /// The literal white space around the value of an attribute, without character references: the number of spaces
    /// into which the parser converts it.
    struct XMLAttributeSpace {
        private(set) var leading = 0
        private(set) var trailing = 0

        /// Finds an attribute in a start tag that the parser has accepted.
        ///
        /// - Parameters:
        ///   - name: the name of the attribute, which has no prefix.
        ///   - tag: the offset of the tag's `<`.
        init(of name: String, in document: [UInt8], tag: Int) {
            let name = Array(name.utf8)
            var index = tag
            while let (found, value) = Self.attribute(in: document, from: &index) {
                guard document[found].elementsEqual(name) else { continue }
                let text = document[value]
                leading = Self.spaces(text.prefix(while: Self.isSpace))
                trailing = Self.spaces(text[((text.lastIndex { !Self.isSpace($0) } ?? text.startIndex - 1) + 1)...])
                return
            }
        }

        /// Returns the name and the value of the next attribute; nil at the end of the tag. Moves `index` past it.
        private static func attribute(
            in document: [UInt8], from index: inout Int
        ) -> (name: Range<Int>, value: Range<Int>)? {
            guard let equals = position(from: index, in: document, where: { $0 == equalsSign || $0 == endOfTag }),
                document[equals] == equalsSign
            else { return nil }
            var end = equals
            while end > index, isSpace(document[end - 1]) { end -= 1 }
            var start = end
            while start > index, !isSpace(document[start - 1]) { start -= 1 }
            guard let quote = position(from: equals, in: document, where: { quotes.contains($0) }),
                let closing = position(from: quote + 1, in: document, where: { $0 == document[quote] })
            else { return nil }
            index = closing + 1
            return (start..<end, quote + 1..<closing)
        }

        private static func position(from start: Int, in document: [UInt8], where isFound: (UInt8) -> Bool) -> Int? {
            guard start < document.count else { return nil }
            return document[start...].firstIndex(where: isFound)
        }

        /// Counts a carriage return with a line feed as one character, because the parser makes one line feed of them.
        private static func spaces(_ bytes: ArraySlice<UInt8>) -> Int {
            var count = bytes.count
            for (byte, next) in zip(bytes, bytes.dropFirst()) where byte == 0x0D && next == 0x0A { count -= 1 }
            return count
        }

        private static func isSpace(_ byte: UInt8) -> Bool {
            byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
        }

        private static let quotes: [UInt8] = [UInt8(ascii: "\""), UInt8(ascii: "'")]
        private static let equalsSign = UInt8(ascii: "=")
        private static let endOfTag = UInt8(ascii: ">")
    }
#endif
