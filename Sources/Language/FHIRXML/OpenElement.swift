#if canImport(CXML2)
    import FHIR

    /// An element that has begun and not ended, with what has been read in it.
    struct OpenElement {
        enum Content {
            /// A data type, a backbone element or a resource.
            case object
            /// A primitive and the value of its attribute. Its own parts are its id and extensions.
            case primitive(JSON?)
            /// An element that has a resource inside, once that is read.
            case resource(JSON?)
        }

        /// One member of the JSON object that the element becomes.
        struct Part {
            let declaration: Int32
            /// The JSON name.
            let key: String
            let isRepeated: Bool
            var values: [JSON] = []
            /// The ids and extensions beside each value, under the name with `_` before it.
            var siblings: [JSON] = []
        }

        var content: Content
        let type: TypeModel.TypeID
        /// Its declaration, -1 for a resource.
        let declaration: Int32
        /// Its JSON name; empty for a resource.
        let key: String
        let isRepeated: Bool
        /// Which of the elements of its name it is.
        let index: Int
        /// How deep the JSON object that it becomes is nested.
        let depth: Int
        var parts: [Part] = []

        /// The type whose elements may stand inside.
        var inside: TypeModel.TypeID {
            if case .primitive = content { TypeModel.r4.elementType } else { type }
        }

        /// How many values of an element have been read.
        func count(of declaration: Int32) -> Int {
            parts.first { $0.declaration == declaration }?.values.count ?? 0
        }

        mutating func add(
            _ value: JSON, beside sibling: JSON = .null, _ declaration: Int32, _ key: String, isRepeated: Bool
        ) {
            let place: Int
            if let present = parts.firstIndex(where: { $0.declaration == declaration }) {
                place = present
            } else {
                place = parts.count
                parts.append(Part(declaration: declaration, key: key, isRepeated: isRepeated))
            }
            parts[place].values.append(value)
            parts[place].siblings.append(sibling)
        }

        /// The JSON object of all parts, in the order of the document.
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
        /// The member's value, nil where there is none but nulls.
        fileprivate func joined(_ values: [JSON]) -> JSON? {
            guard values.contains(where: { !$0.isNull }) else { return nil }
            return isRepeated ? .array(values) : values.first
        }
    }
#endif
