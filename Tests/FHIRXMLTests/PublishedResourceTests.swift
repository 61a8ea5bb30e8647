import FHIR
import FHIRXML
import Foundation
import TestSupport
import Testing

/// HL7's examples of R4, which are not part of the package.
@Suite(.enabled(if: PublishedData.url("fhir-r4.tar.xz") != nil, "TRIBUTARY_CONFORMANCE is not set"))
struct PublishedResourceTests {
    /// The result has the same members with the same values: numbers digit by digit, narratives byte by byte except for
    /// the space around the div and line ends.
    @Test func everyExampleIsTheSameAfterXML() throws {
        let unpacked = try PublishedData.unpacked("fhir-r4.tar.xz", ["fhir-r4/examples"])
        defer { unpacked.remove() }
        let paths = PublishedData.files(below: unpacked.url)
        #expect(paths.count == 377)
        for path in paths {
            let value = try JSON(Array(try Data(contentsOf: path)))
            let text = try ResourceXML.write(value)
            let again = try ResourceXML.read(text)
            #expect(normal(again) == normal(value), "\(path.lastPathComponent)")
            #expect(
                try ResourceXML.read(try ResourceXML.write(value, pretty: true)) == again, "\(path.lastPathComponent)")
        }
    }

    @Test(arguments: ["patient-example", "questionnaire-example"])
    func publishedXMLReadsAsItsJSONTwin(name: String) throws {
        let folder = try #require(PublishedData.folder).appendingPathComponent("fhirpath")
        let twin = try JSON(Array(try Data(contentsOf: folder.appendingPathComponent(name + ".json"))))
        let value = try ResourceXML.read(Array(try Data(contentsOf: folder.appendingPathComponent(name + ".xml"))))
        #expect(withoutNarrative(sorted(value)) == withoutNarrative(sorted(twin)))
        if let div = value.at("text", "div")?.string, let other = twin.at("text", "div")?.string {
            #expect(words(div) == words(other))
        }
    }

    @Test func everyPublishedXMLIsTheSameAfterWriting() throws {
        let folder = try #require(PublishedData.folder).appendingPathComponent("fhirpath")
        var count = 0
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
        where name.hasSuffix(".xml") && !name.hasPrefix("tests-") {
            let value = try ResourceXML.read(Array(try Data(contentsOf: folder.appendingPathComponent(name))))
            #expect(sorted(try ResourceXML.read(try ResourceXML.write(value))) == sorted(value), "\(name)")
            count += 1
        }
        #expect(count >= 6)
    }

    /// Sorts members, and gives narratives line feeds without the space around them.
    private func normal(_ value: JSON, key: String = "") -> JSON {
        switch value {
        case .array(let items): return .array(items.map { normal($0) })
        case .object(let object):
            var output = JSONObject()
            for member in object.members.sorted(by: { $0.key < $1.key }) {
                output[member.key] = normal(member.value, key: member.key)
            }
            return .object(output)
        case .string(let text) where key == "div":
            let lines = text.replacingOccurrences(of: "\r\n", with: "\n")
            return .string(lines.trimmingCharacters(in: .whitespacesAndNewlines))
        default: return value
        }
    }

    private func withoutNarrative(_ value: JSON) -> JSON {
        var value = value
        if value["text"] != nil { value["text"] = nil }
        return value
    }

    /// Returns the text without tags and references, split at space: the published twins are indented differently.
    private func words(_ div: String) -> [String] {
        var output = ""
        var isInTag = false
        for character in div {
            if character == "<" { isInTag = true }
            if !isInTag { output.append(character) }
            if character == ">" {
                isInTag = false
                output.append(" ")
            }
        }
        return output.split { $0.isWhitespace }.map(String.init)
    }
}
