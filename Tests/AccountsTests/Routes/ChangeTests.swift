import Core
import HTTPTypes
import Testing

@testable import Accounts

/// Changes of one's own account, and the profile.
@Suite struct ChangeTests {
    @Test func changesNeedThePassword() async throws {
        try await AccountFixture.with { fixture in
            let ann = try await fixture.signUp("ann")
            let changes: [(HTTPRequest.Method, String, JSON)] = [
                (.put, "me/email", ["email": "new@example.org", "password": "wrong horse"]),
                (.put, "me/password", ["newPassword": "another horse", "password": "wrong horse"]),
                (.post, "me/deletion", ["password": "wrong horse"]),
            ]
            for (method, path, body) in changes {
                let answer = try await fixture.ask(method, path, as: ann.token, json: body)
                #expect(answer.status == 401, "\(path)")
                #expect(answer.cmhealth == 710)
            }
            #expect(try await fixture.signIn("ann@example.org").id == ann.id)
            #expect(try await fixture.mails(to: ann.email).count == 1)
        }
    }

    @Test func aNewAddressIsVerifiedAgainAndTheFormerOneIsNotified() async throws {
        try await AccountFixture.with { fixture in
            let ann = try await fixture.signUp("ann")
            try await fixture.verify(ann)
            _ = try await fixture.signUp("bob")
            let taken = try await fixture.ask(
                .put, "me/email", as: ann.token,
                json: ["email": "BOB@example.org", "password": .string(AccountFixture.password)])
            #expect(taken.status == 409)
            #expect(taken.cmhealth == 711)
            let answer = try await fixture.ask(
                .put, "me/email", as: ann.token,
                json: ["email": "Anna@example.org", "password": .string(AccountFixture.password)])
            #expect(answer.status == 204)
            let me = try await fixture.ask(.get, "me", as: ann.token)
            #expect(me.json["email"] == "Anna@example.org")
            #expect(me.json["verified"] == false)
            #expect(try await fixture.mails(to: "ann@example.org").count == 2)
            #expect(try await fixture.codes(to: "Anna@example.org").count == 1)
            #expect(
                try await fixture.ask(
                    .post, "sessions", json: ["email": "ann@example.org", "password": .string(AccountFixture.password)]
                ).status == 401)
            #expect(try await fixture.signIn("anna@example.org").id == ann.id)
        }
    }

    @Test func aNewPasswordEndsAllSessions() async throws {
        try await AccountFixture.with { fixture in
            let ann = try await fixture.signUp("ann")
            let answer = try await fixture.ask(
                .put, "me/password", as: ann.token,
                json: ["newPassword": "another horse", "password": .string(AccountFixture.password)])
            #expect(answer.status == 204)
            #expect(try await fixture.ask(.get, "me", as: ann.token).status == 401)
            #expect(try await fixture.signIn("ann@example.org", password: "another horse").id == ann.id)
        }
    }

    @Test func aRequestedDeletionEndsTheAccountAtOnce() async throws {
        try await AccountFixture.with { fixture in
            let ann = try await fixture.signUp("ann")
            let answer = try await fixture.ask(
                .post, "me/deletion", as: ann.token, json: ["password": .string(AccountFixture.password)])
            #expect(answer.status == 202)
            #expect(try await fixture.ask(.get, "me", as: ann.token).status == 401)
            #expect(
                try await fixture.ask(
                    .post, "sessions", json: ["email": "ann@example.org", "password": .string(AccountFixture.password)]
                ).status == 401)
            let requests = try await fixture.database.read { try PeopleStore.deletionRequests(in: $0) }
            #expect(requests.map(\.account) == [ann.id])
            #expect(requests.map(\.hasNotice) == [true])
            try await fixture.database.write { try PeopleStore.delete(ann.id, in: $0) }
            _ = try await fixture.signUp("ann")
        }
    }

    @Test func afterTheDeletionOnlyTheIdRemains() async throws {
        try await AccountFixture.with { fixture in
            let dora = try await fixture.member("dora", .careTeam, of: "main")
            let ann = try await fixture.signUp("ann", profile: ["givenName": "Anneliese"])
            _ = try await fixture.ask(.get, "patients/\(ann.id)/profile", as: dora.token)
            try await fixture.database.write { transaction in
                try PeopleStore.delete(ann.id, in: transaction)
                try transaction.execute("DELETE FROM mail_message")
            }
            let tables = try await fixture.database.read { try $0.tableNames() }
            for table in tables where table != "schema_migration" {
                let rows = try await fixture.database.read { transaction in
                    try transaction.rowTexts(of: table).joined(separator: "\n")
                }
                #expect(!rows.contains("Anneliese"), "\(table)")
                #expect(!rows.contains("ann@example.org"), "\(table)")
                if table != "patient_membership", table != "audit" { #expect(!rows.contains(ann.id), "\(table)") }
            }
        }
    }

    @Test func aProfileIsKeptLosslessAndChangedByItsTag() async throws {
        try await AccountFixture.with { fixture in
            let ann = try await fixture.signUp("ann")
            let first = try await fixture.ask(.get, "me/profile", as: ann.token)
            #expect(first.text == "{}")
            let tag = try #require(first.headers[.eTag])
            let text = #"{"isAdmin":true,"familyName":"Ström","userInfo":{"b":1.0,"a":[1e2]}}"#
            #expect(try await fixture.ask(.put, "me/profile", as: ann.token, body: Array(text.utf8)).status == 428)
            let changed = try await fixture.ask(
                .put, "me/profile", as: ann.token, body: Array(text.utf8), headers: [.ifMatch: tag])
            #expect(changed.status == 204)
            let stale = try await fixture.ask(
                .put, "me/profile", as: ann.token, body: Array("{}".utf8), headers: [.ifMatch: tag])
            #expect(stale.status == 412)
            #expect(stale.code == "profile-stale")
            let read = try await fixture.ask(.get, "me/profile", as: ann.token)
            #expect(read.text == text)
            #expect(read.headers[.eTag] == changed.headers[.eTag])
            // A member of the profile gives no right.
            #expect(try await fixture.ask(.get, "patients", as: ann.token).status == 403)
        }
    }

    @Test func aPhotoIsAnImageOrNothing() async throws {
        try await AccountFixture.with { fixture in
            let ann = try await fixture.signUp("ann")
            #expect(try await fixture.ask(.get, "me/photo", as: ann.token).status == 204)
            let refused = try await fixture.ask(.put, "me/photo", as: ann.token, body: Array("<html>".utf8))
            #expect(refused.status == 422)
            #expect(refused.cmhealth == 706)
            let image: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3]
            #expect(try await fixture.ask(.put, "me/photo", as: ann.token, body: image).status == 204)
            #expect(try await fixture.ask(.put, "me/photo", as: ann.token, body: image + [4]).status == 204)
            let photo = try await fixture.ask(.get, "me/photo", as: ann.token)
            #expect(photo.bytes == image + [4])
            #expect(photo.headers[.contentType] == "image/jpeg")
            // The former photo is not kept.
            #expect(try await fixture.database.read { try $0.query("SELECT 1 AS one FROM person_blob").count } == 1)
        }
    }
}
