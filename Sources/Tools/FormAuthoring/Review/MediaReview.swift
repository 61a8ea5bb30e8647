import FHIR
import Questionnaires

/// Pictures, sounds and films without a text that replaces them for people who cannot see or hear them.
enum MediaReview {
    private static let media: Set<String> = Set(
        ["itemMedia", "itemAnswerMedia"].map {
            "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-" + $0
        })
    private static let markdown = "http://hl7.org/fhir/StructureDefinition/rendering-markdown"
    private static let xhtml = "http://hl7.org/fhir/StructureDefinition/rendering-xhtml"

    /// Returns the problems of an item, without the items inside, or of the form as a whole.
    static func problems(of element: some ElementView, linkID: String?) -> [FormProblem] {
        var count = 0
        for member in element.object.members where !["item", "contained"].contains(member.key) {
            count += missing(in: member.value, depth: 0)
        }
        guard count > 0 else { return [] }
        return [
            .warning(
                "alt-text-missing", linkID,
                message: count == 1
                    ? "A picture, sound or film has no title, which is read aloud or shown in its stead."
                    : "\(count) pictures, sounds or films have no title, which is read aloud or shown in its stead.")
        ]
    }

    /// Returns the number of media without a text.
    private static func missing(in value: JSON, depth: Int) -> Int {
        guard depth < 100 else { return 0 }
        if let elements = value.array { return elements.reduce(0) { $0 + missing(in: $1, depth: depth + 1) } }
        guard let object = value.object else { return 0 }
        var count = 0
        switch object["url"]?.string {
        case let url? where media.contains(url):
            let title = object["valueAttachment"]?["title"]?.string ?? ""
            count += title.contains { !$0.isWhitespace } ? 0 : 1
        case markdown?: count += pictures(inMarkdown: object["valueMarkdown"]?.string ?? "")
        case xhtml?: count += pictures(inXHTML: object["valueString"]?.string ?? "")
        default: break
        }
        return object.members.reduce(count) { $0 + missing(in: $1.value, depth: depth + 1) }
    }

    private static func pictures(inMarkdown text: String) -> Int { text.matches(of: /!\[\s*\]\(/).count }

    private static func pictures(inXHTML text: String) -> Int {
        text.matches(of: /<img\b[^>]*>/).count { picture in
            picture.output.firstMatch(of: /\balt\s*=\s*("[^"]*[^"\s][^"]*"|'[^']*[^'\s][^']*')/) == nil
        }
    }
}
