#if canImport(CXML2)
    import FHIR

    /// A narrative that is being skipped by the reader. Its text is copied from the document unchanged.
    ///
    /// It must be well-formed on its own in JSON: namespaces that are declared by ancestors are declared on its first
    /// element.
    struct NarrativeSpan {
        private let start: Int
        /// Length of the name in the first tag.
        private let nameLength: Int
        /// The prefixes that each open element declares; the default namespace is an empty text.
        private var declared: [[String]] = []
        private var missing: [(prefix: String, uri: String)] = []

        init(_ tag: XMLTag) {
            start = tag.offset
            let name = String(cString: tag.name).utf8.count
            nameLength = name + (tag.prefix.map { String(cString: $0).utf8.count + 1 } ?? 0)
            begin(tag)
        }

        mutating func begin(_ tag: XMLTag) {
            declared.append(
                (0..<tag.namespaceCount).map { index in tag.declaredPrefix(index).map { String(cString: $0) } ?? "" })
            need(tag.prefix, tag.uri)
            for index in 0..<tag.attributeCount where tag.attributePrefix(index) != nil {
                need(tag.attributePrefix(index), tag.attributeURI(index))
            }
        }

        private mutating func need(_ prefix: XMLTag.Text?, _ uri: XMLTag.Text?) {
            guard let uri else { return }
            let prefix = prefix.map { String(cString: $0) } ?? ""
            guard prefix != "xml", !declared.contains(where: { $0.contains(prefix) }),
                !missing.contains(where: { $0.prefix == prefix })
            else { return }
            missing.append((prefix, XMLTag.uri(uri)))
        }

        /// Returns whether this was the end of the narrative.
        mutating func end() -> Bool {
            _ = declared.popLast()
            return declared.isEmpty
        }

        /// Returns the narrative with line ends normalized as in XML.
        func text(in text: XMLText, to end: Int) throws(FHIRXMLError) -> String {
            guard start + 1 + nameLength <= end, end <= text.bytes.count, text.bytes[start] == UInt8(ascii: "<"),
                text.bytes[end - 1] == UInt8(ascii: ">")
            else { throw FHIRXMLError(.narrative) }
            var output = XMLOutput()
            let afterName = start + 1 + nameLength
            output.append(text.bytes[start..<afterName])
            for (prefix, uri) in missing {
                output.append(prefix.isEmpty ? " xmlns=\"" : " xmlns:\(prefix)=\"")
                guard output.appendEscaped(uri) else { throw FHIRXMLError(.narrative) }
                output.append("\"")
            }
            output.append(text.bytes[afterName..<end])
            return String(decoding: XMLOutput.lineFeeds(output.bytes), as: UTF8.self)
        }
    }
#endif
