#if canImport(CXML2)
    import FHIR

    /// FHIR R4's XML form, both ways: <https://hl7.org/fhir/R4/xml.html>.
    ///
    /// The XML and the JSON (<https://hl7.org/fhir/R4/json.html>) is one resource; here both are one
    /// ``FHIR/JSON`` value. Nothing is dropped on either way: what the other form has no place for is an error that
    /// names where it stands. Whether the resource follows its definitions beyond that (cardinality, codes, formats of
    /// strings) is validation's to say.
    ///
    /// - Numbers keep their digits.
    /// - Narrative keeps its text; only line ends become line feeds, as in all XML.
    /// - Comments, processing instructions and space between elements outside of a narrative, and
    ///   `xsi:schemaLocation` at the root, are no content and are passed over.
    /// - Nulls of JSON that stand only to keep two arrays aligned have no XML form, so that an array of nothing but
    ///   them is not there when the XML is read.
    ///
    /// A DOCTYPE is refused before the parser sees it; so there are no entities but XML's five, and nothing is ever
    /// loaded from elsewhere.
    public enum ResourceXML {
        /// The namespace of resources.
        public static let namespace = "http://hl7.org/fhir"

        /// The namespace of narratives.
        public static let narrativeNamespace = "http://www.w3.org/1999/xhtml"

        /// How deep arrays and objects of the JSON value may be nested, as in JSON texts.
        public static let maximumDepth = 192

        /// How many elements may be open at once, those of narratives included.
        public static let maximumOpenElements = 224

        /// How many attributes, namespace declarations among them, one element may have.
        public static let maximumAttributes = 64

        /// How many namespace declarations may be in force at once.
        public static let maximumNamespaces = 64

        /// How many bytes a document may have.
        public static let maximumBytes = 1 << 28

        /// Reads one resource.
        ///
        /// Members stand in the order of the document, `resourceType` first. Elements in another order than FHIR's are
        /// read all the same.
        /// - Parameter bytes: XML 1.0 in UTF-8, or in UTF-16 with a byte order mark.
        /// - Throws: ``FHIRXMLError`` with line and column.
        public static func read(_ bytes: some Collection<UInt8>) throws(FHIRXMLError) -> JSON {
            let text = try XMLText(bytes)
            let reader = ResourceReader(text)
            try XMLSession.parse(text, reader)
            return try reader.resource()
        }

        /// Writes one resource as UTF-8 with an XML declaration, its elements in FHIR's order.
        ///
        /// - Parameter pretty: one element a line, indented by two spaces a level. Narratives stay as they are.
        /// - Throws: ``FHIRXMLError`` with the path: for anything that would not be the same when read again.
        public static func write(_ resource: JSON, pretty: Bool = false) throws(FHIRXMLError) -> [UInt8] {
            var writer = ResourceWriter(pretty: pretty)
            try writer.document(resource)
            return writer.output.bytes
        }
    }
#endif
