import FHIR

/// A consent as its authors write it: a Markdown file with front matter and one heading for each section.
///
/// docs/consent.md describes the format. The file and its ``contract`` have the same text, and so the same digest
/// (``ConsentTerms/digest``).
///
/// ```swift
/// let consent = try ConsentMarkdown(bytes)
/// let template = try ConsentTemplate(consent.contract.resource)
/// ```
public struct ConsentMarkdown: Sendable {
    /// The title of the consent.
    public let title: String
    /// The version of the text; versions are compared as ``FHIR/BusinessVersion``.
    public let version: String?
    /// The language of the text, such as `en` or `de-CH`.
    public let language: String?
    /// The canonical URL, the same for all versions.
    public let url: String?
    /// The id of the Contract.
    public let id: String?
    /// The name of the Contract for programs.
    public let name: String?
    /// The date of the text as FHIR's dateTime.
    public let issued: String?
    /// The name of the research team.
    public let team: String?
    /// The addresses of the research team: e-mail addresses, telephone numbers and URLs.
    public let contact: [String]
    /// Whether the version may be signed; nil means current.
    public let status: ConsentTemplate.Status?
    /// The effect on people who signed an earlier version; nil means major.
    public let change: ConsentTemplate.Change?
    /// Whether the person is asked about sharing, and must answer; nil means that an answer is optional.
    public let asksForSharing: Bool?
    /// The kinds of health data that the consent includes.
    public let healthData: [String]
    /// The questions about eligibility.
    public let eligibility: [EligibilityCriterion]
    /// The sections in their order.
    public let sections: [ConsentSection]

    /// Maximum size of a file in bytes.
    public static let maximumBytes = 1 << 20
    /// Maximum number of lines of a file.
    public static let maximumLines = 20_000
    /// Maximum number of sections.
    public static let maximumSections = 200
    /// Maximum number of questions about eligibility, of addresses and of kinds of health data.
    public static let maximumValues = 100

    /// Reads a file.
    ///
    /// - Throws: ``ConsentMarkdownError`` with the position of the first error.
    public init(_ bytes: some Collection<UInt8>) throws(ConsentMarkdownError) {
        let lines = try MarkdownLine.lines(
            of: bytes, maximumBytes: Self.maximumBytes, maximumLines: Self.maximumLines)
        let front = try FrontMatter(lines)
        let members = ConsentFrontMatter(front)
        try members.requireKnownNames()
        title = try members.requiredText("title")
        version = try members.text("version")
        language = try members.text(
            "language", expecting: "a language such as en or de-CH", isValid: ConsentFrontMatter.isLanguage)
        url = try members.text("url", expecting: "an absolute URI without spaces", isValid: ConsentFrontMatter.isURI)
        id = try members.text("id", expecting: "up to 64 letters, digits, - and .", isValid: Resource.isID)
        name = try members.text("name")
        issued = try members.text("issued", expecting: "a date such as 2026-01-31") { DateTime($0) != nil }
        team = try members.text("team")
        contact = try members.texts("contact", expecting: "e-mail addresses, telephone numbers or URLs") {
            ContactPoint(consentContact: $0) != nil
        }
        if team == nil, let member = front.value("contact") {
            throw ConsentMarkdownError(
                .memberMissing, "A contact is that of a team; write the team's name: team.", at: member.name.position)
        }
        status = try members.code("status")
        change = try members.code("change")
        asksForSharing = try members.truth("asks-for-data-sharing")
        healthData = try members.texts(
            "health-data", expecting: "names such as routes or notes", isValid: ConsentFrontMatter.isCode)
        eligibility = try members.eligibility()
        sections = try ConsentSectionReader.sections(Array(lines[front.lineCount...]))
    }

    /// Whether the name of a file in a consent folder is that of a consent: it ends with `.md` and is not `README.md`.
    public static func isFileName(_ name: String) -> Bool {
        name.hasSuffix(".md") && !name.hasPrefix(".") && name.lowercased() != "readme.md"
    }
}

/// The members of a consent's front matter.
struct ConsentFrontMatter {
    private let front: FrontMatter

    init(_ front: FrontMatter) { self.front = front }

    /// The names of members, in the order in which they are written.
    static let names = [
        "title", "version", "language", "url", "id", "name", "issued", "team", "contact", "status", "change",
        "asks-for-data-sharing", "health-data", "eligibility",
    ]

    func requireKnownNames() throws(ConsentMarkdownError) {
        for member in front.members where !Self.names.contains(member.name.value) {
            throw ConsentMarkdownError(
                .memberUnknown,
                "\(member.name.value) is unknown; the members are \(Self.names.joined(separator: ", ")).",
                at: member.name.position)
        }
    }

    private func invalid(_ member: FrontMatter.Member, _ expected: String) -> ConsentMarkdownError {
        ConsentMarkdownError(
            .memberInvalid, "\(member.name.value) must be \(expected).", at: member.name.position)
    }

    func requiredText(_ name: String) throws(ConsentMarkdownError) -> String {
        guard let text = try self.text(name) else {
            throw ConsentMarkdownError(
                .memberMissing, "The front matter has no \(name); write `\(name): ...`.",
                at: MarkdownPosition(line: 1, column: 1))
        }
        return text
    }

