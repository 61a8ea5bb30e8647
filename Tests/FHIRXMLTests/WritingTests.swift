import FHIR
import FHIRXML
import Testing

@Suite struct WritingTests {
    @Test func elementsAreWrittenInFHIRsOrder() throws {
        let text = #"""
            {"multipleBirthInteger":2,"name":[{"given":["A"],"family":"F","id":"n","extension":[{"valueCode":"c","url":"u"}]}],
             "active":true,"extension":[{"url":"x"}],"id":"p","contained":[{"id":"o","resourceType":"Basic"}],
             "resourceType":"Patient","meta":{"tag":[{"code":"t"}]}}
            """#
        let output = #"""
            <Patient xmlns="http://hl7.org/fhir"><id value="p"/><meta><tag><code value="t"/></tag></meta><contained><Basic><id value="o"/></Basic></contained><extension url="x"/><active value="true"/><name id="n"><extension url="u"><valueCode value="c"/></extension><family value="F"/><given value="A"/></name><multipleBirthInteger value="2"/></Patient>
            """#
        #expect(try written(text) == output)
        #expect(sorted(try read(output)) == sorted(try json(text)))
    }

    @Test func prettyXMLHasOneElementALine() throws {
        let text =
            #"{"resourceType":"Basic","id":"b","text":{"status":"empty","div":"<div xmlns=\"http://www.w3.org/1999/xhtml\">\n <b>a</b></div>"},"contained":[{"resourceType":"Basic"}]}"#
        let output = """
            <Basic xmlns="http://hl7.org/fhir">
              <id value="b"/>
              <text>
                <status value="empty"/>
                <div xmlns="http://www.w3.org/1999/xhtml">
             <b>a</b></div>
              </text>
              <contained>
                <Basic/>
              </contained>
            </Basic>
            """
        #expect(try written(text, pretty: true) == output)
        #expect(try read(output) == (try json(text)))
    }

    @Test func escapedCharactersAreReadUnchanged() throws {
        let value: JSON = [
            "resourceType": "Basic", "language": "<&>\"'\t\n\r &amp; &#38; \u{7F}\u{85}\u{2028}é\u{1F600}",
        ]
        let text = String(decoding: try ResourceXML.write(value), as: UTF8.self)
        #expect(text.contains("&lt;&amp;&gt;&quot;'&#9;&#10;&#13; &amp;amp; &amp;#38; "))
        #expect(try read(text) == value)
    }

    /// Readers remove white space around a value unless it is written as a reference.
    @Test(arguments: [
        (" ", "&#32;"), ("  ", "&#32;&#32;"), (" a ", "&#32;a&#32;"), ("  a b  ", "&#32; a b &#32;"),
        ("\t a\n", "&#9; a&#10;"), ("a", "a"),
    ])
    func escapedSpaceAroundAValueIsReadUnchanged(text: String, written: String) throws {
        let value: JSON = [
            "resourceType": "Basic", "extension": [["url": .string(text), "valueString": .string(text)]],
        ]
        let output = String(decoding: try ResourceXML.write(value), as: UTF8.self)
        #expect(output.contains("<valueString value=\"\(written)\"/>") && output.contains("url=\"\(written)\""))
        #expect(try read(output) == value)
    }

    @Test func alignedArraysAreWrittenItemByItem() throws {
        let text = #"""
            {"resourceType":"Patient","name":[{"given":["A",null,"C"],"_given":[null,{"id":"g"}]},
             {"_given":[{"extension":[{"url":"u"}]}]}],"_active":{"id":"a"}}
            """#
        #expect(
            try written(text)
                == #"<Patient xmlns="http://hl7.org/fhir"><active id="a"/><name><given value="A"/><given id="g"/><given value="C"/></name><name><given><extension url="u"/></given></name></Patient>"#
        )
    }

    @Test(arguments: [
        (#"{"resourceType":"Patient","nme":1}"#, FHIRXMLError.Reason.unknownMember, "Patient"),
        (#"{"resourceType":"Patient","name":[{"x":1}]}"#, .unknownMember, "Patient.name[0]"),
        (#"{"resourceType":"Patient","name":[{"resourceType":"HumanName"}]}"#, .unknownMember, "Patient.name[0]"),
        (#"{"resourceType":"Patient","_name":[{"id":"x"}]}"#, .unknownMember, "Patient"),
        (#"{"resourceType":"Patient","__active":{}}"#, .unknownMember, "Patient"),
        (#"{"resourceType":"Patient","deceased":true}"#, .unknownMember, "Patient"),
        (#"{"resourceType":"Patient","_resourceType":{}}"#, .unknownMember, "Patient"),
        (#"{"resourceType":"Patient","name":[{"_id":{"id":"x"}}]}"#, .unknownMember, "Patient.name[0]"),
        (#"{"resourceType":"Patient","text":{"_div":{"id":"x"}}}"#, .unknownMember, "Patient.text"),
        (#"{"resourceType":"Patient","_active":{"url":"x"}}"#, .unknownMember, "Patient.active"),
        (#"{"resourceType":"Patient","name":{"family":"a"}}"#, .wrongShape, "Patient.name"),
        (#"{"resourceType":"Patient","active":[true]}"#, .wrongShape, "Patient.active"),
        (#"{"resourceType":"Patient","active":"true"}"#, .wrongShape, "Patient.active"),
        (#"{"resourceType":"Patient","id":1}"#, .wrongShape, "Patient.id"),
        (#"{"resourceType":"Patient","multipleBirthInteger":"1"}"#, .wrongShape, "Patient.multipleBirth"),
        (#"{"resourceType":"Patient","maritalStatus":"M"}"#, .wrongShape, "Patient.maritalStatus"),
        (#"{"resourceType":"Patient","id":{"a":1}}"#, .wrongShape, "Patient.id"),
        (#"{"resourceType":"Patient","_id":"x"}"#, .wrongShape, "Patient.id"),
        (#"{"resourceType":"Patient","extension":[{"url":1}]}"#, .wrongShape, "Patient.extension[0].url"),
        (#"{"resourceType":"Patient","active":null}"#, .emptyValue, "Patient.active"),
        (#"{"resourceType":"Patient","active":null,"_active":{"id":"x"}}"#, .emptyValue, "Patient.active"),
        (#"{"resourceType":"Patient","active":true,"_active":{}}"#, .emptyValue, "Patient.active"),
        (#"{"resourceType":"Patient","maritalStatus":null}"#, .emptyValue, "Patient.maritalStatus"),
        (#"{"resourceType":"Patient","name":[]}"#, .emptyValue, "Patient.name"),
        (#"{"resourceType":"Patient","name":[null]}"#, .emptyValue, "Patient.name[0]"),
        (#"{"resourceType":"Patient","name":[{"given":["a",null]}]}"#, .emptyValue, "Patient.name[0].given[1]"),
        (#"{"resourceType":"Patient","deceasedBoolean":true,"deceasedDateTime":"2020"}"#, .repeatedElement, "Patient"),
        (#"{"resourceType":"Patient","contained":[{"id":"a"}]}"#, .unknownResource, "Patient.contained[0]"),
        (#"{"resourceType":"Patient","contained":["a"]}"#, .unknownResource, "Patient.contained[0]"),
        (#"{"resourceType":"Patient","id":"a\u0000"}"#, .forbiddenCharacter, "Patient.id"),
        (
            #"{"resourceType":"Patient","name":[{"given":["a","\u001f"]}]}"#, .forbiddenCharacter,
            "Patient.name[0].given[1]"
        ),
        (
            #"{"resourceType":"Patient","extension":[{"url":"\ufffe"}]}"#, .forbiddenCharacter,
            "Patient.extension[0].url"
        ),
        (#"{"resourceType":"Patient","id":"\uffff"}"#, .forbiddenCharacter, "Patient.id"),
    ])
    func valueWithoutAnXMLFormIsRefused(text: String, code: FHIRXMLError.Reason, path: String) throws {
        let error = refusal(writing: try json(text))
        #expect(error?.reason == code)
        #expect(error?.path == path)
        #expect(error?.line == nil)
    }

    @Test(arguments: [
        "[]", "1", "{}", "null", #"{"resourceType":"patient"}"#, #"{"resourceType":"DomainResource"}"#,
        #"{"resourceType":1}"#,
    ])
    func valueThatIsNotAResourceIsRefused(text: String) throws {
        #expect(refusal(writing: try json(text))?.reason == .unknownResource)
    }

    @Test(arguments: [
        ("", FHIRXMLError.Reason.narrative), ("text", .narrative),
        ("<p xmlns=\"http://www.w3.org/1999/xhtml\"/>", .narrative),
        ("<div>a</div>", .narrative), ("<div xmlns=\"http://hl7.org/fhir\"/>", .narrative),
        ("<!-- c --><div xmlns=\"http://www.w3.org/1999/xhtml\"/>", .narrative),
        ("<div xmlns=\"http://www.w3.org/1999/xhtml\"/><!-- c -->", .narrative),
        ("<?xml version=\"1.0\"?><div xmlns=\"http://www.w3.org/1999/xhtml\"/>", .narrative),
        ("\u{FEFF}<div xmlns=\"http://www.w3.org/1999/xhtml\"/>", .narrative),
        ("<div xmlns=\"http://www.w3.org/1999/xhtml\">", .notWellFormed),
        ("<div xmlns=\"http://www.w3.org/1999/xhtml\"><p></div>", .notWellFormed),
        ("<div xmlns=\"http://www.w3.org/1999/xhtml\"/><div xmlns=\"http://www.w3.org/1999/xhtml\"/>", .notWellFormed),
        ("<div xmlns=\"http://www.w3.org/1999/xhtml\"/></text><x/>", .notWellFormed),
        ("<div xmlns=\"http://www.w3.org/1999/xhtml\">&nbsp;</div>", .undefinedEntity),
        ("<div xmlns=\"http://www.w3.org/1999/xhtml\"><x:p/></div>", .namespace),
        ("<div xmlns=\"http://www.w3.org/1999/xhtml\">\u{0}</div>", .encoding),
        ("<div xmlns=\"http://www.w3.org/1999/xhtml\">\u{1}</div>", .notWellFormed),
        ("<!DOCTYPE div><div xmlns=\"http://www.w3.org/1999/xhtml\"/>", .doctype),
    ])
    func narrativeThatIsNotAnXHTMLDivIsRefused(div: String, code: FHIRXMLError.Reason) {
        let error = refusal(writing: ["resourceType": "Basic", "text": ["status": "empty", "div": .string(div)]])
        #expect(error?.reason == code)
        #expect(error?.path == "Basic.text.div")
    }

    @Test func spaceAroundANarrativeIsRemoved() throws {
        let div = "<div xmlns=\"http://www.w3.org/1999/xhtml\">a</div>"
        let value: JSON = ["resourceType": "Basic", "text": ["div": .string("\n \(div)\r\n")]]
        #expect(try ResourceXML.read(ResourceXML.write(value)).at("text", "div")?.string == div)
    }

    @Test func depthIsLimited() {
        var value: JSON = ["url": "u"]
        for _ in 0..<1_000 { value = ["url": "u", "extension": [value]] }
        let error = refusal(writing: ["resourceType": "Basic", "extension": [value]])
        #expect(error?.reason == .tooDeep)
    }
}
