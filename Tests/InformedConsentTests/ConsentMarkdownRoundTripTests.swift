import FHIR
import Foundation
import TestSupport
import Testing

@testable import InformedConsent

/// Markdown and Contracts are converted into each other without a change of the text.
@Suite struct ConsentMarkdownRoundTripTests {
    /// The number of random consents.
    private static let count =
        ProcessInfo.processInfo.environment["TRIBUTARY_CONSENTS"].flatMap { Int($0) } ?? 20

    @Test func randomMarkdownConsentsKeepTheirTextAndDigest() throws {
        var consents = RandomConsents(random: Seeded.fresh())
        for _ in 0..<Self.count {
            let file = consents.file()
            let first = try ConsentMarkdown(file.utf8)
            let template = try ConsentTemplate(first.contract.resource)
            let second = try ConsentMarkdown(template)
            #expect(second.contract.json.data() == first.contract.json.data(), "\(file)")
            #expect(try ConsentMarkdown(second.text.utf8).text.utf8.elementsEqual(second.text.utf8), "\(file)")
        }
    }

    @Test func randomContractsKeepTheirDigest() throws {
        var consents = RandomConsents(random: Seeded.fresh())
        for _ in 0..<Self.count {
            let contract = consents.contract()
            let template = try ConsentTemplate(contract.resource)
            let built = try ConsentMarkdown(template).contract
            #expect(
                try ConsentTemplate(built.resource).terms.digest == template.terms.digest, "\(contract.json.text())")
        }
    }

    @Test func damagedFilesAreRefusedOrKeepTheirText() throws {
        var consents = RandomConsents(random: Seeded.fresh())
        for _ in 0..<Self.count {
            let file = consents.damaged()
            guard let read = try? ConsentMarkdown(file) else { continue }
            let again = try ConsentMarkdown(try ConsentTemplate(read.contract.resource))
            #expect(again.contract.json.data() == read.contract.json.data(), "\(file)")
        }
    }

    private static let examples = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Examples/study/consent")

    @Test func theExamplesMarkdownAndContractAreOne() throws {
        let markdown = try ConsentMarkdown(Data(contentsOf: Self.examples.appendingPathComponent("contract.md")))
        let contract = try Data(contentsOf: Self.examples.appendingPathComponent("contract.json"))
        #expect(markdown.contract.json.text(.pretty) + "\n" == String(decoding: contract, as: UTF8.self))
        let template = try ConsentTemplate(Resource(contract))
        #expect(try ConsentTemplate(markdown.contract.resource).terms.digest == template.terms.digest)
        let again = try ConsentMarkdown(template)
        #expect(again.contract == markdown.contract)
        #expect(again.elementsLeftOut(of: template.contract) == [])
        #expect(!again.text.contains("```"))
    }

    /// The forms of C3-PRO's Contracts: DSTU2 and STU3, without url, title and language, with texts in files.
    @Test func contractsOfC3PROKeepTheirDigest() throws {
        let files = ["file": "<p>Full text</p>\n"]
        for htmlFiles in [[:], files] {
            let template = try ConsentTemplate(Fixtures.resource(TemplateTests.dstu2), htmlFiles: htmlFiles)
            let markdown = try ConsentMarkdown(template)
            let built = try ConsentTemplate(markdown.contract.resource, htmlFiles: htmlFiles)
            #expect(built.terms.digest == template.terms.digest)
            #expect(markdown.text.contains("{file=file image=picture animation=film}"))
            #expect(Set(markdown.elementsLeftOut(of: template.contract)).isSuperset(of: ["identifier", "actor"]))
        }
    }

    /// A phone that has the Contract signs the text of the Markdown file, and the other way round.
    @Test func aSignedContractMatchesTheMarkdownFile() throws {
        let contract = try Data(contentsOf: Self.examples.appendingPathComponent("contract.json"))
        let template = try ConsentTemplate(Resource(contract))
        let markdown = try ConsentMarkdown(Data(contentsOf: Self.examples.appendingPathComponent("contract.md")))
        let published = PublishedConsents([try ConsentTemplate(markdown.contract.resource)])
        let now: DateTime = "2026-01-01T00:00:00Z"
        let signed = template.signed(id: "c", participant: "p", sharing: true, now: now)
        #expect(published.match(signed) == .template(published.templates[0]))
    }

    @Test func aContractWithTwoEqualHeadingsIsRefused() throws {
        let template = try Fixtures.template(terms: [Fixtures.term("Privacy"), Fixtures.term("Privacy")])
        let error = try #require(throws: ConsentMarkdownError.self) { try ConsentMarkdown(template) }
        #expect(error.kind == .notRepresentable)
        #expect(error.message.contains("consent-section-repeated"))
    }
}
