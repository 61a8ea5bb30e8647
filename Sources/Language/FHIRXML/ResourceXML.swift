#if canImport(CXML2)
    import FHIR

    /// Reads and writes FHIR R4's XML format: <https://hl7.org/fhir/R4/xml.html>.
    ///
    /// XML and JSON (<https://hl7.org/fhir/R4/json.html>) are two formats of the same resource; here both are one
    /// ``FHIR/JSON`` value. Nothing is lost in either direction: content that the other format cannot represent is an
    /// error with its path. Whether the resource follows its definitions in other respects (cardinality, codes, formats
    /// of strings) is decided by validation.
    ///
    /// - Numbers keep their digits.
    /// - Narratives keep their text; only line ends become line feeds, as in all XML.
    /// - Comments, processing instructions and white space between elements outside of a narrative, and
    ///   `xsi:schemaLocation` at the root, are not content and are ignored.
    /// - Nulls of JSON that only keep two arrays aligned have no XML form. An array of only nulls is absent when the
    ///   XML is read.
    ///
    /// A DOCTYPE is refused before parsing. Therefore there are no entities other than XML's five, and nothing is ever
    /// loaded from elsewhere.
    public enum ResourceXML {
        /// The namespace of resources.
        public static let namespace = "http://hl7.org/fhir"

        /// The namespace of narratives.
        public static let narrativeNamespace = "http://www.w3.org/1999/xhtml"

        /// Maximum nesting depth of arrays and objects of the JSON value, as in JSON texts.
        public static let maximumDepth = 192

        /// Maximum number of open elements, including those of narratives.
        public static let maximumOpenElements = 224

        /// Maximum number of attributes of one element, including namespace declarations.
        public static let maximumAttributes = 64

        /// Maximum number of namespace declarations in scope.
        public static let maximumNamespaces = 64

        /// Maximum size of a document in bytes.
        public static let maximumBytes = 1 << 28

        /// Reads one resource.
        ///
        /// The members are in the order of the document, with `resourceType` first. Elements in another order than
        /// FHIR's are also accepted.
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
        /// - Parameter pretty: whether each element is on its own line, indented by two spaces per level. Narratives
        ///   are unchanged.
        /// - Throws: ``FHIRXMLError`` with the path, for anything that would change when it is read again.
        public static func write(_ resource: JSON, pretty: Bool = false) throws(FHIRXMLError) -> [UInt8] {
            var writer = ResourceWriter(pretty: pretty)
            try writer.document(resource)
            return writer.output.bytes
        }
    }
#endif
