#if canImport(CXML2)
    import FHIR

    /// Writes a JSON value as XML.
    struct ResourceWriter {
        private(set) var output = XMLOutput()
        private let isPretty: Bool
        private let model = TypeModel.r4
        /// Number of open elements.
        private var level = 0
        /// The steps of the path of an error.
        private var trail: [(name: String, index: Int?)] = []

        init(pretty: Bool) { isPretty = pretty }

        mutating func document(_ resource: JSON) throws(FHIRXMLError) {
            output.append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
            try self.resource(resource, depth: 1)
            output.append("\n")
        }

        private mutating func resource(_ value: JSON, depth: Int) throws(FHIRXMLError) {
            guard case .object(let object) = value else { throw error(.unknownResource) }
            let type = TypedElement.resourceType(of: object)
            guard type.isKnown, !model.isAbstract(type) else { throw error(.unknownResource) }
            let name = model.name(of: type)
            if trail.isEmpty { trail.append((name, nil)) }
            let space = level == 0 ? " xmlns=\"\(ResourceXML.namespace)\"" : ""
            try element(name, attribute: space, object: object, type: type, isResource: true, depth: depth)
            if level == 0 { trail.removeLast() }
        }

        // MARK: One element

        /// Writes an element with the members of an object.
        /// - Parameter attribute: text in the start tag before the attributes from the object.
        private mutating func element(
            _ name: String, attribute: String, object: JSONObject?, type: TypeModel.TypeID,
            value: String? = nil, isResource: Bool = false, depth: Int
        ) throws(FHIRXMLError) {
            guard depth <= ResourceXML.maximumDepth, level < ResourceXML.maximumOpenElements else {
                throw error(.tooDeep)
            }
            if level > 0 { breakLine() }
            output.append("<\(name)\(attribute)")
            let members =
                try object.map { object throws(FHIRXMLError) in
                    try self.members(of: object, type, isResource: isResource)
                } ?? []
            for member in members where member.element.isAttribute {
                try inside(member.element.name, index: nil) { writer throws(FHIRXMLError) in
                    guard case .string(let text) = member.value else { throw writer.error(.wrongShape) }
                    try writer.attribute(member.key, text)
                }
            }
            if let value { try self.attribute("value", value) }
            let children = members.filter { !$0.element.isAttribute }
            guard !children.isEmpty else { return output.append("/>") }
            output.append(">")
            level += 1
            for child in children { try self.child(child, depth: depth) }
            level -= 1
            breakLine()
            output.append("</\(name)>")
        }

        private mutating func attribute(_ name: String, _ value: String) throws(FHIRXMLError) {
            output.append(" \(name)=\"")
            guard output.appendEscaped(value) else { throw error(.forbiddenCharacter) }
            guard output.bytes.count <= ResourceXML.maximumBytes else {
                throw error(.tooLarge, "The document would have more than \(ResourceXML.maximumBytes) bytes")
            }
            output.append("\"")
        }

        private mutating func breakLine() {
            if isPretty { output.newLine(level: level) }
        }

        // MARK: Members

        /// A member of an object with its sibling.
        private struct Member {
            /// The index of the element in the order of its type.
            let elementIndex: Int
            let key: String
            let element: TypeModel.Element
            let type: TypeModel.TypeID
            var value: JSON?
            var sibling: JSON?
        }

        /// Returns the members of an object in XML's order.
        private func members(
            of object: JSONObject, _ type: TypeModel.TypeID, isResource: Bool
        ) throws(FHIRXMLError) -> [Member] {
            let order = model.elementIndices(of: type)
            var members: [Member] = []
            for member in object.members {
                if member.key == "resourceType", isResource { continue }
                let isSibling = member.key.utf8.first == UInt8(ascii: "_")
                let key = isSibling ? String(member.key.dropFirst()) : member.key
                guard let (declaration, type) = model.memberIndex(key, of: type),
                    let elementIndex = order.firstIndex(of: declaration)
                else { throw error(.unknownMember) }
                let element = model.declaration(declaration)
                if isSibling {
                    // An attribute and a narrative have no sibling.
                    guard model.isPrimitive(type), !element.isAttribute, PrimitiveForm(type) != .xhtml else {
                        throw error(.unknownMember)
                    }
                }
                let present = members.firstIndex { $0.elementIndex == elementIndex }
                if let present {
                    // Another type of the same choice.
                    guard members[present].key == key else { throw error(.repeatedElement) }
                } else {
                    members.append(Member(elementIndex: elementIndex, key: key, element: element, type: type))
                }
                let index = present ?? members.count - 1
                if isSibling { members[index].sibling = member.value } else { members[index].value = member.value }
            }
            members.sort { $0.elementIndex < $1.elementIndex }
            return members
        }

        private mutating func child(_ member: Member, depth: Int) throws(FHIRXMLError) {
            guard member.element.isRepeated else {
                return try inside(member.element.name, index: nil) { writer throws(FHIRXMLError) in
                    try writer.item(member, value: member.value, sibling: member.sibling, depth: depth + 1)
                }
            }
            let values = try list(member.value, member)
            let siblings = try list(member.sibling, member)
            for index in 0..<max(values.count, siblings.count) {
                try inside(member.element.name, index: index) { writer throws(FHIRXMLError) in
                    try writer.item(
                        member, value: ResourceWriter.item(index, of: values),
                        sibling: ResourceWriter.item(index, of: siblings), depth: depth + 2)
                }
            }
        }

        private mutating func list(_ value: JSON?, _ member: Member) throws(FHIRXMLError) -> [JSON] {
            guard let value else { return [] }
            var items: [JSON] = []
            try inside(member.element.name, index: nil) { writer throws(FHIRXMLError) in
                guard case .array(let array) = value else { throw writer.error(.wrongShape) }
                guard !array.isEmpty else { throw writer.error(.emptyValue) }
                items = array
            }
            return items
        }

        /// Returns an item of an array; nil for a null and for an index beyond the end of the shorter array.
        private static func item(_ index: Int, of values: [JSON]) -> JSON? {
            index < values.count && !values[index].isNull ? .some(values[index]) : .none
        }

        /// Writes one value of a member.
        private mutating func item(
            _ member: Member, value: JSON?, sibling: JSON?, depth: Int
        ) throws(FHIRXMLError) {
            if model.isPrimitive(member.type) {
                return try primitive(member, value: value, sibling: sibling, depth: depth)
            }
            guard let value, !value.isNull else { throw error(.emptyValue) }
            if member.type == model.resourceType {
                breakLine()
                output.append("<\(member.key)>")
                level += 1
                try resource(value, depth: depth)
                level -= 1
                breakLine()
                return output.append("</\(member.key)>")
            }
            guard case .object(let object) = value else { throw error(.wrongShape) }
            try element(member.key, attribute: "", object: object, type: member.type, depth: depth)
        }

        private mutating func primitive(
            _ member: Member, value: JSON?, sibling: JSON?, depth: Int
        ) throws(FHIRXMLError) {
            let form = PrimitiveForm(member.type)
            var siblingObject: JSONObject?
            if let sibling {
                guard !sibling.isNull else { throw error(.emptyValue) }
                guard case .object(let object) = sibling else { throw error(.wrongShape) }
                // With a value, an empty object would be lost; without one, it is an empty element.
                guard !object.isEmpty || value == nil else { throw error(.emptyValue) }
                siblingObject = object
            }
            guard let value else {
                guard let siblingObject else { throw error(.emptyValue) }
                return try element(
                    member.key, attribute: "", object: siblingObject, type: model.elementType, depth: depth)
            }
            guard !value.isNull else { throw error(.emptyValue) }
            if form == .xhtml { return try narrative(value) }
            guard let text = form.write(value) else { throw error(.wrongShape) }
            // Without a sibling object, a value is not nested deeper than its parent.
            try element(
                member.key, attribute: "", object: siblingObject, type: model.elementType, value: text,
                depth: siblingObject == nil ? depth - 1 : depth)
        }

        private mutating func narrative(_ value: JSON) throws(FHIRXMLError) {
            guard case .string(let text) = value else { throw error(.wrongShape) }
            do throws(FHIRXMLError) {
                let div = try XMLNarrativeCheck.div(text, depth: level)
                breakLine()
                output.append(div)
            } catch {
                throw error.at(path: path)
            }
        }

        // MARK: Errors

        private mutating func inside(
            _ name: String, index: Int?, _ body: (inout ResourceWriter) throws(FHIRXMLError) -> Void
        ) throws(FHIRXMLError) {
            trail.append((name, index))
            try body(&self)
            trail.removeLast()
        }

        private var path: String? {
            guard !trail.isEmpty else { return nil }
            return trail.map { step in step.name + (step.index.map { "[\($0)]" } ?? "") }.joined(separator: ".")
        }

        private func error(_ reason: FHIRXMLError.Reason, _ sentence: String? = nil) -> FHIRXMLError {
            FHIRXMLError(reason, sentence, path: path)
        }
    }
#endif
