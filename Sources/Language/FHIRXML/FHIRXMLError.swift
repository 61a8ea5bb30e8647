#if canImport(CXML2)
    /// Why a text is not the XML of a resource, or a resource cannot be written as XML, with the place.
    public struct FHIRXMLError: Error, Sendable, Hashable, CustomStringConvertible {
        /// What is wrong; the raw value is the stable code.
        public enum Code: String, Sendable {
            // The text.
            case notWellFormed = "xml-not-well-formed"
            case doctype = "xml-doctype"
            case undefinedEntity = "xml-undefined-entity"
            case encoding = "xml-encoding"
            case tooDeep = "xml-too-deep"
            case tooLarge = "xml-too-large"
            case namespace = "xml-namespace"
            // The resource in it.
            case unknownResource = "xml-unknown-resource"
            case unknownElement = "xml-unknown-element"
            case unknownAttribute = "xml-unknown-attribute"
            case repeatedElement = "xml-repeated-element"
            case unexpectedText = "xml-unexpected-text"
            case invalidValue = "xml-invalid-value"
            case missingResource = "xml-missing-resource"
            case narrative = "xml-narrative"
            // Writing.
            case unknownMember = "xml-unknown-member"
            case wrongShape = "xml-wrong-shape"
            case emptyValue = "xml-empty-value"
            case forbiddenCharacter = "xml-forbidden-character"
        }

        public let code: Code

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

        public var description: String { "\(code.rawValue): \(message)" }

        private let sentence: String

        init(_ code: Code, _ sentence: String? = nil, path: String? = nil) {
            self.code = code
            self.sentence = sentence ?? code.sentence
            self.path = path
        }

        /// The same error with its path.
        func at(path: @autoclosure () -> String?) -> FHIRXMLError {
            var error = self
            if error.path == nil { error.path = path() }
            return error
        }
    }

    extension FHIRXMLError.Code {
        /// What is said where there is nothing more exact to say.
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
