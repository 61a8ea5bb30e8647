import FHIR
import Foundation
import Testing

@Suite struct PublishedSearchParameterTests {
    private static let form = """
        {"resourceType":"Questionnaire","id":"f1","url":"http://x/f","version":"1.0","name":"Mood","title":"How are you?",\
        "status":"active","identifier":[{"system":"http://x/ids","value":"m-1"}]}
        """

    @Test(arguments: [
        ("_id", "f1", true), ("_id", "f2,f1", true), ("_id", "f", false), ("url", "http://x/f", true),
        ("url", "http://x/", false), ("version", "1.0", true), ("version", "1", false), ("name", "mo", true),
        ("name", "ood", false), ("title", "HOW", true), ("title", "", false), ("status", "active", true),
        ("status", "draft,active", true), ("identifier", "m-1", true), ("identifier", "http://x/ids|m-1", true),
        ("identifier", "http://y/ids|m-1", false), ("identifier", "m", false),
    ])
    func parameterMatchesItsElement(name: String, value: String, matches: Bool) throws {
        let resource = try Resource(Data(Self.form.utf8))
        let parameter = try #require(PublishedSearchParameter(rawValue: name))
        #expect(parameter.matches(resource, value) == matches)
    }

    @Test func aResourceIsFoundByOtherIdsWhereItHasThem() throws {
        let resource = try Resource(Data(#"{"resourceType":"Contract","identifier":{"value":"c"}}"#.utf8))
        #expect(PublishedSearchParameter.id.matches(resource, "consent", ids: ["consent"]))
        #expect(!PublishedSearchParameter.id.matches(resource, "consent"))
        #expect(PublishedSearchParameter.identifier.matches(resource, "c"))
        for parameter in PublishedSearchParameter.allCases where parameter != .identifier {
            #expect(!parameter.matches(resource, "c"))
        }
    }
}
