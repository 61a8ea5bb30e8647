#if canImport(CXML2)
    import CXML2

    /// The events of a document. The first error that is thrown ends the parsing; its position is added.
    protocol XMLEvents: AnyObject {
        func begin(_ tag: XMLTag) throws(FHIRXMLError)
        /// - Parameter end: the offset of the text after the element.
        func end(at end: Int) throws(FHIRXMLError)
        func text(_ bytes: UnsafeBufferPointer<UInt8>) throws(FHIRXMLError)
        /// A comment or a processing instruction.
        func commentOrInstruction() throws(FHIRXMLError)
        /// The path of the current element in the resource.
        var path: String? { get }
    }

    /// One document that is parsed with libxml2's SAX2 interface. No tree is built.
    ///
    /// The parser's options forbid loading anything, and it has no handlers for declarations of any kind, so that no
    /// entity could be defined even if ``XMLGuard`` let a document type pass. Its own size limits are disabled, because
    /// they would refuse some documents of ten megabytes; sizes and depth are limited here and in ``XMLText``.
    final class XMLSession {
        private let bytes: [UInt8]
        private let events: any XMLEvents
        private var context: xmlParserCtxtPtr?
        private var failure: FHIRXMLError?
        private var openElements: Int
        /// Number of namespaces that each open element declares.
        private var declared: [Int] = []
        private var namespaces = 0

        /// - Parameter depth: the number of elements that count as open around the document.
        static func parse(_ text: XMLText, _ events: some XMLEvents, depth: Int = 0) throws(FHIRXMLError) {
            let session = XMLSession(text.bytes, events: events, depth: depth)
            session.run()
            if let failure = session.failure { throw failure }
        }

        private init(_ bytes: [UInt8], events: any XMLEvents, depth: Int) {
            self.bytes = bytes
            self.events = events
            openElements = depth
        }

        /// libxml2 must be initialised once, before threads use it.
        private static let isReady: Bool = {
            xmlInitParser()
            return true
        }()

        private func run() {
            guard XMLSession.isReady, !bytes.isEmpty else {
                return fail(FHIRXMLError(.notWellFormed, "The text is empty").at(offset: 0, of: bytes))
            }
            bytes.withUnsafeBytes { buffer in
                let start = buffer.bindMemory(to: CChar.self).baseAddress
                guard let context = xmlNewParserCtxt() else { return fail(FHIRXMLError(.tooLarge)) }
                self.context = context
                defer {
                    self.context = nil
                    xmlFreeParserCtxt(context)
                }
                context.pointee.sax.pointee = XMLSession.handler()
                context.pointee.userData = Unmanaged.passUnretained(self).toOpaque()
                // The encoding has been checked: it is UTF-8, whatever the declaration says.
                let options = XML_PARSE_NONET.rawValue | XML_PARSE_IGNORE_ENC.rawValue | XML_PARSE_HUGE.rawValue
                // No handler creates a document, so there is none to free.
                _ = xmlCtxtReadMemory(context, start, Int32(buffer.count), nil, nil, Int32(options))
                if failure == nil, context.pointee.wellFormed == 0 || context.pointee.nsWellFormed == 0 {
                    fail(FHIRXMLError(.notWellFormed))
                }
            }
        }

        private static func handler() -> xmlSAXHandler {
            var handler = xmlSAXHandler()
            handler.initialized = 0xDEED_BEAF
            handler.startElementNs = { user, name, prefix, uri, spaceCount, spaces, count, _, fields in
                guard let name else { return }
                XMLSession.from(user)?.begin { offset in
                    XMLTag(
                        name: name, prefix: prefix, uri: uri, namespaces: spaces, namespaceCount: Int(spaceCount),
                        fields: fields, attributeCount: Int(count), offset: offset)
                }
            }
            handler.endElementNs = { user, _, _, _ in XMLSession.from(user)?.end() }
            handler.characters = { user, text, count in
                guard let session = XMLSession.from(user) else { return }
                session.report { () throws(FHIRXMLError) in
                    try session.events.text(UnsafeBufferPointer(start: text, count: Int(count)))
                }
            }
            handler.ignorableWhitespace = handler.characters
            handler.comment = { user, _ in XMLSession.from(user)?.commentOrInstruction() }
            handler.processingInstruction = { user, _, _ in XMLSession.from(user)?.commentOrInstruction() }
            handler.internalSubset = { user, _, _, _ in XMLSession.from(user)?.fail(FHIRXMLError(.doctype)) }
            handler.serror = { user, error in
                guard let error, error.pointee.level.rawValue >= XML_ERR_ERROR.rawValue else { return }
                XMLSession.from(user)?.fail(FHIRXMLError(parser: error.pointee))
            }
            return handler
        }

        private static func from(_ user: UnsafeMutableRawPointer?) -> XMLSession? {
            user.map { Unmanaged<XMLSession>.fromOpaque($0).takeUnretainedValue() }
        }

        // MARK: Reports

        private func begin(_ tag: (Int) -> XMLTag) {
            let position = offset
            let open = bytes[..<min(position, bytes.count)].lastIndex(of: UInt8(ascii: "<")) ?? position
            let tag = tag(open)
            report(at: open) { () throws(FHIRXMLError) in
                openElements += 1
                guard openElements <= ResourceXML.maximumOpenElements else { throw FHIRXMLError(.tooDeep) }
                declared.append(tag.namespaceCount)
                namespaces += tag.namespaceCount
                guard namespaces <= ResourceXML.maximumNamespaces else {
                    throw FHIRXMLError(
                        .tooLarge, "More than \(ResourceXML.maximumNamespaces) namespace declarations are in scope")
                }
                try events.begin(tag)
            }
        }

        private func end() {
            openElements -= 1
            namespaces -= declared.popLast() ?? 0
            let end = offset
            report { () throws(FHIRXMLError) in try events.end(at: end) }
        }

        private func commentOrInstruction() {
            report { () throws(FHIRXMLError) in try events.commentOrInstruction() }
        }

        private func report(at position: Int? = nil, _ body: () throws(FHIRXMLError) -> Void) {
            guard failure == nil else { return }
            do throws(FHIRXMLError) {
                try body()
            } catch {
                fail(error, at: position)
            }
        }

        /// Ends the parsing. Only the first failure is reported.
        private func fail(_ error: FHIRXMLError, at position: Int? = nil) {
            guard failure == nil else { return }
            failure = error.at(path: events.path).at(offset: min(position ?? offset, bytes.count), of: bytes)
            if let context { xmlStopParser(context) }
        }

        /// Number of bytes that the parser has consumed.
        private var offset: Int {
            guard let input = context?.pointee.input, let start = input.pointee.base, let now = input.pointee.cur
            else { return 0 }
            return Int(input.pointee.consumed) + (now - start)
        }
    }

    extension FHIRXMLError {
        /// Creates the error for an error of the parser, without its message, which may quote the document.
        fileprivate init(parser error: xmlError) {
            let parserMessage = error.message.map { String(cString: $0) } ?? ""
            switch xmlParserErrors(rawValue: UInt32(bitPattern: error.code)) {
            case XML_ERR_UNDECLARED_ENTITY, XML_WAR_UNDECLARED_ENTITY, XML_ERR_ENTITY_LOOP:
                self.init(.undefinedEntity)
            case XML_ERR_TAG_NAME_MISMATCH:
                self.init(.notWellFormed, "An end tag does not match the element that is open")
            case XML_ERR_TAG_NOT_FINISHED:
                self.init(.notWellFormed, "The text ends before its elements do")
            case XML_ERR_ATTRIBUTE_REDEFINED:
                self.init(.notWellFormed, "A tag has the same attribute twice")
            case XML_ERR_INVALID_CHAR, XML_ERR_INVALID_CHARREF:
                self.init(.notWellFormed, "A character or character reference here is not allowed by XML 1.0")
            case XML_ERR_DOCUMENT_END:
                self.init(.notWellFormed, "There is more text after the end of the document")
            case XML_NS_ERR_UNDEFINED_NAMESPACE:
                self.init(.namespace, "A prefix is used without a declaration of its namespace")
            case XML_NS_ERR_XML_NAMESPACE, XML_NS_ERR_QNAME, XML_NS_ERR_ATTRIBUTE_REDEFINED, XML_NS_ERR_EMPTY,
                XML_NS_ERR_COLON:
                self.init(.namespace, "A name or a declaration breaks the rules of XML namespaces")
            default:
                let isLimit =
                    parserMessage.contains("too long") || parserMessage.contains("too big")
                    || parserMessage.contains("excessive")
                self.init(isLimit ? .tooLarge : .notWellFormed)
            }
        }
    }
#endif
