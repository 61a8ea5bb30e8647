#if canImport(CXML2)
    import FHIR

    /// Builds a JSON value from the elements of a document.
    final class ResourceReader: XMLEvents {
        private let text: XMLText
        private var open: [OpenElement] = []
        private var narrative: NarrativeSpan?
        private var result: JSON?
        private let model = TypeModel.r4

        init(_ text: XMLText) { self.text = text }

        /// The resource that was read.
        func resource() throws(FHIRXMLError) -> JSON {
            guard let result else { throw FHIRXMLError(.unknownResource) }
            return result
        }

        // MARK: Elements

        func begin(_ tag: XMLTag) throws(FHIRXMLError) {
            if narrative != nil {
                narrative?.begin(tag)
                return
            }
            let name = String(cString: tag.name)
            guard let parent = open.last else { return try beginResource(name, tag, depth: 1) }
            if case .resource(let present) = parent.content {
                guard present == nil else { throw FHIRXMLError(.missingResource) }
                return try beginResource(name, tag, depth: parent.depth)
            }
            guard let (declaration, type) = model.memberIndex(name, of: parent.inside) else {
                guard XMLTag.equal(tag.uri, ResourceXML.namespace) else { throw FHIRXMLError(.namespace) }
                throw FHIRXMLError(.unknownElement)
            }
            try begin(
                name, as: type, element: model.declaration(declaration), declaration: declaration, tag: tag, in: parent)
        }

        private func begin(
            _ name: String, as type: TypeModel.TypeID, element: TypeModel.Element, declaration: Int32,
            tag: XMLTag,
            in parent: OpenElement
        ) throws(FHIRXMLError) {
            guard !element.isAttribute else { throw FHIRXMLError(.unknownElement) }
            let index = parent.count(of: declaration)
            guard index == 0 || element.isRepeated else { throw FHIRXMLError(.repeatedElement) }
            let isPrimitive = model.isPrimitive(type)
            let form = isPrimitive ? PrimitiveForm(type) : nil
            if form == .xhtml {
                guard XMLTag.equal(tag.uri, ResourceXML.narrativeNamespace) else { throw FHIRXMLError(.narrative) }
            } else {
                guard XMLTag.equal(tag.uri, ResourceXML.namespace) else { throw FHIRXMLError(.namespace) }
            }
            let content: OpenElement.Content =
                type == model.resourceType ? .resource(nil) : isPrimitive ? .primitive(nil) : .object
            open.append(
                OpenElement(
                    content: content, type: type, declaration: declaration, key: name, isRepeated: element.isRepeated,
                    index: index, depth: parent.depth + (element.isRepeated ? 2 : 1)))
            if form == .xhtml {
                narrative = NarrativeSpan(tag)
                return
            }
            try attributes(of: tag, form)
            try checkDepth()
        }

        private func beginResource(_ name: String, _ tag: XMLTag, depth: Int) throws(FHIRXMLError) {
            guard XMLTag.equal(tag.uri, ResourceXML.namespace) else { throw FHIRXMLError(.namespace) }
            guard let type = model.type(name), model.kind(of: type) == .resource, !model.isAbstract(type) else {
                throw FHIRXMLError(.unknownResource)
            }
            open.append(
                OpenElement(
                    content: .object, type: type, declaration: -1, key: "", isRepeated: false, index: 0, depth: depth))
            try attributes(of: tag, nil)
            try checkDepth()
        }

        /// Refuses elements that would be nested too deeply in JSON. A primitive is an object only if it has an id or
        /// extensions.
        private func checkDepth() throws(FHIRXMLError) {
            guard let last = open.last else { return }
            var depth = last.depth
            if case .primitive = last.content, last.parts.isEmpty { depth -= 1 }
            guard depth <= ResourceXML.maximumDepth else { throw FHIRXMLError(.tooDeep) }
        }

        private func attributes(of tag: XMLTag, _ form: PrimitiveForm?) throws(FHIRXMLError) {
            let last = open.count - 1
            for index in 0..<tag.attributeCount {
                let name = tag.attributeName(index)
                guard tag.attributeURI(index) == nil else {
                    if last == 0, name == "schemaLocation", XMLTag.equal(tag.attributeURI(index), Self.schemaInstance) {
                        continue
                    }
                    throw FHIRXMLError(.unknownAttribute)
                }
                if name == "value", let form {
                    guard let value = form.read(tag.value(index, in: text.bytes)) else {
                        throw FHIRXMLError(.invalidValue)
                    }
                    open[last].content = .primitive(value)
                    continue
                }
                guard let (declaration, _) = model.memberIndex(name, of: open[last].inside),
                    model.declaration(declaration).isAttribute
                else { throw FHIRXMLError(.unknownAttribute) }
                open[last].add(
                    .string(tag.value(index, in: text.bytes)), declaration: declaration, key: name, isRepeated: false)
            }
        }

        private static let schemaInstance = "http://www.w3.org/2001/XMLSchema-instance"

        func end(at end: Int) throws(FHIRXMLError) {
            if narrative != nil {
                guard narrative?.end() == true, let span = narrative else { return }
                narrative = nil
                let div = try span.text(in: text, to: end)
                guard let element = open.popLast(), let parent = open.indices.last else { return }
                open[parent].add(
                    .string(div), declaration: element.declaration, key: element.key, isRepeated: false)
                return
            }
            guard let element = open.last else { return }
            let value: JSON
            var sibling = JSON.null
            switch element.content {
            case .object: value = .object(element.object())
            case .primitive(let attribute):
                value = attribute ?? .null
                if !element.parts.isEmpty || attribute == nil { sibling = .object(element.object()) }
            case .resource(let inside):
                guard let inside else { throw FHIRXMLError(.missingResource) }
                value = inside
            }
            open.removeLast()
            guard let parent = open.indices.last else {
                result = value
                return
            }
            if element.declaration < 0 {
                open[parent].content = .resource(value)
            } else {
                open[parent].add(
                    value, sibling: sibling, declaration: element.declaration, key: element.key,
                    isRepeated: element.isRepeated)
            }
        }

        // MARK: All else

        func text(_ bytes: UnsafeBufferPointer<UInt8>) throws(FHIRXMLError) {
            guard narrative == nil else { return }
            for byte in bytes where byte != 0x20 && byte != 0x0A && byte != 0x09 && byte != 0x0D {
                throw FHIRXMLError(.unexpectedText)
            }
        }

        func commentOrInstruction() {}

        var path: String? {
            guard let root = open.first else { return nil }
            return model.name(of: root.type)
                + open.dropFirst().filter { $0.declaration >= 0 }.map { element in
                    "." + model.declaration(element.declaration).name + (element.isRepeated ? "[\(element.index)]" : "")
                }.joined()
        }
    }
#endif
