import FHIR
import FHIRXML
import Foundation
import TestSupport
import Testing

/// Random texts are read or refused, and a value that is read is the same after writing.
@Suite struct RandomInputTests {
    private static let seed = Seeded.newSeed()

    private static let examples = [
        """
        <?xml version="1.0" encoding="UTF-8"?><!-- c --><Patient xmlns="http://hl7.org/fhir"><id value="p"/><text>
        <status value="generated"/><div xmlns="http://www.w3.org/1999/xhtml">a &amp; <b class="c">é</b><br/></div></text>
        <contained><Organization><id value="o"/></Organization></contained><extension url="http://e.org/x"><valueDecimal
         value="1.50"/></extension><active value="true" id="a"/><name><given value="A&#10;&lt;"/><given id="g"/></name>
        <multipleBirthInteger value="+2"/></Patient>
        """,
        """
        <f:Bundle xmlns:f="http://hl7.org/fhir" xmlns="http://www.w3.org/1999/xhtml"><f:entry><f:resource><f:Basic><f:text>
        <div><![CDATA[<]]><?p i?></div></f:text></f:Basic></f:resource></f:entry></f:Bundle>
        """,
    ]

    @Test func mutatedDocumentsAreReadOrRefused() throws {
        var random = Seeded(Self.seed)
        var count = (read: 0, refused: 0)
        let words = [
            "<", ">", "&", "\"", "'", "/>", "]]>", "<!--", "-->", "<?", "?>", "&#0;", "&amp;", "<![CDATA[",
            "<!DOCTYPE a [", "xmlns=\"\"", "\u{0}", "\u{FFFE}", "\r", "<id/>", " value=\"1\"", "é",
        ]
        for round in 0..<4_000 {
            var bytes = Array(Self.examples[round % Self.examples.count].utf8)
            for _ in 0..<random.next(below: 2) + 1 {
                let index = random.next(below: bytes.count)
                switch random.next(below: 4) {
                case 0: bytes[index] = UInt8(random.next(below: 96) + 32)
                case 1: bytes.removeSubrange(index..<min(bytes.count, index + random.next(below: 20)))
                case 2: bytes.insert(contentsOf: words[random.next(below: words.count)].utf8, at: index)
                default:
                    let end = min(bytes.count, index + random.next(below: 60))
                    bytes.insert(contentsOf: bytes[index..<end], at: random.next(below: bytes.count))
                }
                if bytes.isEmpty { bytes = [0x3C] }
            }
            do {
                let value = try ResourceXML.read(bytes)
                count.read += 1
                let again = try ResourceXML.read(try ResourceXML.write(value))
                #expect(sorted(again) == sorted(value), "seed \(Self.seed), round \(round)")
                #expect(try JSON(value.bytes()) == value)
            } catch let error as FHIRXMLError {
                count.refused += 1
                #expect(error.line != nil, "seed \(Self.seed), round \(round): \(error)")
            }
        }
        // Both must occur, or the mutations prove nothing.
        #expect(count.read > 50 && count.refused > 1_000, "seed \(Self.seed)")
    }

    @Test func randomBytesAreRefused() {
        var random = Seeded(Self.seed ^ 1)
        for round in 0..<2_000 {
            let bytes = (0..<random.next(below: 80)).map { _ in UInt8(random.next(below: 256)) }
            #expect(refusal(bytes) != nil, "seed \(Self.seed), round \(round)")
        }
    }
}

extension Seeded {
    fileprivate mutating func next(below bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }
}
