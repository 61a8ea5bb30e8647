import AccountClient
import Core
import Foundation
import HTTPTransport
import ResearchResults
import Testing

@Suite struct AccountDataTests {
    @Test func aProfileIsLossless() async throws {
        let phone = try AccountFixture()
        let client = try await phone.member()
        let text = #"{"x":{"n":1.50,"list":[null,true]},"isAdmin":true,"givenName":"Ann"}"#
        var stored = try await client.profile()
        stored.profile = try AccountProfile(json: JSON(parsing: text))
        try await client.save(stored)
        #expect(try await client.profile().profile.json.text() == text)
        #expect(try await client.storedProfile()?.profile.json.text() == text)
    }

    @Test func aStaleProfileIsAnErrorThatChangesNothing() async throws {
        let phone = try AccountFixture()
        let client = try await phone.member()
        let other = try phone.client("other")
        try await other.login(email: "ann@example.org", password: "good password")
        var stale = try await client.profile()
        try await other.updateProfile { $0.givenName = "Other" }
        stale.profile.givenName = "Stale"
        let error = await thrown { try await client.save(stale) } as? AccountClientError
        #expect(error?.reason == .profileStale && error?.status == 412)
        #expect(try await client.profile().profile.givenName == "Other")
    }

    @Test func anUpdateIsAppliedToTheNewVersion() async throws {
        let phone = try AccountFixture()
        let client = try await phone.member()
        let other = try phone.client("other")
        try await other.login(email: "ann@example.org", password: "good password")
        try await other.updateProfile { $0["first"] = 1 }
        await phone.model.fail(.answer(ModelAccounts.problem(412, code: "profile-stale")), after: 1)
        let saved = try await client.updateProfile { $0["second"] = 2 }
        #expect(saved.profile.json.text() == #"{"first":1,"second":2}"#)
        for index in [1, 3, 5] {
            await phone.model.fail(.answer(ModelAccounts.problem(412, code: "profile-stale")), after: index)
        }
        let error = await thrown { try await client.updateProfile { $0["third"] = 3 } } as? AccountClientError
        #expect(error?.reason == .profileStale)
    }

    @Test func aProfileThatIsNoneSendsNothing() async throws {
        let phone = try AccountFixture()
        let client = try await phone.member()
        var profile = AccountProfile()
        profile["givenName"] = 1
        let error = await thrown { try await client.save(StoredProfile(profile: profile, tag: "\"v1\"")) }
        #expect((error as? ResearchResultError)?.reason == .profileInvalid)
        let header = await thrown { try await client.save(StoredProfile(profile: AccountProfile(), tag: "a\r\nb")) }
        #expect((header as? AccountClientError)?.reason == .profilePrecondition)
        #expect(await phone.model.takeLines() == [])
    }

    @Test func aPhotoGoesUpAndDown() async throws {
        let phone = try AccountFixture()
        let client = try await phone.member()
        #expect(try await client.photo() == nil)
        for (bytes, type) in [(AccountFixture.jpeg, "image/jpeg"), (AccountFixture.png, "image/png")] {
            try await client.savePhoto(bytes)
            let photo = try #require(try await client.photo())
            #expect(photo.bytes == bytes && photo.mediaType == type)
        }
        _ = await phone.model.takeLines()
        #expect(await number { try await client.savePhoto(AccountFixture.pdf) } == 706)
        #expect(await phone.model.takeLines() == [])
    }

    @Test func addressPasswordSharingAndVerificationChange() async throws {
        let phone = try AccountFixture()
        let client = try await phone.member()
        _ = try await phone.member("bob@example.org", on: "other")
        #expect((await thrown { try await client.verify(code: "C9") } as? AccountClientError)?.reason == .codeInvalid)
        #expect(try await client.verify(code: "C1").isVerified)
        #expect(try await client.setSharing(false).isSharing == false)
        #expect(await number { try await client.changeEmail(to: "new@example.org", password: "wrong") } == 710)
        #expect(await number { try await client.changeEmail(to: "bob@example.org", password: "good password") } == 711)
        #expect(
            try await client.changeEmail(to: "new@example.org", password: "good password").email == "new@example.org")
        try await client.changePassword("good password", to: "other password")
        try await client.logout()
        try await client.login(email: "new@example.org", password: "other password")
        let access = try await client.access()
        #expect(access.mayRead.map(\.role) == ["care-team"] && access.read.map(\.what) == ["profile"])
        #expect(
            access.json.text()
                == #"{"mayRead":[{"account":"t1","role":"care-team","until":null}],"read":[{"at":"2026-11-29T04:00:00.000Z","account":"t1","what":"profile"}]}"#
        )
    }

    @Test func aResetNeedsNoSessionAndEndsAll() async throws {
        let phone = try AccountFixture()
        let client = try await phone.member()
        let other = try phone.client("other")
        try await other.requestPasswordReset(email: "eve@example.org")
        try await other.requestPasswordReset(email: "ann@example.org")
        let code = try #require(await phone.model.account("ann@example.org")?.code)
        let wrong = await thrown { try await other.resetPassword(code: "no", newPassword: "other password") }
        #expect((wrong as? AccountClientError)?.reason == .codeInvalid)
        try await other.resetPassword(code: code, newPassword: "other password")
        let again = await thrown { try await other.resetPassword(code: code, newPassword: "other password") }
        #expect((again as? AccountClientError)?.status == 410)
        #expect(await number { _ = try await client.holder() } == 708)
        try await client.login(email: "ann@example.org", password: "other password")
    }
}

