import FHIR
import Foundation

/// The signed document as a value: its content in order. Another type draws it.
///
/// It contains the person's name and signature and never leaves the device.
public struct ConsentDocumentLayout: Sendable, Hashable {
    /// A heading with the paragraphs below it.
    public struct Section: Sendable, Hashable {
        /// The heading; empty for a section without one.
        public var heading: String
        /// The paragraphs of plain text.
        public var paragraphs: [String]

        /// Creates a section.
        public init(heading: String, paragraphs: [String]) {
            self.heading = heading
            self.paragraphs = paragraphs
        }
    }

    /// An eligibility question with its answer.
    public struct Confirmation: Sendable, Hashable {
        /// The question as it was shown to the person.
        public var text: String
        /// The person's answer; true is yes.
        public var answer: Bool

        /// Creates a confirmation from a question and its answer.
        public init(text: String, answer: Bool) {
            self.text = text
            self.answer = answer
        }
    }

    /// The person's name and signature, with the time of signing.
    public struct Signature: Sendable, Hashable {
        /// The name that the person signs with.
        public var name: String
        /// Date, time and offset as a text that is independent of the locale: `2026-03-01 14:05 (UTC+01:00)`.
        public var date: String
        /// The signature as a PNG file.
        public var image: Data?

        /// Creates a signature; the image is optional.
        public init(name: String, date: String, image: Data?) {
            self.name = name
            self.date = date
            self.image = image
        }
    }

    /// The title of the consent.
    public var title: String
    /// The name of the research team; nil if the template contains none.
    public var teamName: String?
    /// The template's canonical name, which identifies the signed text.
    public var template: String?
    /// The sections in the order in which they are drawn.
    public var sections: [Section]
    /// The answered eligibility questions, in the template's order.
    public var eligibility: [Confirmation]
    /// The choice about sharing; nil if the question was not asked or not answered.
    public var sharing: String?
    /// The signature at the end of the document.
    public var signature: Signature

    /// Creates a document from its parts.
    public init(
        title: String, teamName: String? = nil, template: String? = nil, sections: [Section],
        eligibility: [Confirmation] = [], sharing: String? = nil, signature: Signature
    ) {
        self.title = title
        self.teamName = teamName
        self.template = template
        self.sections = sections
        self.eligibility = eligibility
        self.sharing = sharing
        self.signature = signature
    }

    /// Creates the document of a template with a person's answers.
    public init(template: ConsentTemplate, answers: ConsentAnswers, signature: Signature) {
        let confirmations = template.eligibility.criteria.compactMap { criterion in
            template.eligibility.answer(to: criterion, in: answers.eligibility)
                .map { Confirmation(text: criterion.text, answer: $0) }
        }
        self.init(
            title: template.title, teamName: template.teamName, template: template.canonical,
            sections: template.documentSections,
            eligibility: confirmations,
            sharing: template.asksForSharing
                ? answers.sharing.map { ConsentDocumentLayout.sharing($0, team: template.teamName) } : nil,
            signature: signature)
    }

    private static func sharing(_ answer: Bool, team: String?) -> String {
        let team = team ?? "the research team"
        return answer
            ? "My data may be used by \(team) and, without my name, by other qualified researchers."
            : "My data may be used by \(team) only."
    }

    /// Returns an instant as date, time and offset.
    static func written(_ moment: DateTime) -> String {
        let offset = moment.offsetMinutes ?? 0
        let sign = offset < 0 ? "-" : "+"
        func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        let zone = "UTC" + (offset == 0 ? "" : sign + two(abs(offset) / 60) + ":" + two(abs(offset) % 60))
        return "\(moment.dateText) \(two(moment.hour)):\(two(moment.minute)) (\(zone))"
    }
}
