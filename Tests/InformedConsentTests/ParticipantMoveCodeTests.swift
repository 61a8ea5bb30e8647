import FHIR
import Foundation
import Testing

@testable import InformedConsent

@Suite struct ParticipantMoveCodeTests {
    static let secret = "abcdefghijklmnopqrstuvwxyz"

    @Test(arguments: ["p-7", "a.b.c", "00000000-0000-4000-8000-00000000000a", String(repeating: "Z", count: 64)])
    func aCodeNamesItsParticipant(participant: String) throws {
        let code = try #require(ParticipantMoveCode(text: Self.secret + "." + participant))
        #expect(code.secret == Self.secret && code.participant == participant)
        #expect(code.text == Self.secret + "." + participant)
        #expect(ParticipantMoveCode(secret: Self.secret, participant: participant) == code)
    }

    @Test func allCharactersOfBase32AreAccepted() {
        #expect(ParticipantMoveCode(text: "234567qrstuvwxyz234567abcd.p") != nil)
    }

    @Test(arguments: [
        "", ".", "p-7", "abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnopqrstuvwxyz.", "abcdefghijklmnopqrstuvwxy.p",
        "abcdefghijklmnopqrstuvwxyzz.p", "ABCDEFGHIJKLMNOPQRSTUVWXYZ.p", "abcdefghijklmnopqrstuvwxy1.p",
        "abcdefghijklmnopqrstuvwxy8.p", "abcdefghijklmnopqrstuvwx.yz.p", "abcdefghijklmnopqrstuvwxyz.p_7",
        "abcdefghijklmnopqrstuvwxyz.p/7", " abcdefghijklmnopqrstuvwxyz.p", "abcdefghijklmnopqrstuvwxyz.p\n",
        "abcdefghijklmnopqrstuvwxyé.p", "abcdefghijklmnopqrstuvwxyz.é",
        "abcdefghijklmnopqrstuvwxyz." + String(repeating: "a", count: 65),
        "abcdefghijklmnopqrstuvwxyz." + String(repeating: "a", count: 100_000),
    ])
    func otherTextsAreRefused(text: String) {
        #expect(ParticipantMoveCode(text: text) == nil)
    }

    @Test func aCodeDoesNotPrintItsSecret() throws {
        let code = try #require(ParticipantMoveCode(text: Self.secret + ".p-7"))
        var dumped = ""
        dump(code, to: &dumped)
        for text in ["\(code)", String(reflecting: code), dumped] {
            #expect(!text.contains(Self.secret) && text.contains("p-7"))
        }
    }

    @Test func theContractIsSignedForTheParticipantOfTheCodeAndCarriesIt() throws {
        let code = try #require(ParticipantMoveCode(text: Self.secret + ".p-7"))
        let answers = ConsentAnswers(eligibility: Fixtures.eligible, sharing: true)
        let signed = try ConsentSession(template: Fixtures.template(), answers: answers)
            .sign(.init(name: "A", now: Fixtures.noon, participant: "another", moveCode: code))
        #expect(signed.participant == "p-7")
        #expect(signed.contract.signer.first?.party?.reference == "Patient/p-7")
        #expect(
            signed.contract.extension(ConsentVocabulary.moveCode)?.json
                == ["url": "urn:tributary:move-code", "valueString": .string(code.text)])
        #expect(try signed.contract.moveCode() == code)
        // The code is sent only to the study.
        #expect(!signed.patient.json.text().contains(Self.secret))
        #expect(!"\(signed.document)".contains(Self.secret))
    }

    @Test func signedContractDoesNotCopyTheCodeOfItsTemplate() throws {
        let template = try Fixtures.template(
            extra: """
                "extension":[{"url":"urn:tributary:includes-health-data","valueCode":"routes"},
                 {"url":"urn:tributary:move-code","valueString":"\(Self.secret).p-7"}],
                """)
        let signed = try Fixtures.signed(template)
        #expect(try signed.contract.moveCode() == nil)
        #expect(signed.contract.includedHealthData == ["routes"])
    }

    @Test(arguments: [
        #"{"url":"urn:tributary:move-code","valueString":"x"}"#, #"{"url":"urn:tributary:move-code"}"#,
        #"{"url":"urn:tributary:move-code","valueCode":"abcdefghijklmnopqrstuvwxyz.p"}"#,
        #"{"url":"urn:tributary:move-code","valueString":7}"#,
        """
        {"url":"urn:tributary:move-code","valueString":"abcdefghijklmnopqrstuvwxyz.p"},
        {"url":"urn:tributary:move-code","valueString":"abcdefghijklmnopqrstuvwxyz.q"}
        """,
    ])
    func unreadableCodeIsAnError(extensions: String) throws {
        let contract = Contract(
            try Fixtures.resource(#"{"resourceType":"Contract","extension":[\#(extensions)]}"#).object)
        #expect(throws: ConsentError.moveCodeInvalid) { try contract.moveCode() }
        #expect(ConsentError.moveCodeInvalid.code == "move-code-invalid")
    }
}
