#if canImport(CXML2)
    /// The start of an element as the parser reports it; only valid during the report.
    struct XMLTag {
        typealias Text = UnsafePointer<UInt8>

        let name: Text
        let prefix: Text?
        let uri: Text?
        let namespaces: UnsafeMutablePointer<Text?>?
        let namespaceCount: Int
        let fields: UnsafeMutablePointer<Text?>?
        let attributeCount: Int

        /// Offset of the tag in the text.
        let offset: Int

        /// Returns the prefix of a namespace that is declared here; nil for the default namespace.
        func declaredPrefix(_ index: Int) -> Text? { namespaces?[index * 2] }

        func attributeName(_ index: Int) -> String { fields?[index * 5].map { String(cString: $0) } ?? "" }
        func attributePrefix(_ index: Int) -> Text? { fields?[index * 5 + 1] }
        func attributeURI(_ index: Int) -> Text? { fields?[index * 5 + 2] }

        /// Returns the value with references resolved, without the literal white space around it
        /// (<https://hl7.org/fhir/R4/datatypes.html#string>). White space that is written as a reference is part of the
        /// value.
        ///
        /// The parser has replaced each literal tab and line end by a space.
        ///
        /// - Parameter document: the whole text, in which the tag begins at ``offset``.
        func value(_ index: Int, in document: [UInt8]) -> String {
            guard let fields, var start = fields[index * 5 + 3], var end = fields[index * 5 + 4], start < end else {
                return ""
            }
            let space = UInt8(ascii: " ")
            if start.pointee == space || (end - 1).pointee == space {
                let outer = XMLAttributeSpace(of: attributeName(index), in: document, tag: offset)
                start += min(outer.leading, end - start)
                end -= min(outer.trailing, end - start)
            }
            return XMLTag.text(UnsafeBufferPointer(start: start, count: end - start))
        }

        /// Returns the URI of a namespace.
        static func uri(_ text: Text?) -> String {
            guard let text else { return "" }
            var count = 0
            while text[count] != 0 { count += 1 }
            return XMLTag.text(UnsafeBufferPointer(start: text, count: count))
        }

        private static func text(_ text: UnsafeBufferPointer<UInt8>) -> String {
            guard text.contains(UInt8(ascii: "&")) else { return String(decoding: text, as: UTF8.self) }
            return String(decoding: withAmpersands(text), as: UTF8.self)
        }

        /// Replaces each `&#38;` by `&`: libxml2 does not resolve references to the ampersand in attributes unless
        /// entities are replaced, and passes every `&` as `&#38;`.
        private static func withAmpersands(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8] {
            var output: [UInt8] = []
            output.reserveCapacity(text.count)
            var index = 0
            while index < text.count {
                output.append(text[index])
                index += text[index] == UInt8(ascii: "&") && text[index...].starts(with: "&#38;".utf8) ? 5 : 1
            }
            return output
        }

        /// Whether a text of the parser equals the given one.
        static func equal(_ text: Text?, _ other: String) -> Bool {
            guard let text else { return false }
            return String(cString: text) == other
        }
    }
#endif
