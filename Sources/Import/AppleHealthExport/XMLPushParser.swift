import CXML2

/// What the parser reports.
protocol XMLEvents: AnyObject {
    /// An element begins. The attributes are valid during the call only.
    func begin(_ name: UnsafePointer<UInt8>, _ attributes: XMLAttributes)
    /// The element that was begun last and not ended yet ends.
    func end()
    /// The document is not well-formed here. Whatever can be read still is.
    func problem(isDuplicateAttribute: Bool)
}

/// The attributes of an element. Names are interned: equal names have equal addresses.
struct XMLAttributes {
    fileprivate let fields: UnsafeMutablePointer<UnsafePointer<UInt8>?>?
    let count: Int

    func name(_ index: Int) -> UnsafePointer<UInt8>? { fields?[index * 5] }

    /// The value with references resolved.
    func value(_ index: Int) -> UnsafeBufferPointer<UInt8> {
        guard let fields, let start = fields[index * 5 + 3], let end = fields[index * 5 + 4] else {
            return UnsafeBufferPointer(start: nil, count: 0)
        }
        return UnsafeBufferPointer(start: start, count: end - start)
    }
}

/// libxml2's push parser: takes bytes as they come and reports elements, keeping only what it needs.
///
/// It reads on behind errors, never loads anything from outside, and keeps libxml2's limits on depth, names and
/// lengths. No document type reaches it (``ExportProlog``), so there are no entities but the five of XML.
final class XMLPushParser {
    private var context: xmlParserCtxtPtr?
    private let events: any XMLEvents

    init(_ events: any XMLEvents) {
        self.events = events
        var handler = xmlSAXHandler()
        handler.initialized = 0xDEED_BEAF
        handler.startElementNs = { user, name, _, _, _, _, count, _, attributes in
            guard let user, let name else { return }
            let parser = Unmanaged<XMLPushParser>.fromOpaque(user).takeUnretainedValue()
            parser.events.begin(name, XMLAttributes(fields: attributes, count: Int(count)))
        }
        handler.endElementNs = { user, _, _, _ in
            guard let user else { return }
            Unmanaged<XMLPushParser>.fromOpaque(user).takeUnretainedValue().events.end()
        }
        handler.serror = { user, error in
            guard let user, let error else { return }
            let parser = Unmanaged<XMLPushParser>.fromOpaque(user).takeUnretainedValue()
            parser.events.problem(
                isDuplicateAttribute: error.pointee.code == Int32(XML_ERR_ATTRIBUTE_REDEFINED.rawValue))
        }
        context = xmlCreatePushParserCtxt(&handler, Unmanaged.passUnretained(self).toOpaque(), nil, 0, nil)
        if let context {
            _ = xmlCtxtUseOptions(context, Int32(XML_PARSE_RECOVER.rawValue | XML_PARSE_NONET.rawValue))
        }
    }

    deinit {
        if let context { xmlFreeParserCtxt(context) }
    }

    /// Whether the parser has given up: a limit was reached or memory ran out.
    var hasStopped: Bool { context.map { $0.pointee.disableSAX != 0 } ?? true }

    /// The address that stands for a name in this document.
    func interned(_ name: String) -> UnsafePointer<UInt8>? {
        guard let context else { return nil }
        return xmlDictLookup(context.pointee.dict, name, Int32(name.utf8.count))
    }

    func feed(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let context, !bytes.isEmpty else { return }
        bytes.withMemoryRebound(to: CChar.self) { _ = xmlParseChunk(context, $0.baseAddress, Int32($0.count), 0) }
    }

    func finish() {
        guard let context else { return }
        _ = xmlParseChunk(context, nil, 0, 1)
    }

    /// Reports nothing more.
    func stop() {
        guard let context else { return }
        xmlStopParser(context)
    }
}
