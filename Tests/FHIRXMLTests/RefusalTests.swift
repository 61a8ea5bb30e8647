import FHIR
import FHIRXML
import Testing

@Suite struct RefusalTests {
    // MARK: Document types and entities

    @Test(arguments: [
        "<!DOCTYPE Patient SYSTEM \"file:///etc/passwd\">",
        "<!DOCTYPE Patient [<!ENTITY e SYSTEM \"file:///etc/passwd\">]>",
        "<!DOCTYPE Patient [<!ENTITY % p SYSTEM \"http://127.0.0.1:9/x.dtd\"> %p;]>",
        "<!DOCTYPE Patient PUBLIC \"-//W3C//DTD XHTML 1.0 Strict//EN\" \"http://127.0.0.1:9/xhtml1-strict.dtd\">",
        "<!DOCTYPE Patient [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;\">]>",
        "<!DOCTYPE Patient [<!ATTLIST id value CDATA #REQUIRED>]>", "<!DOCTYPE Patient>", "<!DOCTYPE",
    ])
    func aDocumentTypeIsRefused(declaration: String) {
        let text =
            "<?xml version=\"1.0\"?>\n  \(declaration)<Patient xmlns=\"http://hl7.org/fhir\"><id value=\"&e;\"/></Patient>"
        let error = refusal(text)
        #expect(error?.reason == .doctype)
        #expect(error?.line == 2)
        #expect(error?.column == 3)
        #expect(error?.code == "xml-doctype")
    }

    @Test func documentTypeIsFoundAnywhere() {
        #expect(refusal("<!-- > --><?a <b ?><!DOCTYPE x><x/>")?.reason == .doctype)
        #expect(refusal(xml("<text><!DOCTYPE x></text>"))?.reason == .doctype)
        let units = Array("<!DOCTYPE x><x/>".utf16)
        #expect(refusal([0xFE, 0xFF] + units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] })?.reason == .doctype)
    }

    @Test func doctypeTextInValuesAndCommentsIsAllowed() throws {
        #expect(try read(xml("<!-- <!DOCTYPE x> --><language value=\"]]> --> !DOCTYPE '\"/>"))["language"] != nil)
        let div = "<div xmlns=\"http://www.w3.org/1999/xhtml\"><![CDATA[<!DOCTYPE x [<!ENTITY]]></div>"
        #expect(try read(xml("<text>\(div)</text>")).at("text", "div")?.string == div)
    }

    @Test(arguments: [
        "<id value=\"&e;\"/>", "&e;", "<text><div xmlns=\"http://www.w3.org/1999/xhtml\">&nbsp;</div></text>",
    ])
    func anEntityThatIsNotOneOfTheFiveIsRefused(inside: String) {
        #expect(refusal(xml("\n" + inside))?.reason == .undefinedEntity)
        #expect(refusal(xml("\n" + inside))?.line == 2)
    }

    // MARK: Encodings

    @Test func otherEncodingsAreRefused() {
        let text = "<Basic xmlns=\"http://hl7.org/fhir\"/>"
        for name in ["ISO-8859-1", "UTF-7", "US-ASCII", "UTF-16", "UCS-4", "EBCDIC-CP-US"] {
            #expect(refusal("<?xml version=\"1.0\" encoding=\"\(name)\"?>" + text)?.reason == .encoding, "\(name)")
        }
        let latin: [UInt8] =
            Array("<Basic xmlns=\"http://hl7.org/fhir\">\n<id value=\"".utf8) + [0xE9] + Array("\"/></Basic>".utf8)
        #expect(refusal(latin)?.reason == .encoding)
        #expect(refusal(latin)?.line == 2)
        #expect(refusal(latin)?.column == 12)
        // Without a byte order mark UTF-16 and UTF-32 are not guessed.
        #expect(refusal(Array(text.utf16).flatMap { [UInt8($0 & 0xFF), 0] })?.reason == .encoding)
        #expect(refusal(Array(text.utf16).flatMap { [0, 0, 0, UInt8($0 & 0xFF)] })?.reason == .encoding)
        #expect(refusal([0xFE, 0xFF, 0xD8, 0x00])?.reason == .encoding)
        #expect(refusal([0xFE, 0xFF, 0x00])?.reason == .encoding)
    }

    // MARK: Well-formedness

    @Test(arguments: [
        "", " ", "<", "{}", "<Patient xmlns=\"http://hl7.org/fhir\">", xml("<name></nme>"), "<!-- a", "<?a",
        "<![CDATA[",
        xml("") + "<x/>", xml("") + "text", xml("<id value=\"a\" value=\"b\"/>"), xml("<id value=a/>"),
        xml("<id value=\"<\"/>"),
        xml("<id value=\"&#0;\"/>"), xml("<id value=\"&#xD800;\"/>"), xml("<id value=\"\u{1}\"/>"), xml("<!-- -- -->"),
        xml("<id value=\"\u{FFFE}\"/>"), "<?xml version=\"1.0\"?><?xml version=\"1.0\"?><a/>",
    ])
    func textThatIsNotWellFormedIsRefusedWithItsPosition(text: String) {
        let error = refusal(text)
        #expect(error?.reason == .notWellFormed)
        #expect(error?.line != nil)
        #expect(error?.column != nil)
    }