    func text(
        _ name: String, expecting expected: String = "a text", isValid: (String) -> Bool = { _ in true }
    ) throws(ConsentMarkdownError) -> String? {
        guard let member = front.value(name) else { return nil }
        guard case .text(let text) = member.value, !text.value.isEmpty, isValid(text.value) else {
            throw invalid(member, expected)
        }
        return text.value
    }

    func texts(
        _ name: String, expecting expected: String, isValid: (String) -> Bool
    ) throws(ConsentMarkdownError) -> [String] {
        guard let member = front.value(name) else { return [] }
        let texts: [FrontMatter.Text]
        switch member.value {
        case .text(let text): texts = [text]
        case .texts(let list): texts = list
        case .records: throw invalid(member, expected)
        }
        guard texts.count <= ConsentMarkdown.maximumValues else {
            throw ConsentMarkdownError(
                .tooLarge, "\(name) has more than \(ConsentMarkdown.maximumValues) values.", at: member.name.position)
        }
        var seen: Set<String> = []
        for text in texts {
            guard isValid(text.value) else {
                throw ConsentMarkdownError(.memberInvalid, "\(name) must be \(expected).", at: text.position)
            }
            guard seen.insert(text.value).inserted else {
                throw ConsentMarkdownError(
                    .memberRepeated, "\(name) has a value twice; remove one.", at: text.position)
            }
        }
        return texts.map(\.value)
    }

    func code<Code: RawRepresentable & CaseIterable>(
        _ name: String
    ) throws(ConsentMarkdownError) -> Code? where Code.RawValue == String {
        let codes = Code.allCases.map(\.rawValue)
        let text = try self.text(name, expecting: "one of \(codes.joined(separator: ", "))") { codes.contains($0) }
        return text.flatMap(Code.init(rawValue:))
    }

    func truth(_ name: String) throws(ConsentMarkdownError) -> Bool? {
        guard let member = front.value(name) else { return nil }
        guard case .text(let text) = member.value, let value = Self.truth(text) else {
            throw invalid(member, "yes or no")
        }
        return value
    }

    private static func truth(_ text: FrontMatter.Text) -> Bool? {
        guard !text.isQuoted else { return nil }
        return switch text.value.lowercased() {
        case "yes", "true": true
        case "no", "false": false
        default: nil
        }
    }

    func eligibility() throws(ConsentMarkdownError) -> [EligibilityCriterion] {
        guard let member = front.value("eligibility") else { return [] }
        let expected = "a list of items with `question: ...` and `answer: yes` or `answer: no`"
        guard case .records(let records) = member.value else { throw invalid(member, expected) }
        guard records.count <= ConsentMarkdown.maximumValues else {
            throw ConsentMarkdownError(
                .tooLarge, "eligibility has more than \(ConsentMarkdown.maximumValues) questions.",
                at: member.name.position)
        }
        var seen: Set<String> = []
        var criteria: [EligibilityCriterion] = []
        for record in records {
            guard record.count == 2,
                case .text(let question)? = record.first(where: { $0.name.value == "question" })?.value,
                !question.value.isEmpty,
                case .text(let answer)? = record.first(where: { $0.name.value == "answer" })?.value,
                let required = Self.truth(answer)
            else {
                throw ConsentMarkdownError(
                    .memberInvalid, "eligibility must be \(expected).", at: record.first?.name.position)
            }
            guard seen.insert(question.value).inserted else {
                throw ConsentMarkdownError(
                    .memberRepeated, "The question occurs twice; remove one.", at: question.position)
            }
            criteria.append(EligibilityCriterion(text: question.value, mustBeMet: required))
        }
        return criteria
    }

    static func isLanguage(_ text: String) -> Bool {
        text.utf8.count <= 100
            && text.split(separator: "-", omittingEmptySubsequences: false).allSatisfy { part in
                (1...8).contains(part.utf8.count) && part.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit }
            }
    }

    static func isURI(_ text: String) -> Bool {
        text.contains(":") && text.utf8.count <= 2_000
            && text.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7F && $0 != "|" }
    }

    static func isCode(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 100
            && text.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "-") }
    }
}

extension ContactPoint {
    /// Creates the contact of a research team from its address; nil if it is neither an e-mail address nor a telephone
    /// number nor a URL.
    init?(consentContact text: String) {
        let system: ContactPointSystem
        let isPhone = text.utf8.allSatisfy { $0.isASCIIDigit || "+-(). /".utf8.contains($0) }
        if text.hasPrefix("https://") || text.hasPrefix("http://"), ConsentFrontMatter.isURI(text) {
            system = .url
        } else if text.split(separator: "@", omittingEmptySubsequences: false).count == 2, !text.hasPrefix("@"),
            !text.hasSuffix("@"), text.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7F })
        {
            system = .email
        } else if isPhone, text.utf8.contains(where: \.isASCIIDigit) {
            system = .phone
        } else {
            return nil
        }
        self.init(JSONObject())
        self.system = system
        value = text
    }
}
