import FHIR
import Foundation
import TestSupport
import Testing

@testable import InformedConsent

@Suite struct ConsentMarkdownTests {
    private static let front = """
        ---
        # A comment
        title: Sleep and mood   # of the study
        version: 1.10
        language: de-CH
        url: https://study.example/consent
        id: consent
        name: 'It''s a name'
        issued: 2026-01-12
        team: "Research \\u0054eam: one"
        contact:
          - team@study.example
          - +1 555 0100
          - https://study.example/team
        status: accepted
        change: minor
        asks-for-data-sharing: yes
        health-data: [routes, "notes"]
        eligibility:
          - question: Are you 18 years of age or older?
            answer: yes
          - answer: no
            question: "Is it true: do you work at night?"
        ---

        """
    private static let body = """
        # Welcome

        A summary with \\* and é.

        A **bold**, an *emphasised* and a [linked](https://study.example/?a=1&b=2) word,
        in two lines.\\
        A third one.

        ## A heading within

        1. one
        2. two
           - inner & <2

        ***

        # Our data {data-gathering image=phone animation="a \\"film\\""}

        ```html
        <div>
        # no heading
        </div>
        ```

        <!-- A comment
        # no heading
        -->

        """

    private func read(_ text: String) throws -> ConsentTemplate {
        try ConsentTemplate(try ConsentMarkdown(text.utf8).contract.resource)
    }

    @Test func frontMatterBecomesTheElementsOfTheContract() throws {
        let contract = try ConsentMarkdown((Self.front + "# Privacy\n\nWords\n").utf8).contract
        #expect(contract.title == "Sleep and mood")
        #expect(contract.version == "1.10")
        #expect(contract.language == "de-CH")
        #expect(contract.id == "consent")
        #expect(contract.name == "It's a name")
        #expect(contract.object["issued"] == "2026-01-12")
        #expect(contract.status == .executable)
        let template = try ConsentTemplate(contract.resource)
        #expect(template.canonical == "https://study.example/consent|1.10")
        #expect(template.teamName == "Research Team: one")
        #expect(template.status == .accepted && template.change == .minor)
        #expect(template.requiresSharingAnswer)
        #expect(template.includedHealthData == ["routes", "notes"])
        #expect(template.eligibility.criteria.map(\.mustBeMet) == [true, false])
        #expect(template.eligibility.criteria.map(\.text).last == "Is it true: do you work at night?")
        let organization = try #require(contract.containedResource("#team").map { Organization($0.object) })
        #expect(organization.telecom.map(\.system) == [.email, .phone, .url])
        #expect(template.warnings == [])
    }

