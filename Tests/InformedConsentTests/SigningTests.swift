import FHIR
import Foundation
import Testing

@testable import InformedConsent

@Suite struct SigningTests {
    @Test func signedContractHasItsSubjectTemplateAndTime() throws {
        let signed = try Fixtures.signed(Fixtures.template())
        let read = try SignedContractReader.read(signed.contract, receivedAt: .distantFuture)
        #expect(read.contractID == "00000000-0000-4000-8000-00000000000b")
        #expect(read.subject == "00000000-0000-4000-8000-00000000000a")
        #expect(read.subject == signed.participant)
        #expect(read.templateURL == "https://study.example/Contract/c" && read.templateVersion == "2")
        #expect(read.signedAt == Fixtures.noon)
        #expect(read.sharing == true)
        #expect(signed.contract.applies?.start?.text == "2026-03-01T07:00:00.000-05:00")
        #expect(signed.contract.status == .executed)
        #expect(signed.contract.url == nil && signed.contract.version == nil)
        #expect(signed.contract.contained.count == 2)
        #expect(signed.contract.signer.first?.type?.code == "CONSENTER")
    }

    @Test func nameAndImageOfTheSignatureAreOnlyInTheDocument() throws {
        let image = Data("not-a-picture".utf8)
        let signed = try Fixtures.signed(Fixtures.template(), image: image)
        let sent = signed.contract.json.text() + signed.patient.json.text()
        for secret in ["Quirina", "Zschokke", image.base64EncodedString(), "1990-02-02", "02139"] {
            #expect(!sent.contains(secret), "\(secret)")
        }
        #expect(signed.document.signature.name == "Quirina Zschokke")
        #expect(signed.document.signature.date == "2026-03-01 07:00 (UTC-05:00)")
        #expect(signed.document.signature.image == image)
    }

    @Test func signingFailsWithoutEligibilityAnswersOrName() throws {
        let template = try Fixtures.template()
        var session = ConsentSession(template: template)
        let signing = ConsentSession.Signing(name: "A", now: Fixtures.noon)
        #expect(throws: ConsentError.eligibilityUnanswered(session.verdict)) { try session.sign(signing) }
        session.answers.eligibility = ["Do you work at night?": true]
        #expect(throws: ConsentError.notEligible(session.verdict)) { try session.sign(signing) }
        #expect(throws: ConsentError.nameMissing) { try Fixtures.signed(template, name: " \n") }
    }

    @Test func aParticipantKeepsTheirIdInALaterConsent() throws {
        let signed = try Fixtures.signed(Fixtures.template(), participant: "p-7")
        #expect(signed.participant == "p-7")
        #expect(signed.contract.signer.first?.party?.reference == "Patient/p-7")
    }

    @Test func theTemplateOfDSTU2IsSignedAsR4() throws {
        let template = try ConsentTemplate(Fixtures.resource(TemplateTests.dstu2))
        let answers = ConsentAnswers(eligibility: ["Adult?": true, "Pregnant?": false, "Well?": true])
        let signed = try ConsentSession(template: template, answers: answers)
            .sign(ConsentSession.Signing(name: "A", now: Fixtures.noon, makeID: Fixtures.makeID()))
        let object = signed.contract.object
        #expect(object["actor"] == nil)
        #expect(object["identifier"]?[0]?["value"]?.string == "x")
        #expect(object["contained"]?[0]?["type"]?[0]?["text"]?.string == "t")
        #expect(object["contained"]?[1]?["characteristic"]?[0]?["valueBoolean"]?.bool == true)
        #expect(object["term"]?[0]?["offer"]?["text"]?.string == "Summary")
        #expect(signed.contract.signer.first?.extension == [])
    }

    @Test func documentHasTheTextAnswersAndSharingChoice() throws {
        let template = try ConsentTemplate(
            Fixtures.template(terms: [Fixtures.termOfFile]).contract.resource,
            htmlFiles: ["long": "<p>One &amp; two</p><script>x()</script><p>Three", "other": "x"])
        #expect(template.htmlFiles.keys.sorted() == ["long"])
        let session = ConsentSession(
            template: template, answers: ConsentAnswers(eligibility: Fixtures.eligible, sharing: false))
        let layout = try session.sign(
            ConsentSession.Signing(name: "A", now: Fixtures.noon)
        ).document
        #expect(layout.sections.first?.heading == "Welcome")
        #expect(layout.sections.first?.paragraphs == ["Short", "One & two", "Three"])
        #expect(layout.eligibility.map(\.answer) == [true, false])
        #expect(layout.sharing == "My data may be used by Research team only.")
        #expect(layout.template == "https://study.example/Contract/c|2")
    }

