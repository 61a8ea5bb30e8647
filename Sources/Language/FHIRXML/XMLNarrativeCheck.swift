#if canImport(CXML2)
    /// Checks whether a text is one XHTML div element that can be inserted into a document as it is.
    final class XMLNarrativeCheck: XMLEvents {
        private var depth = 0

        private init() {}

        /// Returns the div without the white space around it.
        ///
        /// - Parameter depth: the number of elements that are open around it.
        /// - Throws: with line and column of the text.
        static func div(_ text: String, depth: Int) throws(FHIRXMLError) -> ArraySlice<UInt8> {
            let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x0A || $0 == 0x09 || $0 == 0x0D }
            var bytes = Array(text.utf8)[...]
            bytes = bytes.drop(while: isSpace)
            while let last = bytes.last, isSpace(last) { bytes.removeLast() }
            guard bytes.first == UInt8(ascii: "<"), !bytes.starts(with: "<?".utf8) else {
                throw FHIRXMLError(.narrative)
            }
            try XMLSession.parse(try XMLText(bytes), XMLNarrativeCheck(), depth: depth)
            return bytes
        }

        func begin(_ tag: XMLTag) throws(FHIRXMLError) {
            depth += 1
            guard depth == 1 else { return }
            guard XMLTag.equal(tag.name, "div"), XMLTag.equal(tag.uri, ResourceXML.narrativeNamespace) else {
                throw FHIRXMLError(.narrative)
            }
        }

        func end(at end: Int) { depth -= 1 }

        func text(_ bytes: UnsafeBufferPointer<UInt8>) {}

        func commentOrInstruction() throws(FHIRXMLError) {
            guard depth > 0 else { throw FHIRXMLError(.narrative) }
        }

        var path: String? { nil }
    }
#endif