    @Test func headingsBecomeSectionsWithSummaryAndFullText() throws {
        let template = try read(Self.front + Self.body)
        #expect(
            template.sections == [
                ConsentSection(
                    kind: .overview, title: "Welcome", summary: "A summary with * and é.",
                    htmlContent: "<p>A <strong>bold</strong>, an <em>emphasised</em> and a "
                        + "<a href=\"https://study.example/?a=1&amp;b=2\">linked</a> word, in two lines.<br>A third one.</p>"
                        + "<h2>A heading within</h2><ol><li>one</li><li>two<ul><li>inner &amp; &lt;2</li></ul></li></ol><hr>"
                ),
                ConsentSection(
                    kind: .dataGathering, title: "Our data", htmlContent: "<div>\n# no heading\n</div>", image: "phone",
                    animation: "a \"film\""),
            ])
    }

    @Test(arguments: [
        ("# Privacy", ConsentSection.Kind.privacy, "Privacy"), ("# data use", .dataUse, "data use"),
        ("# Welcome", .overview, "Welcome"), ("# Anything", .custom, "Anything"),
        ("# Privacy {custom}", .custom, "Privacy"), ("# Risks {OnlyInDocument}", .onlyInDocument, "Risks"),
        ("# {study-tasks}", .studyTasks, "Study Tasks"), ("#", .custom, ""), ("# A \\{b}", .custom, "A {b}"),
        ("# {privacy title=\"\"}", .privacy, ""), ("## Privacy", .privacy, "Privacy"),
    ])
    func typeOfASectionIsNamedOrFollowsFromTheTitle(heading: String, kind: ConsentSection.Kind, title: String) throws {
        let section = try #require(try read("---\ntitle: T\n---\n\(heading)\n\nWords\n").sections.first)
        #expect(section.kind == kind)
        #expect(section.title == title)
        #expect(section.summary == "Words")
    }

    @Test func everyTypeHasANameInMarkdown() {
        for kind in ConsentSection.Kind.allCases {
            #expect(ConsentHeading.kind(named: kind.markdownName) == kind)
            #expect(ConsentHeading.kind(named: kind.rawValue) == kind)
        }
        #expect(ConsentSection.Kind.dataGathering.markdownName == "data-gathering")
    }

    @Test func aSectionCanBeWithoutSummary() throws {
        let template = try read("---\ntitle: T\n---\n# A {no-summary}\n\nText *x*\n\n# B\n\n- a list\n")
        #expect(template.sections.map(\.summary) == [nil, nil])
        #expect(template.sections.map(\.htmlContent) == ["<p>Text <em>x</em></p>", "<ul><li>a list</li></ul>"])
    }

    @Test(arguments: [
        // The front matter.
        ("", ConsentMarkdownError.Kind.frontMatter, 0, 0), ("# A\n\nb\n", .frontMatter, 1, 1),
        ("---\ntitle: T\n# A\n", .frontMatter, 1, 1), ("---\ntitle T\n---\n# A\n", .frontMatter, 2, 1),
        ("---\ntitle: T\nx: &a b\n---\n# A\n", .frontMatter, 3, 4),
        ("---\ntitle: {a: b}\n---\n# A\n", .frontMatter, 2, 8),
        ("---\ntitle: |\n  T\n---\n# A\n", .frontMatter, 2, 8), ("---\ntitle: a: b\n---\n# A\n", .frontMatter, 2, 9),
        ("---\ntitle: \"a\n---\n# A\n", .frontMatter, 2, 8), ("---\ntitle: \"a\\x41\"\n---\n# A\n", .frontMatter, 2, 8),
        ("---\n\ttitle: T\n---\n# A\n", .notText, 2, 1), ("---\n title: T\n---\n# A\n", .frontMatter, 2, 2),
        ("---\ntitle:\n---\n# A\n", .frontMatter, 2, 7), ("---\ntitle: [a\n---\n# A\n", .frontMatter, 2, 10),
        ("---\ntitle: null\n---\n# A\n", .frontMatter, 2, 8),
        ("---\ntitle: T\ntitle: U\n---\n# A\n", .memberRepeated, 3, 1),
        ("---\nversion: 1\n---\n# A\n", .memberMissing, 1, 1),
        ("---\ntitle: T\nauthor: x\n---\n# A\n", .memberUnknown, 3, 1),
        ("---\ntitle: T\nlanguage: Deutsch (Schweiz)\n---\n# A\n", .memberInvalid, 3, 1),
        ("---\ntitle: T\nasks-for-data-sharing: maybe\n---\n# A\n", .memberInvalid, 3, 1),
        ("---\ntitle: T\nasks-for-data-sharing: \"yes\"\n---\n# A\n", .memberInvalid, 3, 1),
        ("---\ntitle: T\nstatus: draft\n---\n# A\n", .memberInvalid, 3, 1),
        ("---\ntitle: T\nissued: yesterday\n---\n# A\n", .memberInvalid, 3, 1),
        ("---\ntitle: T\nteam: x\ncontact: [the office]\n---\n# A\n", .memberInvalid, 4, 11),
        ("---\ntitle: T\ncontact: a@b.example\n---\n# A\n", .memberMissing, 3, 1),
        ("---\ntitle: T\nhealth-data: [a, a]\n---\n# A\n", .memberRepeated, 3, 18),
        ("---\ntitle: T\neligibility: [a]\n---\n# A\n", .memberInvalid, 3, 1),
        ("---\ntitle: T\neligibility:\n  - question: A?\n---\n# A\n", .memberInvalid, 4, 5),
        ("---\ntitle: T\neligibility:\n  - question: A?\n    answer: yes\n  - x\n---\n# A\n", .frontMatter, 6, 3),
        // Sections.
        ("---\ntitle: T\n---\n", .noSections, 0, 0), ("---\ntitle: T\n---\nWords\n# A\n", .section, 4, 1),
        ("---\ntitle: T\n---\n## A\n# B\n", .section, 5, 1), ("---\ntitle: T\n---\n# A {privat}\n", .section, 4, 6),
        ("---\ntitle: T\n---\n# A {image}\n", .section, 4, 6),
        ("---\ntitle: T\n---\n# A {image=a image=b}\n", .section, 4, 14),
        ("---\ntitle: T\n---\n# A {privacy\n", .section, 4, 13), ("---\ntitle: T\n---\n# **A**\n", .section, 4, 1),
        ("---\ntitle: T\n---\n# A\n\nb\n# C\n\n# A\n", .sectionRepeated, 9, 1),
        ("---\ntitle: T\n---\n# Privacy\n\n# Privacy {privacy}\n", .sectionRepeated, 6, 1),
        // Markdown.
        ("---\ntitle: T\n---\n# A\n\n**b**\n", .markdown, 6, 1),
        ("---\ntitle: T\n---\n# A\n\nb\n\n| a | b |\n", .markdown, 8, 1),
        ("---\ntitle: T\n---\n# A\n\nb\n\n> c\n", .markdown, 8, 1),
        ("---\ntitle: T\n---\n# A\n\né `b`\n", .markdown, 6, 3),
        ("---\ntitle: T\n---\n# A\n\nb <br> c\n", .markdown, 6, 3),
        ("---\ntitle: T\n---\n# A\n\nb &nbsp; c\n", .markdown, 6, 3),
        ("---\ntitle: T\n---\n# A\n\nb\n\nc **d\n", .markdown, 8, 3),
        ("---\ntitle: T\n---\n# A\n\nb ![c](d)\n", .markdown, 6, 3),
        ("---\ntitle: T\n---\n# A\n\nb\n\nc [d](javascript:e)\n", .markdown, 8, 5),
        ("---\ntitle: T\n---\n# A\n\nb\n===\n", .markdown, 7, 1),
        ("---\ntitle: T\n---\n# A\n\nb\n\n    c\n", .markdown, 8, 5),
        ("---\ntitle: T\n---\n# A\n\nb\n\n2. c\n", .markdown, 8, 1),
        ("---\ntitle: T\n---\n# A\n\n```html\n<p>\n", .markdown, 6, 1),
        ("---\ntitle: T\n---\n# A\n\n```html\nb\n```\nc\n", .markdown, 9, 1),
        ("---\ntitle: T\n---\n# A\n\n<!-- b\n", .markdown, 6, 1),
        ("---\ntitle: T\n---\n# A\n\nb\u{7}\n", .notText, 6, 2),
        ("---\ntitle: T\n---\r\n# A\n", .frontMatter, 1, 1),
    ])
    func malformedFilesAreRefusedWithCodeAndPosition(
        text: String, kind: ConsentMarkdownError.Kind, line: Int, column: Int
    ) throws {
        let error = try #require(throws: ConsentMarkdownError.self) { try ConsentMarkdown(text.utf8) }
        #expect(error.kind == kind, "\(error)")
        #expect((error.line, error.column) == (line, column), "\(error)")
        #expect(error.code.hasPrefix("consent-"))
    }

    @Test func sizesAreBounded() throws {
        let front = "---\ntitle: T\n---\n"
        func kind(_ text: String) throws -> ConsentMarkdownError.Kind {
            try #require(throws: ConsentMarkdownError.self) { try ConsentMarkdown(text.utf8) }.kind
        }
        #expect(try kind(front + "# A\n\n" + String(repeating: "a", count: ConsentMarkdown.maximumBytes)) == .tooLarge)
        #expect(try kind(front + String(repeating: "\n", count: ConsentMarkdown.maximumLines)) == .tooLarge)
        #expect(try kind("---\n" + String(repeating: "# a\n", count: 1_001) + "title: T\n---\n# A\n") == .tooLarge)
        let sections = (0...ConsentMarkdown.maximumSections).map { "# \($0)\n" }.joined()
        #expect(try kind(front + sections) == .tooLarge)
        let codes = (0...ConsentMarkdown.maximumValues).map { "a\($0)" }.joined(separator: ", ")
        #expect(try kind("---\ntitle: T\nhealth-data: [\(codes)]\n---\n# A\n") == .tooLarge)
        #expect(throws: ConsentMarkdownError.self) { try ConsentMarkdown([0xFF, 0xFE]) }
    }

    @Test func lineEndsOfWindowsAndAByteOrderMarkChangeNothing() throws {
        let text = Self.front + "# Privacy\n\nWords\n\nMore\n"
        let other = "\u{FEFF}" + text.replacingOccurrences(of: "\n", with: "\r\n")
        #expect(try ConsentMarkdown(other.utf8).contract == ConsentMarkdown(text.utf8).contract)
    }

    @Test func onlyMarkdownFilesWithAnotherNameThanReadmeAreConsents() {
        #expect(ConsentMarkdown.isFileName("consent.md"))
        for name in ["README.md", "readme.md", ".consent.md", "consent.json", "consent.md.draft"] {
            #expect(!ConsentMarkdown.isFileName(name), "\(name)")
        }
    }

    @Test func theConsentIsShownAsTextAndAsAPage() throws {
        let template = try read(Self.front + "# Privacy\n\nWords & more\n\nFull **text**\n")
        for part in ["Sleep and mood", "version 1.10", "== Privacy", "Words & more", "Full text", "(yes)", "routes"] {
            #expect(template.plainText.contains(part), "\(part)")
        }
        for part in [
            "<html lang=\"de-CH\">", "<h2>Privacy</h2>", "Words &amp; more", "<p>Full <strong>text</strong></p>",
        ] {
            #expect(template.page.contains(part), "\(part)")
        }
        #expect(template.page.contains("default-src 'none'"))
    }
}
