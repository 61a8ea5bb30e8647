import FHIR
import FHIRXML
import Testing

@Suite struct ReadingTests {
    @Test func elementsBecomeMembersByTheirCardinalityAndType() throws {
        let value = try read(
            xml(
                """
                <id value="p1"/><active value="true"/>
                <name><use value="official"/><family value="Chalmers"/><given value="Peter"/><given value="James"/></name>
                <multipleBirthInteger value="2"/>
                """))
        let expected = """
            {"resourceType":"Patient","id":"p1","active":true,"name":[{"use":"official","family":"Chalmers",
             "given":["Peter","James"]}],"multipleBirthInteger":2}
            """
        // Compared with the order of members.
        #expect(value == (try json(expected)))
    }

    @Test(arguments: ["1.00", "0.10", "-1.50E+10", "1e-7", "100000000000000000000000000000000.000000000000000000001"])
    func decimalsKeepTheirDigits(digits: String) throws {
        let value = try read(xml("<valueQuantity><value value=\"\(digits)\"/></valueQuantity>", of: "Observation"))
        #expect(value.at("valueQuantity", "value")?.number?.text == digits)
    }

    @Test func plusSignBeforeAnIntegerIsDropped() throws {
        #expect(try read(xml("<multipleBirthInteger value=\"+3\"/>")).at("multipleBirthInteger") == 3)
    }

    /// <https://hl7.org/fhir/R4/datatypes.html#string>
    @Test func whiteSpaceAroundAValueIsRemoved() throws {
        let value = try read(
            xml(
                """
                <id value=" p1
                "/><active value="\ttrue "/><name><family value="  van der  Berg "/></name><birthDate value="1990-02-03 "/>
                <multipleBirthInteger value=" 7"/>
                """))
        #expect(value.at("id") == "p1" && value.at("active") == true && value.at("multipleBirthInteger") == 7)
        #expect(value.at("name")?[0]?["family"] == "van der  Berg" && value.at("birthDate") == "1990-02-03")
        let decimal = try read(xml("<valueQuantity><value value=\" 1.50 \"/></valueQuantity>", of: "Observation"))
        #expect(decimal.at("valueQuantity", "value")?.number?.text == "1.50")
    }

    @Test(arguments: [
        ("\"&#32; a &#x20;\"", "  a  "), ("\" \t&#32;a&#9; \r\n \"", " a\t"), ("' &#10;\"a = > '", "\n\"a = >"),
        ("\"\r\n a\r\n&#13;\r\n\"", "a \r"), ("\"&amp; \"", "&"), ("\" &#32; \"", " "), ("\" \t\r\n \"", ""),
        ("\"a&#32; b\"", "a  b"),
    ])
    func whiteSpaceThatIsWrittenAsAReferenceStays(written: String, text: String) throws {
        for element in ["id='&#32;'\n value =\(written)", "value\t= \(written) id=' &#32; '"] {
            let value = try read(xml("<language \(element)/>"))
            #expect(value["language"]?.string == text, "\(element)")
            #expect(value.at("_language", "id")?.string == " ", "\(element)")
        }
        let extended = try read(xml("<extension url=\(written)><valueString value='x'/></extension>"))
        #expect(extended.at("extension")?[0]?["url"]?.string == text)
    }

    @Test(arguments: [
        ("<active value=\"yes\"/>", "Patient.active"), ("<active value=\"\"/>", "Patient.active"),
        ("<active value=\"1\"/>", "Patient.active"), ("<multipleBirthInteger value=\"two\"/>", "Patient.multipleBirth"),
        ("<multipleBirthInteger value=\"+-3\"/>", "Patient.multipleBirth"),
        ("<multipleBirthInteger value=\"007\"/>", "Patient.multipleBirth"),
        ("<multipleBirthInteger value=\"NaN\"/>", "Patient.multipleBirth"),
    ])
    func aValueThatIsNotOfItsTypeIsRefused(element: String, path: String) {
        let error = refusal(xml("\n  " + element))
        #expect(error?.reason == .invalidValue)
        #expect(error?.path == path)
        #expect(error?.line == 2)
        #expect(error?.column == 3)
    }

    @Test func textKeepsItsCharactersAndReferences() throws {
        let value = try read(xml("<language value=\"&lt;&amp;&gt;&quot;&apos;&#38;#38;&#x1F600;é&#10;\tx\"/>"))
        #expect(value["language"]?.string == "<&>\"'&#38;\u{1F600}é\n x")
    }

    @Test func idAndExtensionsOfPrimitivesBecomeSiblings() throws {
        let value = try read(
            xml(
                """
                <active value="true" id="a"><extension url="http://e.org/x"><valueCode value="c"/></extension></active>
                <name><given value="A"/><given id="g"/><given value="C"/></name>
                <name><given><extension url="http://e.org/y"><valueBoolean value="false"/></extension></given></name>
                <birthDate id="b"/>
                """))
        let expected = """
            {"resourceType":"Patient","active":true,
             "_active":{"id":"a","extension":[{"url":"http://e.org/x","valueCode":"c"}]},
             "name":[{"given":["A",null,"C"],"_given":[null,{"id":"g"},null]},
                     {"_given":[{"extension":[{"url":"http://e.org/y","valueBoolean":false}]}]}],
             "_birthDate":{"id":"b"}}
            """
        #expect(value == (try json(expected)))
    }

