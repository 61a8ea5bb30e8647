#if canImport(CXML2)
    /// The bytes of one document as UTF-8 without a byte order mark, checked before parsing.
    struct XMLText {
        let bytes: [UInt8]

        /// - Throws: for an unsupported encoding, and for content that ``XMLGuard`` refuses.
        init(_ input: some Collection<UInt8>) throws(FHIRXMLError) {
            var bytes = Array(input)
            guard bytes.count <= ResourceXML.maximumBytes else {
                throw FHIRXMLError(.tooLarge, "The document has more than \(ResourceXML.maximumBytes) bytes")
            }
            var isUTF16 = false
            if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
                bytes.removeFirst(3)
            } else if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) {
                bytes = try XMLText.transcode(bytes)
                isUTF16 = true
            }
            self.bytes = bytes
            guard isUTF16 || String(validUTF8: bytes) != nil else {
                throw FHIRXMLError(.encoding).at(offset: XMLText.firstInvalid(bytes), of: bytes)
            }
            // A text with a zero byte could be read as another encoding, and XML does not allow this character.
            if let zero = bytes.firstIndex(of: 0) { throw FHIRXMLError(.encoding).at(offset: zero, of: bytes) }
            try checkDeclaration(isUTF16)
            try XMLGuard(bytes).check()
        }

        private static func transcode(_ bytes: [UInt8]) throws(FHIRXMLError) -> [UInt8] {
            let isBig = bytes[0] == 0xFE
            guard bytes.count % 2 == 0 else { throw FHIRXMLError(.encoding) }
            let units = stride(from: 2, to: bytes.count, by: 2).lazy.map { index in
                let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
                return isBig ? first << 8 | second : second << 8 | first
            }
            guard let text = String(validating: units, as: UTF16.self) else { throw FHIRXMLError(.encoding) }
            return Array(text.utf8)
        }

        private static func firstInvalid(_ bytes: [UInt8]) -> Int {
            var iterator = bytes.makeIterator()
            var decoder = UTF8()
            var offset = 0
            while true {
                switch decoder.decode(&iterator) {
                case .scalarValue(let scalar): offset += UTF8.width(scalar)
                case .emptyInput, .error: return offset
                }
            }
        }

        /// Compares the encoding in the XML declaration, if there is one, with the actual encoding.
        private func checkDeclaration(_ isUTF16: Bool) throws(FHIRXMLError) {
            guard
                bytes.starts(with: "<?xml ".utf8) || bytes.starts(with: "<?xml\t".utf8)
                    || bytes.starts(with: "<?xml\n".utf8) || bytes.starts(with: "<?xml\r".utf8)
            else { return }
            let head = String(decoding: bytes.prefix(256).prefix { $0 != UInt8(ascii: ">") }, as: UTF8.self)
            guard let word = head.firstRange(of: "encoding") else { return }
            let value = head[word.upperBound...].drop { " \t\r\n=".contains($0) || $0 == "\r\n" }
            guard let quote = value.first, quote == "\"" || quote == "'" else { return }
            let name = value.dropFirst().prefix { $0 != quote }.lowercased()
            guard name == "utf-8" || (isUTF16 && name == "utf-16") else {
                throw FHIRXMLError(.encoding, "The text declares another encoding; write it in UTF-8")
                    .at(offset: 0, of: bytes)
            }
        }
    }

    extension FHIRXMLError {
        /// Returns the same error with the line and column of a byte.
        func at(offset: Int, of bytes: some RandomAccessCollection<UInt8>) -> FHIRXMLError {
            var error = self
            guard error.line == nil else { return error }
            let before = bytes.prefix(max(0, offset))
            error.line = before.count { $0 == 0x0A } + 1
            error.column = before.reversed().prefix { $0 != 0x0A }.count + 1
            return error
        }
    }
#endif
