#if canImport(CXML2)
    import FHIR

    /// An element that is open, with the content that has been read.
    struct OpenElement {
        enum Content {
            /// A data type, a backbone element or a resource.
            case object
            /// A primitive and the value of its attribute. The parts of the element are its id and extensions.
            case primitive(JSON?)
            /// An element that contains a resource, once the resource is read.
            case resource(JSON?)
        }

        /// One member of the JSON object that the element becomes.
        struct Part {
            let declaration: Int32
            /// The JSON name.
            let key: String
            let isRepeated: Bool
            var values: [JSON] = []
            /// The ids and extensions of the values, for the member with the prefix `_`.
            var siblings: [JSON] = []
        }

        var content: Content
        let type: TypeModel.TypeID
        /// The number of its declaration; -1 for a resource.
        let declaration: Int32
        /// The JSON name; empty for a resource.
        let key: String
        let isRepeated: Bool
        /// The index among the elements of the same name.
        let index: Int
        /// Nesting depth of the JSON object that the element becomes.
        let depth: Int
        var parts: [Part] = []

        /// The type whose elements are allowed inside.
        var inside: TypeModel.TypeID {
            if case .primitive = content { TypeModel.r4.elementType } else { type }
        }

        /// Returns the number of values of an element that have been read.
        func count(of declaration: Int32) -> Int {
            parts.first { $0.declaration == declaration }?.values.count ?? 0
        }

        mutating func add(
            _ value: JSON, sibling: JSON = .null, declaration: Int32, key: String, isRepeated: Bool
        ) {
            let partIndex: Int
            if let present = parts.firstIndex(where: { $0.declaration == declaration }) {
                partIndex = present
            } else {
                partIndex = parts.count
                parts.append(Part(declaration: declaration, key: key, isRepeated: isRepeated))
            }
            parts[partIndex].values.append(value)
            parts[partIndex].siblings.append(sibling)
        }

        /// Returns the JSON object of all parts, in the order of the document.
        func object() -> JSONObject {
            var object = JSONObject()
            if TypeModel.r4.kind(of: type) == .resource, case .object = content {
                object["resourceType"] = .string(TypeModel.r4.name(of: type))
            }
            for part in parts {
                if let value = part.joined(part.values) { object[part.key] = value }
                if let sibling = part.joined(part.siblings) { object["_" + part.key] = sibling }
            }
            return object
        }
    }

    extension OpenElement.Part {
        /// Returns the member's value; nil if there are only nulls.
        fileprivate func joined(_ values: [JSON]) -> JSON? {
            guard values.contains(where: { !$0.isNull }) else { return nil }
            return isRepeated ? .array(values) : values.first
        }
    }
#endif