    @Test func errorInTheMiddleHasItsPosition() {
        let error = refusal(xml("\n<name>\n  <given value=\"é\"/><given valuee=\"x\"/></name>"))
        #expect(error?.reason == .unknownAttribute)
        #expect(error?.line == 3)
        #expect(error?.column == 22)
        #expect(error?.path == "Patient.name[0].given[1]")
        #expect(
            error?.message
                == "R4 has no such attribute here (at Patient.name[0].given[1], line 3, column 22).")
    }

    // MARK: Content unknown to R4

    @Test(arguments: [
        ("<nme/>", FHIRXMLError.Reason.unknownElement), ("<value/>", .unknownElement),
        ("<deceased value=\"true\"/>", .unknownElement), ("<name><url value=\"x\"/></name>", .unknownElement),
        ("<extension><url value=\"x\"/></extension>", .unknownElement),
        ("<resourceType value=\"Patient\"/>", .unknownElement),
        ("<_id/>", .unknownElement), ("<active><value value=\"true\"/></active>", .unknownElement),
        ("<id url=\"x\"/>", .unknownAttribute), ("<name value=\"x\"/>", .unknownAttribute),
        ("<id xml:lang=\"en\"/>", .unknownAttribute), ("<extension xmlns:x=\"urn:x\" x:url=\"a\"/>", .unknownAttribute),
        ("<name>text</name>", .unexpectedText), ("text", .unexpectedText), ("<id value=\"a\">b</id>", .unexpectedText),
        ("<![CDATA[x]]>", .unexpectedText), ("&#160;", .unexpectedText),
        ("<id xmlns=\"urn:x\" value=\"a\"/>", .namespace),
        ("<id xmlns=\"\" value=\"a\"/>", .namespace), ("<x:id value=\"a\"/>", .namespace),
        ("<contained/>", .missingResource), ("<contained><Nobody/></contained>", .unknownResource),
        ("<contained><HumanName/></contained>", .unknownResource),
        ("<contained><Resource/></contained>", .unknownResource),
        ("<contained><Basic/><Basic/></contained>", .missingResource),
        ("<contained id=\"x\"><Basic/></contained>", .unknownAttribute),
        ("<text><div>a</div></text>", .narrative), ("<text><div xmlns=\"urn:x\">a</div></text>", .narrative),
    ])
    func unknownContentIsRefused(inside: String, code: FHIRXMLError.Reason) {
        let error = refusal(xml(inside))
        #expect(error?.reason == code)
        #expect(error?.path?.hasPrefix("Patient") == true)
        #expect(error?.line == 1)
    }

    @Test func rootThatIsNotAResourceIsRefused() {
        #expect(refusal("<Patient/>")?.reason == .namespace)
        #expect(refusal("<Patient xmlns=\"http://hl7.org/fhir/\"/>")?.reason == .namespace)
        for name in ["patient", "HumanName", "DomainResource", "string", "div"] {
            #expect(refusal(xml("", of: name))?.reason == .unknownResource, "\(name)")
        }
        let attributed = xml("", of: "Patient").replacing("xmlns=", with: "id=\"x\" xmlns=")
        #expect(refusal(attributed)?.reason == .unknownAttribute)
    }

    // MARK: Sizes

    @Test func depthIsLimitedAsInJSON() throws {
        func nested(_ count: Int) -> String {
            let open = String(repeating: "<extension url=\"u\">", count: count)
            return xml(open + String(repeating: "</extension>", count: count))
        }
        // Each extension is an array and an object inside of the one object of the resource.
        let deepest = (ResourceXML.maximumDepth - 1) / 2
        let value = try read(nested(deepest))
        #expect(try JSON(value.bytes()) == value)
        #expect(try ResourceXML.read(ResourceXML.write(value)) == value)
        #expect(refusal(nested(deepest + 1))?.reason == .tooDeep)
        #expect(refusal(nested(100_000))?.reason == .tooDeep)
        let spans = String(repeating: "<b>", count: 300) + String(repeating: "</b>", count: 300)
        let error = refusal(xml("<text><div xmlns=\"http://www.w3.org/1999/xhtml\">\(spans)</div></text>"))
        #expect(error?.reason == .tooDeep)
        #expect(error?.path == "Patient.text.div")
    }

    @Test func attributesAndNamespacesAreLimited() {
        let many = (0..<5_000).map { " a\($0)=\"\"" }.joined()
        #expect(refusal(xml("<id\(many)/>"))?.reason == .tooLarge)
        let spaces = (0..<60).map { " xmlns:a\($0)=\"urn:a\"" }.joined()
        let nested = (0..<10).map { _ in "<b\(spaces)>" }.joined() + String(repeating: "</b>", count: 10)
        let narrative = xml("<text><div xmlns=\"http://www.w3.org/1999/xhtml\">\(nested)</div></text>")
        #expect(refusal(narrative)?.reason == .tooLarge)
    }

    @Test func largeValuesAreReadAnywhere() throws {
        let text = String(repeating: "A", count: 11_000_000)
        let value: JSON = ["resourceType": "Binary", "id": "x", "data": .string(text)]
        #expect(try ResourceXML.read(ResourceXML.write(value)) == value)
        // A value with references near the end of a large document.
        let long = String(repeating: "&", count: 600)
        let list: JSON = ["resourceType": "Basic", "language": .string(text), "author": ["display": .string(long)]]
        #expect(try ResourceXML.read(ResourceXML.write(list)) == list)
    }

    @Test func documentsHaveALargestSize() {
        let bytes = [UInt8](repeating: 0x20, count: ResourceXML.maximumBytes + 1)
        #expect(refusal(bytes)?.reason == .tooLarge)
    }
}
