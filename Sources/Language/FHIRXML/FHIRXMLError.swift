#if canImport(CXML2)
    import Core

    /// Reason why a text is not the XML of a resource, or why a resource cannot be written as XML, with its position.
    public struct FHIRXMLError: CodedError, Hashable {
        /// Kind of fault; the raw value is the stable code.
        public enum Reason: String, Sendable {
            // The text.
            /// The text is not well-formed XML.
            case notWellFormed = "xml-not-well-formed"
            /// The text declares a document type.
            case doctype = "xml-doctype"
            /// An entity other than the five that XML defines.
            case undefinedEntity = "xml-undefined-entity"
            /// The text is neither UTF-8 nor UTF-16 with a byte order mark.
            case encoding = "xml-encoding"
            /// Elements are nested too deeply.
            case tooDeep = "xml-too-deep"
            /// A part of the text exceeds the size limit.
            case tooLarge = "xml-too-large"
            /// An element is outside of FHIR's namespace.
            case namespace = "xml-namespace"
            // The resource in it.
            /// R4 does not define a resource of this name.
            case unknownResource = "xml-unknown-resource"
            /// R4 does not define the element at this path.
            case unknownElement = "xml-unknown-element"
            /// R4 does not define the attribute at this path.
            case unknownAttribute = "xml-unknown-attribute"
            /// An element that is allowed only once is repeated.
            case repeatedElement = "xml-repeated-element"
            /// There is text between elements.
            case unexpectedText = "xml-unexpected-text"
            /// A value is not of the element's type.
            case invalidValue = "xml-invalid-value"
            /// An element that contains a resource has none, or several.
            case missingResource = "xml-missing-resource"
            /// A narrative is not a `div` of XHTML.
            case narrative = "xml-narrative"
            // Writing.
            /// R4 does not define the member, so that it cannot be written as XML.
            case unknownMember = "xml-unknown-member"
            /// A value does not have the JSON form of the element in R4.
            case wrongShape = "xml-wrong-shape"
            /// A null, an empty array or an empty object has no form in XML.
            case emptyValue = "xml-empty-value"
            /// A value contains a character that XML 1.0 does not allow.
            case forbiddenCharacter = "xml-forbidden-character"
        }

        /// The kind of fault.
        public let reason: Reason

        /// The line of the text, counted from 1. If a narrative cannot be written, the line of its text; nil for other
        /// faults in writing.
        public internal(set) var line: Int?

        /// The column in bytes of UTF-8, counted from 1; nil if there is no line.
        public internal(set) var column: Int?

        /// The FHIRPath of the element, such as `Patient.name[0].given[1]`; for something unknown, that of the element
        /// that contains it. Nil if the text is not a resource.
        public internal(set) var path: String?

        /// A sentence that describes the fault. It quotes nothing of the document except names that FHIR defines.
        public var message: String {
            var locations: [String] = []
            if let path { locations.append("at \(path)") }
            if let line, let column { locations.append("line \(line), column \(column)") }
            return locations.isEmpty ? "\(sentence)." : "\(sentence) (\(locations.joined(separator: ", ")))."
        }

        /// The stable code, such as `xml-unknown-element`.
        public var code: String { reason.rawValue }

        private let sentence: String

        init(_ reason: Reason, _ sentence: String? = nil, path: String? = nil) {
            self.reason = reason
            self.sentence = sentence ?? reason.sentence
            self.path = path
        }

        /// Returns the same error with its path.
        func at(path: @autoclosure () -> String?) -> FHIRXMLError {
            var error = self
            if error.path == nil { error.path = path() }
            return error
        }
    }

    extension FHIRXMLError.Reason {
        /// The sentence that is used if there is none with more detail.
        fileprivate var sentence: String {
            switch self {
            case .notWellFormed: "The text is not well-formed XML"
            case .doctype: "A document type declaration is refused; remove the DOCTYPE"
            case .undefinedEntity:
                "Only the five entities of XML and character references are known; write the character"
            case .encoding: "The text is not UTF-8, nor UTF-16 with a byte order mark"
            case .tooDeep: "Elements are nested too deeply"
            case .tooLarge: "A part of the text exceeds the size limit"
            case .namespace: "Elements of a resource must be in the namespace \(ResourceXML.namespace)"
            case .unknownResource: "R4 has no resource of this name"
            case .unknownElement: "R4 has no such element here"
            case .unknownAttribute: "R4 has no such attribute here"
            case .repeatedElement: "The element is allowed here only once"
            case .unexpectedText: "There is text between elements; values are written as attributes"
            case .invalidValue: "The value is not of the element's type"
            case .missingResource: "One resource is expected inside of this element"
            case .narrative: "The narrative is one div element in the namespace \(ResourceXML.narrativeNamespace)"
            case .unknownMember: "R4 has no such member here, so that it cannot be written as XML"
            case .wrongShape: "The value does not have the JSON form of this element in R4"
            case .emptyValue: "A null, an empty array or an empty object has no XML form here"
            case .forbiddenCharacter: "The value has a control character or noncharacter, which XML 1.0 does not allow"
            }
        }
    }
#endif
