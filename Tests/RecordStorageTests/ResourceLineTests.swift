import FHIR
import Foundation
import SearchTestSupport
import TestSupport
import Testing

@testable import RecordStorage

/// A line of an export has the content of the resource, although it is made from bytes.
@Suite struct ResourceLineTests {
    private func line(_ content: Data, _ type: String, id: String = "id-1") throws -> (
        bytes: [UInt8], line: ResourceLine
    ) {
        let line = ResourceLine(type: type, id: id, version: 7, stored: "2026-11-21T03:51:00.042Z")
        var bytes: [UInt8] = Array("before".utf8)
        try line.append(content, to: &bytes)
        #expect(bytes.prefix(6) == ArraySlice("before".utf8))
        return (Array(bytes.dropFirst(6)), line)
    }

    /// Expects equal members, order, and digits; and a single line.
    private func expectSame(_ content: Data, _ note: String) throws {
        let resource = try Resource(content)
        let (bytes, line) = try line(content, resource.resourceType)
        let expected = try line.resource(content).json
        #expect(try JSON(bytes) == expected, "\(note)")
        #expect(try JSON(bytes).bytes() == expected.bytes(), "\(note)")
        #expect(!bytes.contains(0x0A) && !bytes.contains(0x0D), "\(note)")
    }

    @Test(
        arguments: [
            #"{"resourceType":"Observation","valueQuantity":{"value":1.00}}"#,
            "{ \"id\" : \"x\" ,\n\t\"resourceType\" : \"Observation\" , \"a\" : [ 1 , 2.50e+3 , \"b  c\\\" ,}\" ] }\n",
            #"{"meta":{},"resourceType":"Basic"}"#, #"{"resourceType":"Basic","meta":{"profile":["u"]},"id":"x"}"#,
            #"{"resourceType":"Basic","meta":{ "versionId" : "3", "_lastUpdated":{"id":"q"}, "profile":["u"]}}"#,
            #"{"resourceType":"Basic","meta":{"lastUpdated":"2020-01-01T00:00:00Z","tag":[{"code":"é\\"}]}}"#,
            #"{"resourceType":"Basic","\u0069d":"other","x":{"id":"inner","meta":{"a":1}}}"#,
            #"{"resourceType":"Basic","meta":null,"text":{"div":"<div>\n{\"id\":1}</div>"}}"#,
            #"{"resourceType":"Basic","a":true,"b":null,"c":-0.10,"d":[],"e":{}}"#, #"{"resourceType":"Basic"}"#,
        ])
    func lineHasTheContentOfTheResource(content: String) throws { try expectSame(Data(content.utf8), content) }

    @Test(arguments: ["", "{", "[]", #"{"resourceType":1}"#, #"{"resourceType":"Basic","a":}"#, "{\"a\" 1}", "\u{0}"])
    func invalidResourceIsRefusedAndAppendsNothing(content: String) {
        var bytes: [UInt8] = [1]
        let line = ResourceLine(type: "Basic", id: "a", version: 1, stored: "2026-11-21T03:51:00.042Z")
        #expect(throws: ResourceError.self) { try line.append(Data(content.utf8), to: &bytes) }
        #expect(bytes == [1])
    }

    /// With published examples, in both layouts and with random spaces.
    @Test(.enabled(if: SearchedExamples.archive != nil))
    func linesOfPublishedExamplesAreEqual() throws {
        var random = Seeded.fresh()
        var count = 0
        let folder = try PublishedData.unpacked("fhir-r4.tar.xz", ["fhir-r4/examples"])
        defer { folder.remove() }
        for file in PublishedData.files(below: folder.url) {
            let (name, content) = (file.lastPathComponent, try Data(contentsOf: file))
            guard let resource = try? Resource(content) else { continue }
            count += 1
            try expectSame(content, name)
            try expectSame(resource.json.data(.pretty), name)
            var spaced: [UInt8] = []
            var isText = false
            var isEscaped = false
            for byte in resource.json.bytes() {
                if !isText, Int.random(in: 0..<9, using: &random) == 0, "{}[]:,\"".utf8.contains(byte) {
                    spaced.append([0x20, 0x0A, 0x09, 0x0D].randomElement(using: &random) ?? 0x20)
                }
                spaced.append(byte)
                if isEscaped {
                    isEscaped = false
                } else if byte == 0x5C {
                    isEscaped = isText
                } else if byte == 0x22 {
                    isText.toggle()
                }
            }
            try expectSame(Data(spaced), name)
        }
        #expect(count > 300, "\(count)")
    }
}
