import FHIR
import FHIRXML
import Foundation
import TestSupport

/// The official tests of FHIRPath for R4, which are not part of the package.
struct PublishedSuite {
    struct Case {
        let name: String
        let expression: String
        let inputFile: String?
        /// `syntax`, `semantic` or `execution` if the expression must fail.
        let invalid: String?
        let isStrict: Bool
        let isPredicate: Bool
        let isOrdered: Bool
        let outputs: [(type: String?, text: String)]
    }

    static let folder = PublishedData.url("fhirpath")

    static func cases() throws -> [Case] {
        guard let folder else { return [] }
        let text = try String(contentsOf: folder.appendingPathComponent("tests-fhir-r4.xml"), encoding: .utf8)
        let plain = text.replacing(/<!--(?s:.*?)-->/, with: "")
        return plain.matches(of: /<test\s([^>]*)>((?s:.*?))<\/test>/).compactMap { match in
            let attributes = String(match.1)
            let body = String(match.2)
            guard let expression = body.firstMatch(of: /<expression([^>]*)>((?s:.*?))<\/expression>/) else {
                return nil
            }
            let outputs = body.matches(of: /<output([^>]*?)(?:\/>|>((?s:.*?))<\/output>)/).map { output in
                (attribute("type", String(output.1)), unescaped(String(output.2 ?? "")))
            }
            return Case(
                name: attribute("name", attributes) ?? "", expression: unescaped(String(expression.2)),
                inputFile: attribute("inputfile", attributes), invalid: attribute("invalid", String(expression.1)),
                isStrict: attribute("mode", attributes) == "strict",
                isPredicate: attribute("predicate", attributes) == "true",
                isOrdered: attribute("ordered", attributes) != "false", outputs: outputs)
        }
    }

    /// Returns the input as a resource.
    static func input(_ name: String) throws -> TypedElement {
        guard let folder else { throw CocoaError(.fileNoSuchFile) }
        let data = try Data(contentsOf: folder.appendingPathComponent(name))
        let json = name.hasSuffix(".xml") ? try ResourceXML.read(data) : try JSON(data)
        guard let object = json.object else { throw CocoaError(.fileReadCorruptFile) }
        return TypedElement(resource: object)
    }

    private static func attribute(_ name: String, _ text: String) -> String? {
        guard let start = text.range(of: name + "=\"") else { return nil }
        return String(text[start.upperBound...].prefix { $0 != "\"" })
    }

    private static func unescaped(_ text: String) -> String {
        text.replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&quot;", with: "\"")
            .replacing("&apos;", with: "'").replacing("&amp;", with: "&")
    }
}
