#if canImport(CXML2)
    import FHIR

    /// The form of a primitive type in JSON (<https://hl7.org/fhir/R4/json.html#primitive>).
    enum PrimitiveForm {
        case boolean
        case number
        case string
        /// The text of a narrative, which is an element of its own in XML.
        case xhtml

        /// Creates the form of a primitive type.
        init(_ type: TypeModel.TypeID) {
            if type == PrimitiveForm.booleanType {
                self = .boolean
            } else if type == PrimitiveForm.decimalType || TypeModel.r4.isSubtype(type, of: PrimitiveForm.integerType) {
                self = .number
            } else {
                self = type == PrimitiveForm.xhtmlType ? .xhtml : .string
            }
        }

        private static let booleanType = TypeModel.r4.type("boolean") ?? .unknown
        private static let decimalType = TypeModel.r4.type("decimal") ?? .unknown
        private static let integerType = TypeModel.r4.type("integer") ?? .unknown
        private static let xhtmlType = TypeModel.r4.type("xhtml") ?? .unknown

        /// Returns the value of the attribute as JSON; nil if it does not have the type.
        ///
        /// A plus sign, which R4 allows before integers, is not part of the number and has no JSON form.
        func read(_ text: String) -> JSON? {
            switch self {
            case .boolean: text == "true" ? .bool(true) : text == "false" ? .bool(false) : nil
            case .number: (JSONNumber(text: text) ?? withoutPlus(text)).map { .number($0) }
            case .string: .string(text)
            case .xhtml: nil
            }
        }

        private func withoutPlus(_ text: String) -> JSONNumber? {
            guard text.utf8.first == UInt8(ascii: "+"), text.utf8.dropFirst().allSatisfy({ (0x30...0x39).contains($0) })
            else { return nil }
            return JSONNumber(text: String(text.dropFirst()))
        }

        /// Returns the JSON value as text for an attribute; nil if it does not have the form.
        func write(_ value: JSON) -> String? {
            switch (self, value) {
            case (.boolean, .bool(let value)): value ? "true" : "false"
            case (.number, .number(let value)): value.text
            case (.string, .string(let value)): value
            default: nil
            }
        }
    }
#endif
