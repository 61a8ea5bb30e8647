import Testing

@testable import FHIR

@Suite struct SiblingTests {
    @Test(arguments: [3, 100])
    func idAndExtensionsOfAPrimitiveAreFoundInItsSibling(count: Int) throws {
        let text =
            "{" + (0..<count).map { "\"n\($0)\":\($0),\"_n\($0)\":{\"id\":\"\($0)\"}" }.joined(separator: ",") + "}"
        let object = try #require(try JSON(parsing: text).object)
        for number in 0..<count { #expect(object.sibling(of: "n\(number)")?["id"]?.string == "\(number)") }
        #expect(object.sibling(of: "x") == nil)
    }
}
