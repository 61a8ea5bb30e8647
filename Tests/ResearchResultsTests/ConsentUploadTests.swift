import Core
import ResearchResults
import Testing

/// The checks of a consent before its upload.
@Suite struct ConsentUploadTests {
    private static let digest = String(repeating: "0123456789abcdef", count: 4)

    private func error(_ result: JSON?, image: String? = digest) -> CMHealthError? {
        do throws(CMHealthError) {
            _ = try ConsentUpload(result: result, signature: image.flatMap { BlobDigest($0) })
            return nil
        } catch { return error }
    }

    @Test(arguments: [0, 1, 40])
    func aSignatureIsFoundAtAnyDepth(levels: Int) throws {
        let result = Results.task([Results.nested(Results.signature(), levels: levels)])
        let upload = try ConsentUpload(result: result, signature: BlobDigest(Self.digest))
        #expect(upload.signatureResult.givenName == "Ann" && upload.signatureResult.familyName == "Example")
        #expect(upload.result == result && upload.document == nil)
    }

    @Test func eachMissingPartHasCMHealthsError() {
        let signed = Results.task([Results.step([Results.signature()])])
        #expect(error(nil) == .userMissingConsent && error(3) == .userMissingConsent)
        #expect(error(Results.task()) == .userMissingSignature)
        #expect(error(Results.task([Results.step([Results.signature(signature: nil)])])) == .userMissingSignature)
        #expect(error(Results.task([Results.signature(consented: false)])) == .userDidNotConsent)
        #expect(error(Results.task([Results.signature(consented: nil)])) == .userDidNotConsent)
        #expect(error(Results.task([Results.signature(consented: "true")])) == .userDidNotConsent)
        #expect(error(signed, image: nil) == .userDidNotSign)
        #expect(error(signed) == nil)
        // A name is not required (cmhealth.md: the header demands it, the code does not).
        #expect(error(Results.task([Results.signature(signature: [:])])) == nil)
    }

    @Test func aMissingConsentIsReportedBeforeAMissingImage() {
        #expect(error(Results.task([Results.signature(consented: false)]), image: nil) == .userDidNotConsent)
        #expect(error(nil, image: nil) == .userMissingConsent)
    }

    @Test func ofSeveralSignaturesAllMustConsentAndTheFirstHasTheName() throws {
        let parent = Results.signature(signature: ["givenName": "Eve", "familyName": "Other"])
        let both = Results.task([Results.step([Results.signature()]), Results.step([parent])])
        #expect(try ConsentSignature(in: both).givenName == "Ann")
        let refused = Results.task([Results.signature(), Results.signature(consented: false)])
        #expect(error(refused) == .userDidNotConsent)
    }

    @Test func aSignatureResultOfAnotherClassIsFound() throws {
        var own = Results.signature(consented: 1)
        own["_class"] = "MySignatureResult"
        #expect(try ConsentSignature(in: Results.task([own])).familyName == "Example")
    }

    @Test func theBodyOfAnUploadIsWrittenAndRead() throws {
        let result = Results.task([Results.signature()])
        let written = try ConsentUpload(
            result: result, signature: BlobDigest(Self.digest),
            document: BlobDigest(bytes: Array(repeating: 7, count: 32)))
        #expect(try ConsentUpload(json: written.json) == written)
        #expect(written.json["document"]?.string == String(repeating: "07", count: 32))
        #expect(
            try ConsentUpload(json: ["result": result, "signature": .string(Self.digest), "document": nil]).document
                == nil)
    }

    @Test(arguments: [
        ("signature", "digest-invalid"), ("document", "digest-invalid"),
    ])
    func aDigestThatIsNoneIsReported(member: String, expected: String) {
        let digests: [JSON] = [
            "", "0", .string(Self.digest.uppercased()), .string(Self.digest + "0"),
            .string(String(repeating: "g", count: 64)), 7,
        ]
        for bad in digests {
            var body: JSON = ["result": Results.task([Results.signature()]), "signature": .string(Self.digest)]
            body[member] = bad
            #expect(code { _ = try ConsentUpload(json: body) } == expected)
        }
    }

    @Test func anUploadWithoutPartsHasTheSameErrors() {
        #expect(code { _ = try ConsentUpload(json: [:]) } == "consent-result-missing")
        #expect(code { _ = try ConsentUpload(json: 7) } == "consent-result-missing")
        #expect(
            code { _ = try ConsentUpload(json: ["result": Results.task([Results.signature()])]) }
                == "signature-image-missing")
    }

    @Test func filesAreRecognizedByTheirFirstBytes() {
        #expect(ConsentFile.isSignatureImage([0xFF, 0xD8, 0xFF, 0xE0]))
        #expect(ConsentFile.isSignatureImage([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0]))
        #expect(!ConsentFile.isSignatureImage(Array("GIF89a".utf8)) && !ConsentFile.isSignatureImage([0xFF, 0xD8]))
        #expect(ConsentFile.isDocument(Array("%PDF-1.7\n".utf8)) && !ConsentFile.isDocument(Array("%PD".utf8)))
    }
}