    @Test func attributesAreMembersOfElementsAndExtensions() throws {
        let value = try read(xml("<name id=\"n1\"><extension url=\"http://e.org\" id=\"x\"/></name>"))
        #expect(
            value
                == (try json(
                    #"{"resourceType":"Patient","name":[{"id":"n1","extension":[{"url":"http://e.org","id":"x"}]}]}"#)))
    }

    @Test func nestedResourcesAreRead() throws {
        let bundle = try read(
            xml(
                """
                <type value="collection"/><entry><resource><Parameters><parameter><name value="p"/><resource>
                <Patient><contained><Organization><id value="o"/></Organization></contained><contained>
                <Basic/></contained></Patient></resource></parameter></Parameters></resource></entry>
                """, of: "Bundle"))
        let expected = """
            {"resourceType":"Bundle","type":"collection","entry":[{"resource":{"resourceType":"Parameters","parameter":[
             {"name":"p","resource":{"resourceType":"Patient","contained":[{"resourceType":"Organization","id":"o"},
              {"resourceType":"Basic"}]}}]}}]}
            """
        #expect(bundle == (try json(expected)))
    }

    @Test func elementsInAnotherOrderAreRead() throws {
        let value = try read(
            xml("<name><given value=\"A\"/><family value=\"F\"/><given value=\"B\"/></name><id value=\"p\"/>"))
        #expect(value == (try json(#"{"resourceType":"Patient","name":[{"given":["A","B"],"family":"F"}],"id":"p"}"#)))
    }

    @Test(arguments: [
        "<active value=\"true\"/><active value=\"true\"/>", "<active value=\"true\"/><gender value=\"male\"/><active/>",
        "<deceasedBoolean value=\"true\"/><deceasedDateTime value=\"2020\"/>",
    ])
    func secondOccurrenceOfASingleElementIsRefused(elements: String) {
        #expect(refusal(xml(elements))?.reason == .repeatedElement)
        #expect(refusal(xml(elements))?.path == "Patient")
    }

    @Test func emptyElementsAreKept() throws {
        let value = try read(xml("<active/><name/><name><given/><given value=\"\"/></name>"))
        let expected =
            #"{"resourceType":"Patient","_active":{},"name":[{},{"given":[null,""],"_given":[{},null]}]}"#
        #expect(value == (try json(expected)))
    }

    @Test func prefixesAreNotPartOfNames() throws {
        let text = """
            <f:Patient xmlns:f="http://hl7.org/fhir" xmlns:h="http://www.w3.org/1999/xhtml"
                xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://hl7.org/fhir a.xsd">
            <f:text><f:status value="empty"/><h:div h:class="c" xml:lang="en">A <h:b>b</h:b></h:div></f:text></f:Patient>
            """
        let value = try read(text)
        #expect(value.at("text", "status") == "empty")
        let div = try #require(value.at("text", "div")?.string)
        // The narrative declares its namespaces itself.
        #expect(
            div
                == "<h:div xmlns:h=\"http://www.w3.org/1999/xhtml\" h:class=\"c\" xml:lang=\"en\">A <h:b>b</h:b></h:div>"
        )
        #expect(try ResourceXML.read(ResourceXML.write(value)) == value)
    }

    @Test func narrativesKeepTheirText() throws {
        let div = """
            <div xmlns="http://www.w3.org/1999/xhtml" class='a'>é &amp; &#233;<!-- c --><br/><?p i?><![CDATA[<]]>
              <img src="#a" alt="x > y"></img>  </div>
            """
        let value = try read(xml("<text><status value=\"generated\"/>\n\(div)\n</text>"))
        #expect(value.at("text", "div")?.string == div)
        #expect(try read(xml("<text>\(div.replacing("\n", with: "\r\n"))</text>")).at("text", "div")?.string == div)
        let empty = "<div xmlns=\"http://www.w3.org/1999/xhtml\"/>"
        #expect(try read(xml("<text>\(empty)</text>")).at("text", "div")?.string == empty)
    }

    @Test func namespacesFromFurtherOutAreDeclaredOnNarratives() throws {
        let value = try read(
            "<f:Basic xmlns:f=\"http://hl7.org/fhir\" xmlns=\"http://www.w3.org/1999/xhtml\" xmlns:s=\"urn:a&amp;b\">"
                + "<f:text><div><s:x/><s:y xmlns:s=\"urn:c\"/></div></f:text></f:Basic>")
        #expect(
            value.at("text", "div")?.string
                == "<div xmlns=\"http://www.w3.org/1999/xhtml\" xmlns:s=\"urn:a&amp;b\">"
                + "<s:x/><s:y xmlns:s=\"urn:c\"/></div>")
    }

    @Test func commentsInstructionsAndSpaceAreIgnored() throws {
        let text =
            "<?xml version=\"1.0\"?><!-- a --><?b c?>\n<Basic xmlns=\"http://hl7.org/fhir\"><!-- d --> \t\r\n"
            + "<?e f?><id value=\"x\"><!-- g --></id></Basic><!-- h -->\n"
        #expect(try read(text) == (try json(#"{"resourceType":"Basic","id":"x"}"#)))
    }

    @Test func utf8AndUTF16AreReadAlike() throws {
        let text = "<Basic xmlns=\"http://hl7.org/fhir\"><id value=\"é\u{1F600}\"/></Basic>"
        let expected = try read(text)
        #expect(expected["id"] == "é\u{1F600}")
        #expect(try ResourceXML.read([0xEF, 0xBB, 0xBF] + text.utf8) == expected)
        #expect(try read("<?xml version='1.0' encoding='utf-8'?>" + text) == expected)
        for declaration in ["", "<?xml version=\"1.0\" encoding=\"UTF-16\"?>"] {
            let units = Array((declaration + text).utf16)
            #expect(
                try ResourceXML.read([0xFE, 0xFF] + units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }) == expected)
            #expect(
                try ResourceXML.read([0xFF, 0xFE] + units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }) == expected)
        }
    }
}
