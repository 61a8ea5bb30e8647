#if canImport(CXML2)
    /// Scans a document before it is parsed and refuses content that no parser should see: a document type, and tags
    /// with more attributes than can be compared with each other in acceptable time.
    ///
    /// It distinguishes comments, CDATA, instructions and tags as XML does, so that for a well-formed text it sees what
    /// the parser sees. In any other text, the parser stops at the first error.
    struct XMLGuard {
        private let bytes: [UInt8]

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        func check() throws(FHIRXMLError) {
            var offset = 0
            while let open = bytes[offset...].firstIndex(of: UInt8(ascii: "<")) {
                let next: Int?
                if starts("<!--", at: open) {
                    next = end(of: "-->", from: open + 4)
                } else if starts("<![CDATA[", at: open) {
                    next = end(of: "]]>", from: open + 9)
                } else if starts("<?", at: open) {
                    next = end(of: "?>", from: open + 2)
                } else if starts("<!", at: open) {
                    throw FHIRXMLError(starts("<!DOCTYPE", at: open) ? .doctype : .notWellFormed)
                        .at(offset: open, of: bytes)
                } else {
                    next = try endOfTag(from: open)
                }
                // The parser reports an unclosed construct.
                guard let next else { return }
                offset = next
            }
        }

        private func endOfTag(from open: Int) throws(FHIRXMLError) -> Int? {
            var quote: UInt8?
            var attributes = 0
            for index in open + 1..<max(bytes.count, open + 1) {
                let byte = bytes[index]
                if let open = quote {
                    if byte == open { quote = nil }
                    continue
                }
                switch byte {
                case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
                case UInt8(ascii: ">"): return index + 1
                case UInt8(ascii: "="):
                    attributes += 1
                    if attributes > ResourceXML.maximumAttributes {
                        throw FHIRXMLError(
                            .tooLarge, "An element has more than \(ResourceXML.maximumAttributes) attributes"
                        ).at(offset: open, of: bytes)
                    }
                default: break
                }
            }
            return nil
        }

        private func starts(_ text: StaticString, at offset: Int) -> Bool {
            guard offset + text.utf8CodeUnitCount <= bytes.count else { return false }
            for index in 0..<text.utf8CodeUnitCount where bytes[offset + index] != text.utf8Start[index] {
                return false
            }
            return true
        }

        private func end(of text: StaticString, from start: Int) -> Int? {
            var offset = start
            while offset < bytes.count, let next = bytes[offset...].firstIndex(of: text.utf8Start[0]) {
                if starts(text, at: next) { return next + text.utf8CodeUnitCount }
                offset = next + 1
            }
            return nil
        }
    }
#endif
