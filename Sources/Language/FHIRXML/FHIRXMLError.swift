#if canImport(CXML2)
    import Core

    /// Why a text is not the XML of a resource, or a resource cannot be written as XML, with the place.
    public struct FHIRXMLError: CodedError, Hashable {
        /// The kinds of fault; the raw value is the stable code.
        public enum Reason: String, Sendable {
            // The text.
            /// The text is not well-formed XML.
            case notWellFormed = "xml-not-well-formed"
            /// The text declares a document type.
            case doctype = "xml-doctype"
            /// An entity is none of the five that XML defines.
            case undefinedEntity = "xml-undefined-entity"
            /// The text is neither UTF-8 nor UTF-16 with a byte order mark.
            case encoding = "xml-encoding"
            /// Elements are nested too deeply.
            case tooDeep = "xml-too-deep"
            /// A part of the text is larger than is read.
            case tooLarge = "xml-too-large"
            /// An element stands outside of FHIR's namespace.
            case namespace = "xml-namespace"
            // The resource in it.
            /// R4 has no resource of this name.
            case unknownResource = "xml-unknown-resource"
            /// R4 has no such element at this place.
            case unknownElement = "xml-unknown-element"
            /// R4 has no such attribute at this place.
            case unknownAttribute = "xml-unknown-attribute"
            /// An element that may stand once is repeated.
            case repeatedElement = "xml-repeated-element"
            /// Text stands between elements.
            case unexpectedText = "xml-unexpected-text"
            /// A value is not of the element's type.
            case invalidValue = "xml-invalid-value"
            /// An element that contains a resource has none, or several.
            case missingResource = "xml-missing-resource"
            /// A narrative is no `div` of XHTML.
            case narrative = "xml-narrative"
            // Writing.
            /// R4 has no such member, so that XML has no place for it.
            case unknownMember = "xml-unknown-member"
            /// A value has not the shape that R4 gives the element in JSON.
            case wrongShape = "xml-wrong-shape"
            /// A null, an empty array or an empty object has no form in XML.
            case emptyValue = "xml-empty-value"
            /// A value holds a character that XML 1.0 cannot hold.
            case forbiddenCharacter = "xml-forbidden-character"
        }

        /// The kind of fault.
        public let reason: Reason

        /// The line of the text, counted from 1; of the narrative's text for a narrative that cannot be written; nil
        /// where a resource cannot be written otherwise.
        public internal(set) var line: Int?

        /// The column in bytes of UTF-8, counted from 1; nil where there is no line.
        public internal(set) var column: Int?

        /// The place as FHIRPath says it, such as `Patient.name[0].given[1]`: the element, or for what is unknown that
        /// in which it stands. Nil where the text is no resource.
        public internal(set) var path: String?

        /// A sentence that says what to mend. It quotes nothing of the document but names that FHIR defines.
        public var message: String {
            var places: [String] = []
            if let path { places.append("at \(path)") }
            if let line, let column { places.append("line \(line), column \(column)") }
            return places.isEmpty ? "\(sentence)." : "\(sentence) (\(places.joined(separator: ", ")))."
        }

        /// The stable code, such as `xml-unknown-element`.
        public var code: String { reason.rawValue }

        private let sentence: String

        init(_ reason: Reason, _ sentence: String? = nil, path: String? = nil) {
            self.reason = reason
            self.sentence = sentence ?? reason.sentence
            self.path = path
        }

        /// The same error with its path.
        func at(path: @autoclosure () -> String?) -> FHIRXMLError {
            var error = self
            if error.path == nil { error.path = path() }
            return error
        }
    }

    extension FHIRXMLError.Reason {
        /// The sentence where there is nothing more exact to say.
        fileprivate var sentence: String {
            switch self {
            case .notWellFormed: "The text is not well-formed XML"
            case .doctype: "A document type declaration is refused; remove the DOCTYPE"
            case .undefinedEntity:
                "Only the five entities of XML and character references are known; write the character"
            case .encoding: "The text is not UTF-8, nor UTF-16 with a byte order mark"
            case .tooDeep: "Elements are nested too deeply"
            case .tooLarge: "A part of the text is larger than is read"
            case .namespace: "Elements of a resource stand in the namespace \(ResourceXML.namespace)"
            case .unknownResource: "R4 has no resource of this name"
            case .unknownElement: "R4 has no such element here"
            case .unknownAttribute: "R4 has no such attribute here"
            case .repeatedElement: "The element may stand here only once"
            case .unexpectedText: "Text stands between elements; values are written as attributes"
            case .invalidValue: "The value is not of the element's type"
            case .missingResource: "One resource is expected inside of this element"
            case .narrative: "The narrative is one div element in the namespace \(ResourceXML.narrativeNamespace)"
            case .unknownMember: "R4 has no such member here, so that XML has no place for it"
            case .wrongShape: "The value has not the shape that R4 gives this element in JSON"
            case .emptyValue: "A null, an empty array or an empty object has no XML form here"
            case .forbiddenCharacter: "The value has a control character or noncharacter, which XML 1.0 cannot hold"
            }
        }
    }
#endif
