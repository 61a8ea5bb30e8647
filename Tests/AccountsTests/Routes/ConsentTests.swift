import Core
import Foundation
import Storage
import Testing

@testable import Accounts
@testable import Identity

/// The archive of consents (CMHealth's `CMHConsent`).
@Suite struct ConsentTests {
    static let image: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2]
    static let document = Array("%PDF-1.7 ...".utf8)

    static func result(consented: Bool = true, signature: Bool = true, depth: Int = 3) -> [UInt8] {
        var json: JSON = ["_class": "ORKStepResult", "identifier": "step"]
        if signature {
            json = [
                "_class": "ORKConsentSignatureResult", "identifier": "signature", "consented": .bool(consented),
                "signature": [
                    "_class": "ORKConsentSignature", "identifier": "participant", "givenName": "Ann",
                    "familyName": "Ström",
                ],
            ]
        }
        for level in 0..<depth {
            json = ["_class": "ORKTaskResult", "identifier": .string("level\(level)"), "results": [json]]
        }
        return json.bytes()
    }

    private func post(
        result: [UInt8]?, signature: [UInt8]?, descriptor: String = "",
        as person: AccountFixture.SignedIn, to fixture: AccountFixture
    ) async throws -> AccountAnswer {
        var body: JSON = [:]
        if let result { body["result"] = .string(try await fixture.upload(result, as: person)) }
        if let signature { body["signature"] = .string(try await fixture.upload(signature, as: person)) }
        return try await fixture.ask(.post, "consents?descriptor=\(descriptor)", as: person.token, json: body)
    }

    @Test func aConsentWithNestedSignatureIsStoredAndGivesTheProfileItsNames() async throws {
        try await AccountFixture.with { fixture in
            let ann = try await fixture.signUp("ann", profile: ["userInfo": ["kept": true]])
            #expect(try await fixture.ask(.get, "consents/current", as: ann.token).status == 204)
            let answer = try await post(result: Self.result(), signature: Self.image, as: ann, to: fixture)
            #expect(answer.status == 201, "\(answer.text)")
            let consent = try #require(answer.json["consent"])
            #expect(consent["document"] == nil)
            #expect(consent["descriptor"] == "")
            let current = try await fixture.ask(.get, "consents/current?descriptor=", as: ann.token)
            #expect(current.json == answer.json)
            let digest = try #require(consent["signature"]?.string)
            let image = try await fixture.ask(.get, "me/blobs/\(digest)", as: ann.token)
            #expect(image.bytes == Self.image)
            #expect(image.headers[.contentType] == "image/png")
            let profile = try await fixture.ask(.get, "me/profile", as: ann.token)
            #expect(profile.text == #"{"userInfo":{"kept":true},"givenName":"Ann","familyName":"Ström"}"#)
        }
    }

    @Test func theDocumentComesLater() async throws {
        try await AccountFixture.with { fixture in
            let ann = try await fixture.signUp("ann")
            let digest = try await fixture.upload(Self.document, as: ann)
            let body: JSON = ["document": .string(digest)]
            let early = try await fixture.ask(.put, "consents/current/document?descriptor=a", as: ann.token, json: body)
            #expect(early.status == 404)
            #expect(early.code == "consent-absent")
            #expect(
                try await post(result: Self.result(), signature: Self.image, descriptor: "a", as: ann, to: fixture)
                    .status == 201)
            #expect(
                try await fixture.ask(.put, "consents/current/document?descriptor=a", as: ann.token, json: body).status
                    == 204)
            let current = try await fixture.ask(.get, "consents/current?descriptor=a", as: ann.token)
            #expect(current.json["consent"]?["document"]?.string == digest)
            let other = try await fixture.upload(Self.image, as: ann)
            let wrong = try await fixture.ask(
                .put, "consents/current/document?descriptor=a", as: ann.token, json: ["document": .string(other)])
            #expect(wrong.code == "document-invalid")
        }
    }

    @Test(
        arguments: [
            (nil, image, 700, "consent-result-missing"), (Array("[1]".utf8), image, 700, "consent-result-missing"),
            (result(signature: false), image, 702, "consent-signature-missing"),
            (result(consented: false), image, 703, "consent-not-given"),
            (result(), nil, 705, "signature-image-missing"),
            (result(), Array("GIF89a".utf8), 705, "signature-image-missing"),
        ] as [([UInt8]?, [UInt8]?, Int, String)])
    func anInvalidConsentHasCMHealthsNumber(
        _ result: [UInt8]?, _ signature: [UInt8]?, number: Int, code: String
    ) async throws {
        try await AccountFixture.with { fixture in
            let ann = try await fixture.signUp("ann")
            let answer = try await post(result: result, signature: signature, as: ann, to: fixture)
            #expect(answer.status == 422, "\(answer.text)")
            #expect(answer.cmhealth == number)
            #expect(answer.code == code)
            #expect(try await fixture.ask(.get, "consents/current", as: ann.token).status == 204)
        }
    }

    @Test func eachDescriptorHasOneCurrentConsentAndAllVersionsStay() async throws {
        try await AccountFixture.with { fixture in
            let ann = try await fixture.signUp("ann")
            let team = try await fixture.member("theo", .studyTeam, of: "main")
            _ = try await post(result: Self.result(), signature: Self.image, as: ann, to: fixture)
            _ = try await post(result: Self.result(depth: 2), signature: Self.image, as: ann, to: fixture)
            _ = try await post(
                result: Self.result(depth: 4), signature: Self.image, descriptor: "b", as: ann, to: fixture)
            #expect(try await fixture.ask(.delete, "consents/current?descriptor=b", as: ann.token).status == 204)
            #expect(try await fixture.ask(.delete, "consents/current?descriptor=b", as: ann.token).status == 404)
            #expect(try await fixture.ask(.get, "consents/current?descriptor=b", as: ann.token).status == 204)
            #expect(try await fixture.ask(.get, "consents/current", as: ann.token).status == 200)
            let all = try await fixture.ask(.get, "patients/\(ann.id)/consents", as: team.token)
            let consents = try #require(all.json["consents"]?.array)
            #expect(consents.count == 3)
            #expect(consents.map { $0["withdrawn"] != nil } == [false, false, true])
            #expect(consents.map { $0["descriptor"]?.string } == ["", "", "b"])
            #expect(all.json["next"] == .null)
            let digest = try #require(consents[0]["result"]?.string)
            #expect(
                try await fixture.ask(.get, "patients/\(ann.id)/blobs/\(digest)", as: team.token).bytes == Self.result()
            )
        }
    }

    @Test func aFileHasTheDigestOfItsPathAndBelongsToOneAccount() async throws {
        try await AccountFixture.with { fixture in
            let ann = try await fixture.signUp("ann")
            let bob = try await fixture.signUp("bob")
            let digest = try await fixture.upload(Self.image, as: ann)
            let wrong = try await fixture.ask(.put, "me/blobs/\(digest)", as: ann.token, body: Self.document)
            #expect(wrong.status == 422)
            #expect(wrong.code == "blob-digest")
            #expect(try await fixture.ask(.put, "me/blobs/\(digest)", as: ann.token, body: Self.image).status == 200)
            #expect(try await fixture.ask(.get, "me/blobs/\(digest)", as: bob.token).status == 404)
            #expect(try await fixture.ask(.get, "me/blobs/ABC", as: ann.token).code == "digest-invalid")
            // A consent cannot name the file of another account.
            let result = try await fixture.upload(Self.result(), as: bob)
            let foreign = try await fixture.ask(
                .post, "consents", as: bob.token, json: ["result": .string(result), "signature": .string(digest)])
            #expect(foreign.code == "blob-missing")
        }
    }

    @Test func anAccountHasALimitOfBytes() async throws {
        try await AccountFixture.with { fixture in
            let ann = try await fixture.signUp("ann")
            try await fixture.database.write { transaction in
                _ = try transaction.execute(
                    "UPDATE person SET stored_bytes = ?", [SQLValue(PeopleStore.maximumStoredBytes - 5)])
            }
            let answer = try await fixture.ask(
                .put, "me/blobs/\(SecretDigest.hex(of: Data(Self.image)))", as: ann.token, body: Self.image)
            #expect(answer.status == 413)
            #expect(answer.code == "account-full")
            #expect(try await fixture.database.read { try $0.query("SELECT 1 AS one FROM person_blob").count } == 0)
        }
    }
}