@Suite struct ConsentTests {
    @Test func aConsentIsUploadedAndFetchedWithItsFiles() async throws {
        let phone = try AccountFixture()
        let client = try await phone.member()
        #expect(try await client.consent(descriptor: "sleep") == nil)
        _ = await phone.model.takeLines()
        let result = AccountFixture.consent()
        let uploaded = try await client.uploadConsent(
            result: result, signature: AccountFixture.jpeg, document: AccountFixture.pdf, descriptor: "sleep")
        let lines = await phone.model.takeLines()
        #expect(lines.prefix(3).allSatisfy { $0.hasPrefix("PUT me/blobs/") })
        #expect(lines.dropFirst(3) == ["POST consents?descriptor=sleep", "GET me/profile"])
        let consent = try #require(try await client.consent(descriptor: "sleep"))
        #expect(consent == uploaded && consent.withdrawn == nil)
        #expect(try await client.result(of: consent) == result)
        #expect(try await client.signature(of: consent).bytes == AccountFixture.jpeg)
        #expect(try await client.document(of: consent) == AccountFixture.pdf)
        #expect(try await client.consent() == nil)
        #expect(await client.state.profile?.givenName == "Ann")
    }

    @Test func theDocumentMayFollow() async throws {
        let phone = try AccountFixture()
        let client = try await phone.member()
        let absent = await thrown { try await client.addConsentDocument(AccountFixture.pdf) } as? AccountClientError
        #expect(absent?.reason == .consentAbsent && absent?.cmhealth == .notFound)
        let first = try await client.uploadConsent(result: AccountFixture.consent(), signature: AccountFixture.png)
        #expect(first.document == nil && first.descriptor == "")
        #expect(try await client.document(of: first) == nil)
        try await client.addConsentDocument(AccountFixture.pdf)
        let second = try #require(try await client.consent())
        #expect(try await client.document(of: second) == AccountFixture.pdf)
    }

    @Test func aWithdrawnConsentIsNotCurrent() async throws {
        let phone = try AccountFixture()
        let client = try await phone.member()
        try await client.uploadConsent(result: AccountFixture.consent(), signature: AccountFixture.png)
        try await client.withdrawConsent()
        #expect(try await client.consent() == nil)
        let error = await thrown { try await client.withdrawConsent() } as? AccountClientError
        #expect(error?.reason == .consentAbsent && error?.cmhealth.number == 803)
    }

    @Test func anInvalidConsentSendsNothing() async throws {
        let phone = try AccountFixture()
        let client = try await phone.member()
        let (good, jpeg) = (AccountFixture.consent(), AccountFixture.jpeg)
        #expect(await number { try await client.uploadConsent(result: nil, signature: jpeg) } == 700)
        #expect(await number { try await client.uploadConsent(result: ["results": []], signature: jpeg) } == 702)
        let refused = AccountFixture.consent(consented: false)
        #expect(await number { try await client.uploadConsent(result: refused, signature: jpeg) } == 703)
        #expect(await number { try await client.uploadConsent(result: good, signature: nil) } == 705)
        #expect(await number { try await client.uploadConsent(result: good, signature: Data([1])) } == 705)
        let document = await thrown { try await client.uploadConsent(result: good, signature: jpeg, document: jpeg) }
        #expect((document as? AccountClientError)?.reason == .fileInvalid)
        #expect(await number { try await client.addConsentDocument(jpeg) } == 706)
        let long = String(repeating: "d", count: 300)
        #expect(await number { _ = try await client.consent(descriptor: long) } == 804)
        #expect(await phone.model.takeLines() == [])
    }

    /// A file that arrives with other bytes is not returned.
    @Test func aFileMustHaveItsDigest() async throws {
        let phone = try AccountFixture()
        let client = try await phone.member()
        let consent = try await client.uploadConsent(result: AccountFixture.consent(), signature: AccountFixture.png)
        await phone.model.fail(.answer(TransportResponse(status: 200, body: AccountFixture.jpeg)))
        #expect(await number { _ = try await client.signature(of: consent) } == 805)
        await phone.model.fail(.answer(ModelAccounts.problem(422, code: "blob-digest")))
        let error =
            await thrown {
                try await client.uploadConsent(result: AccountFixture.consent(), signature: AccountFixture.png)
            } as? AccountClientError
        #expect(error?.reason == .blobDigest && error?.cmhealth == .failedToUploadFile)
    }

    /// A connection that breaks at any request of an upload leaves no consent without its files.
    @Test func anInterruptedUploadIsRepeated() async throws {
        for index in 0...3 {
            let phone = try AccountFixture()
            let client = try await phone.member()
            await phone.model.fail(.loseRequest, after: index)
            let upload = {
                try await client.uploadConsent(
                    result: AccountFixture.consent(), signature: AccountFixture.png, document: AccountFixture.pdf)
            }
            #expect(await number { _ = try await upload() } == 801)
            #expect(try await client.consent() == nil)
            let consent = try await upload()
            #expect(try await client.document(of: consent) == AccountFixture.pdf)
        }
    }
}