    @Test(arguments: [
        ("a<br/>b", ["a", "b"]), ("<ul><li>x</li><li>y</li></ul>", ["• x", "• y"]), ("1 < 2 & 3", ["1 < 2 & 3"]),
        ("&#233;&#x41;&bogus;&amp", ["éA&bogus;&amp"]), ("a <!-- <p> --> b", ["a b"]), ("<p", []), ("a<b", ["a"]),
        ("<style>p{}</style>t", ["t"]), ("", []), ("<", ["<"]), ("x&nbsp;y", ["x\u{A0}y"]),
    ])
    func htmlBecomesParagraphs(html: String, paragraphs: [String]) {
        #expect(HTMLText.paragraphs(html) == paragraphs)
    }
}

@Suite struct SignedContractTests {
    func read(_ signer: String, extra: String = "", receivedAt: Date = Fixtures.noon) throws -> SignedContract {
        let text = #"{"resourceType":"Contract","id":"c",\#(extra)"signer":[\#(signer)]}"#
        return try SignedContractReader.read(Contract(Fixtures.resource(text).object), receivedAt: receivedAt)
    }

    static let consenter = """
        {"type":{"code":"CONSENTER"},"party":{"reference":"Patient/a"},
         "signature":[{"type":[],"when":"2026-01-01T00:00:00Z","who":{"reference":"Patient/a"}}]}
        """

    @Test func witnessIsNotTheConsenter() throws {
        let witness = #"{"type":{"code":"WIT"},"party":{"reference":"Patient/b"},"signature":[{"when":"2026"}]}"#
        #expect(try read(witness + "," + SignedContractTests.consenter).subject == "a")
    }

    @Test func aContractOfTwoSubjectsIsRefused() {
        let other = SignedContractTests.consenter.replacingOccurrences(of: "Patient/a", with: "Patient/b")
        #expect(throws: ConsentError.subjectUnclear) { try read(SignedContractTests.consenter + "," + other) }
        let mixed = SignedContractTests.consenter.replacingOccurrences(
            of: #""who":{"reference":"Patient/a"}"#, with: #""who":{"reference":"Patient/b"}"#)
        #expect(throws: ConsentError.subjectUnclear) { try read(mixed) }
        #expect(throws: ConsentError.subjectUnclear) {
            try read(#"{"party":{"reference":"Practitioner/a"},"signature":[{}]}"#)
        }
    }

    @Test func unsignedOrEndedContractIsNotAConsent() {
        #expect(throws: ConsentError.notSigned) { try read(#"{"party":{"reference":"Patient/a"}}"#) }
        for status in ["revoked", "cancelled", "executable", "entered-in-error"] {
            #expect(throws: ConsentError.notSigned) {
                try read(SignedContractTests.consenter, extra: #""status":"\#(status)","#)
            }
        }
    }

    @Test func signatureTimeIsNotLaterThanTheReceipt() throws {
        let received = Date(timeIntervalSince1970: 0)
        #expect(try read(SignedContractTests.consenter, receivedAt: received).signedAt == received)
        let undated = #"{"party":{"reference":"Patient/a"},"signature":[{}]}"#
        #expect(try read(undated).signedAt == Fixtures.noon)
    }

    @Test func templateIsIdentifiedByURLAndVersion() throws {
        let named = try read(SignedContractTests.consenter, extra: #""instantiatesUri":"https://x.example/a|1|2","#)
        // A URL contains no vertical bar (RFC 3986 section 2); a version is any text.
        #expect(named.templateURL == "https://x.example/a")
        #expect(named.templateVersion == "1|2")
        // An empty version differs from a template without a version.
        let empty = try read(SignedContractTests.consenter, extra: #""instantiatesUri":"https://x.example/a|","#)
        #expect(empty.templateURL == "https://x.example/a" && empty.templateVersion == "")
        #expect(try read(SignedContractTests.consenter).templateURL == nil)
    }
}
