import FHIR
import Foundation
import Testing

@testable import InformedConsent

@Suite struct PublishedConsentsTests {
    private static func state(_ version: String, _ codes: String...) throws -> ConsentTemplate {
        let extensions = zip([ConsentVocabulary.status, ConsentVocabulary.change], codes)
            .map { #"{"url":"\#($0)","valueCode":"\#($1)"}"# }.joined(separator: ",")
        let template = try Fixtures.template(
            terms: [Fixtures.term("Overview", text: "Words of \(version)")], extra: #""extension":[\#(extensions)],"#)
        var contract = template.contract
        contract.version = version
        return try ConsentTemplate(contract.resource)
    }

    private static func signed(_ template: ConsentTemplate) throws -> Contract {
        try Fixtures.signed(template, sharing: template.asksForSharing ? true : nil).contract
    }

    private static func read(_ contract: Contract) throws -> SignedContract {
        try SignedContractReader.read(contract, receivedAt: Fixtures.noon)
    }

    @Test func theTextHasOneFormAndOneDigest() throws {
        let terms = try Fixtures.template(extra: #""language":"en","#).terms
        #expect(
            String(decoding: terms.canonicalForm, as: UTF8.self)
                == #"{"criteria":[{"mustBeMet":true,"text":"Are you 18 or older?"},{"mustBeMet":false,"text":"#
                + #""Do you work at night?"}],"inclusions":[],"language":"en","sections":[{"kind":"Overview","summary":"Words","#
                + #""title":"Welcome"}],"sharing":"asked","team":"Research team","title":"A study"}"#)
        #expect(terms.digest == "1dc329c1d80c0a690d9f42b7bf0c359233ca07b294188b0cebca2a270b3ff57d")
        #expect(
            try Self.signed(Fixtures.template()).extension(ConsentVocabulary.digest)?.value?.json.string
                == Fixtures.template().terms.digest)
    }

    @Test func signedContractMatchesItsTemplateWithAndWithoutTheDigest() throws {
        let template = try Fixtures.template(
            terms: [Fixtures.termOfFile, Fixtures.term("Custom")],
            extra: #""extension":[{"url":"urn:tributary:includes-health-data","valueCode":"routes"}],"#)
        let consents = PublishedConsents([template])
        var contract = try Self.signed(template)
        #expect(consents.match(contract) == .template(template))
        contract.extension = contract.extension.filter { $0.url != ConsentVocabulary.digest }
        #expect(consents.match(contract) == .template(template))
        // An app may copy the template and add only the signature.
        var copied = template.contract
        copied.status = .executed
        copied.signer = contract.signer
        #expect(consents.match(copied) == .template(template))
        #expect(PublishedConsents([try Fixtures.template()]).match(contract) == .none)
    }

    /// Returns the values that differ from one in a single element: a changed text, a removed or inserted member or
    /// element.
    private static func damaged(_ value: JSON, except isOutside: (String) -> Bool = { _ in false }) -> [JSON] {
        switch value {
        case .object(let object):
            let changed = object.members.filter { !isOutside($0.key) }.flatMap { member in
                let inner: [JSON?] = damaged(member.value) + [nil]
                return inner.map { inner in
                    var copy = object
                    copy[member.key] = inner
                    return JSON.object(copy)
                }
            }
            var more = object
            more["addedMember"] = "x"
            return changed + [.object(more)]
        case .array(let elements):
            let changed = elements.indices.flatMap { index in
                let inner: [JSON?] = damaged(elements[index]) + [nil]
                return inner.map { inner in
                    var copy = elements
                    copy.replaceSubrange(index...index, with: inner.map { [$0] } ?? [])
                    return JSON.array(copy)
                }
            }
            return changed + [.array(elements + [elements.first ?? "x"])]
        case .string(let text): return [.string(text + "x")]
        case .bool(let flag): return [.bool(!flag)]
        case .number, .null: return ["x"]
        }
    }

    @Test func damagedContractDoesNotMatchTheTemplate() throws {
        let section =
            #"{"type":{"coding":[{"system":"\#(ConsentVocabulary.sectionType)","code":"Privacy"}]},"text":"Short","#
            + #""offer":{"text":"Short"},"extension":[{"url":"\#(ConsentVocabulary.section)","extension":["#
            + #"{"url":"title","valueString":"T"},{"url":"htmlContent","valueString":"<p>All</p>"}]}]}"#
        let template = try Fixtures.template(
            terms: [section],
            extra: #""language":"en","extension":[{"url":"urn:tributary:includes-health-data","valueCode":"routes"},"#
                + #"{"url":"urn:tributary:asks-for-data-sharing","valueBoolean":true}],"#)
        let consents = PublishedConsents([template])
        let contract = try Self.signed(template)
        #expect(consents.match(contract) == .template(template))
        let outside: Set = ["id", "status", "applies", "signer", "resourceType"]
        let all = Self.damaged(contract.json, except: outside.contains)
        #expect(all.count > 100)
        var counted: [String] = []
        for damaged in all {
            guard let damaged = damaged.object.map({ Contract($0) }) else { continue }
            if consents.match(damaged) != .none { counted.append(damaged.json.text()) }
        }
        // The text is equal except for names of files, and for elements that the template repeats and signing fills in.
        let undamaged = contract.json.text()
        let harmless = [
            #","offer":{"text":"Short"}"#, #""valueBoolean":true,"exclude":false"#,
            #""valueBoolean":true,"exclude":true"#,
            #""instantiatesUri":"#, #"{"url":"urn:tributary:consent-digest""#,
        ]
        let harmful = counted.filter { text in
            !harmless.contains { undamaged.contains($0) && !text.contains($0) }
                && !text.contains(#"","addedMember":"x"}],"term""#)
        }
        #expect(counted.count > 3 && harmful == [])
    }

    @Test func sharingChoiceIsPresentExactlyWhenTheTemplateAsksForIt() throws {
        let asked = try Fixtures.template(
            extra: #""extension":[{"url":"urn:tributary:asks-for-data-sharing","valueBoolean":true}],"#)
        var contract = try Self.signed(asked)
        contract.signer[0].extension = []
        #expect(PublishedConsents([asked]).match(contract) == .none)
        let silent = try Fixtures.template(
            extra: #""extension":[{"url":"urn:tributary:asks-for-data-sharing","valueBoolean":false}],"#)
        var consent = try Self.signed(silent)
        #expect(PublishedConsents([silent]).match(consent) == .template(silent))
        consent.signer[0].extension = [Extension(url: ConsentVocabulary.sharing, value: .boolean(true))]
        #expect(PublishedConsents([silent]).match(consent) == .none)
    }

    @Test func phonesFullTextMatchesInlineOrInAFile() throws {
        let bare = try Fixtures.template(terms: [Fixtures.termOfFile])
        let template = try ConsentTemplate(bare.contract.resource, htmlFiles: ["long": "<p>All of it</p>"])
        let consents = PublishedConsents([template])
        for shown in [bare, template, template.withFilesInside] {
            #expect(consents.match(try Self.signed(shown)) == .template(template))
        }
        #expect(template.withFilesInside.terms == template.terms && bare.terms != template.terms)
        let other = try ConsentTemplate(bare.contract.resource, htmlFiles: ["long": "<p>Something else</p>"])
        #expect(consents.match(try Self.signed(other)) == .none)
        #expect(consents.match(try Self.signed(other.withFilesInside)) == .none)
    }

    @Test func severalVersionsCanBeSigned() throws {
        let versions = [
            try Self.state("1", "retired"), try Self.state("2", "accepted", "major"),
            try Self.state("2.1", "accepted", "minor"), try Self.state("2.2", "current", "editorial"),
        ]
        let consents = PublishedConsents(versions)
        let matches = try versions.map { consents.match(try Self.signed($0)) }
        #expect(matches == [.retired, .template(versions[1]), .template(versions[2]), .template(versions[3])])
        let changes = try versions.map { consents.change(since: try Self.read(Self.signed($0))) }
        #expect(changes == [.major, .minor, .editorial, nil])
        #expect(consents.bundle.entry.compactMap { $0.resource?.as(Contract.self)?.version } == ["2.2", "2.1", "2"])
        // A version that is no longer published keeps its order; another consent has none.
        var signed = try Self.read(Self.signed(Self.state("0.9")))
        #expect(consents.change(since: signed) == .major)
        signed = signed.withoutTerms
        #expect(consents.change(since: signed) == nil)
    }

    @Test func unknownCodeCountsAsTheStricterOne() throws {
        let template = try Self.state("1", "Current", "Minor")
        #expect(template.status == .retired && template.change == .major)
        #expect(try Fixtures.template().status == .current && Fixtures.template().change == .major)
    }

    @Test func aContractOfC3PROIsFoundByItsWording() throws {
        let template = try ConsentTemplate(Fixtures.resource(TemplateTests.dstu2))
        var signed = template.contract
        signed.object["title"] = "Another title"
        #expect(PublishedConsents([template]).matchOfC3PRO(signed) == .template(template))
        signed.object["term"]?.withElements { $0.append($0[0]) }
        #expect(PublishedConsents([template]).matchOfC3PRO(signed) == .none)
        #expect(PublishedConsents([template]).match(template.contract) != .none)
    }

    @Test func includedHealthDataIsThatOfTheTemplate() throws {
        let template = try Fixtures.template(
            extra: #""extension":[{"url":"urn:tributary:includes-health-data","valueCode":"routes"}],"#)
        let signed = try Self.read(Self.signed(template))
        #expect(signed.of(template).includedHealthData == ["routes"])
        #expect(signed.of(try Fixtures.template()).includedHealthData == [])
        #expect(signed.withoutTerms.includedHealthData == [] && signed.withoutTerms.templateURL == nil)
    }
}
