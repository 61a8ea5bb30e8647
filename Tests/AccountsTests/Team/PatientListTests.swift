import AccessPolicy
import AccessTestSupport
import Core
import Foundation
import Storage
import StorageTestSupport
import TestSupport
import Testing

@testable import Accounts

/// The list of patients and its cursor.
@Suite struct PatientListTests {
    /// The list in a reader's app.
    struct LocalList {
        var cursor: String?
        var visible: Set<String> = []

        /// Reads pages until one is empty.
        mutating func pull(_ reader: AccountFixture.SignedIn, _ fixture: AccountFixture) async throws -> Pulled {
            var pulled = Pulled()
            for _ in 0..<1_000 {
                let path = "patients" + (cursor.map { "?after=\($0)" } ?? "")
                let answer = try await fixture.ask(.get, path, as: reader.token)
                #expect(answer.status == 200, "\(answer.text)")
                cursor = try #require(answer.json["next"]?.string)
                let patients = answer.json["patients"]?.array ?? []
                let left = (answer.json["left"]?.array ?? []).compactMap(\.string)
                if patients.isEmpty, left.isEmpty { return pulled }
                pulled.pages += 1
                for patient in patients {
                    let id = patient["patient"]?.string ?? ""
                    visible.insert(id)
                    pulled.changed[id, default: []].formUnion((patient["changed"]?.array ?? []).compactMap(\.string))
                    pulled.names[id] = patient["name"]
                }
                visible.subtract(left)
                pulled.left += left
            }
            Issue.record("the list does not end")
            return pulled
        }
    }

    struct Pulled {
        var pages = 0
        var changed: [String: Set<String>] = [:]
        var names: [String: JSON] = [:]
        var left: [String] = []
    }

    @Test func aReaderGetsAllPatientsThenTheChangesThenNothing() async throws {
        try await AccountFixture.with { fixture in
            let ann = try await fixture.signUp("ann", profile: ["givenName": "Ann", "familyName": "Ström"])
            let bob = try await fixture.signUp("bob", group: "other")
            let dora = try await fixture.member("dora", .careTeam, of: "main")
            var list = LocalList()
            let first = try await list.pull(dora, fixture)
            #expect(list.visible == [ann.id])
            #expect(first.names[ann.id] == "Ann Ström")
            #expect(first.changed[ann.id] == ["profile"])
            #expect(try await list.pull(dora, fixture).pages == 0)
            _ = try await fixture.ask(.put, "me/photo", as: ann.token, body: [0xFF, 0xD8, 0xFF, 0])
            _ = try await fixture.ask(.put, "me/photo", as: bob.token, body: [0xFF, 0xD8, 0xFF, 0])
            let second = try await list.pull(dora, fixture)
            #expect(second.changed == [ann.id: ["photo"]])
            _ = try await fixture.ask(.put, "me/sharing", as: ann.token, json: ["sharing": false])
            #expect(try await list.pull(dora, fixture).left == [ann.id])
            _ = try await fixture.ask(.put, "me/sharing", as: ann.token, json: ["sharing": true])
            #expect(try await list.pull(dora, fixture).changed.keys.sorted() == [ann.id])
        }
    }

    @Test func aStudyTeamGetsNoNames() async throws {
        try await AccountFixture.with { fixture in
            let ann = try await fixture.signUp("ann", profile: ["givenName": "Ann"])
            let theo = try await fixture.member("theo", .studyTeam, of: "main")
            let answer = try await fixture.ask(.get, "patients", as: theo.token)
            let patient = try #require(answer.json["patients"]?.array?.first)
            #expect(patient["patient"]?.string == ann.id)
            #expect(patient["name"] == .null)
            #expect(patient["email"] == .null)
            // A change of the profile is no news for a reader without access to profiles.
            var list = LocalList()
            _ = try await list.pull(theo, fixture)
            _ = try await fixture.ask(.put, "me/photo", as: ann.token, body: [0xFF, 0xD8, 0xFF, 0])
            #expect(try await list.pull(theo, fixture).pages == 0)
        }
    }

    @Test func aMemberOfATeamIsNoPatient() async throws {
        try await AccountFixture.with { fixture in
            let dora = try await fixture.member("dora", .careTeam, of: "main")
            let emil = try await fixture.signUp("emil")
            var list = LocalList()
            _ = try await list.pull(dora, fixture)
            #expect(list.visible == [emil.id])
            let grant = try await fixture.store.grant(.observer, to: emil.id, group: "other", until: nil, by: site)
            _ = try await list.pull(dora, fixture)
            #expect(list.visible.isEmpty)
            try await fixture.store.revokeGrant(grant, by: site)
            _ = try await list.pull(dora, fixture)
            #expect(list.visible == [emil.id])
        }
    }

    @Test func theListHasPages() async throws {
        try await AccountFixture.with { fixture in
            let dora = try await fixture.member("dora", .careTeam, of: "*")
            try await fixture.addPatients(250, group: "main")
            var list = LocalList()
            let pulled = try await list.pull(dora, fixture)
            #expect(list.visible.count == 250)
            #expect(pulled.pages == 3)
            // The end of the grant reports all of them as left, in pages too.
            let grants = try await fixture.store.list(account: dora.id, by: site).first?.grants ?? []
            _ = try await fixture.store.grant(.careTeam, to: dora.id, group: "other", until: nil, by: site)
            try await fixture.store.revokeGrant(try #require(grants.first?.id), by: site)
            let gone = try await list.pull(dora, fixture)
            #expect(gone.left.count == 250)
            #expect(list.visible.isEmpty)
        }
    }

    @Test func aReaderWhoseLastGrantEndsStillFindsOutWhoLeft() async throws {
        try await AccountFixture.with { fixture in
            let ann = try await fixture.signUp("ann")
            let dora = try await fixture.member("dora", .careTeam, of: "main", until: fixture.clock.now + 60)
            var list = LocalList()
            _ = try await list.pull(dora, fixture)
            fixture.clock.advance(61)
            let cursor = try #require(list.cursor)
            let page = try await fixture.ask(.get, "patients?after=\(cursor)", as: dora.token)
            #expect(page.json["left"] == [.string(ann.id)])
            #expect(page.json["patients"] == [])
            let next = try #require(page.json["next"]?.string)
            for path in ["patients", "patients?after=\(next)", "patients/\(ann.id)/profile"] {
                #expect(try await fixture.ask(.get, path, as: dora.token).status == 403, "\(path)")
            }
        }
    }

    @Test func cursorsOfOthersAndChangedOnesAreRefused() async throws {
        try await AccountFixture.with { fixture in
            _ = try await fixture.signUp("ann")
            let dora = try await fixture.member("dora", .careTeam, of: "main")
            let theo = try await fixture.member("theo", .careTeam, of: "main")
            let cursor = try #require(try await fixture.ask(.get, "patients", as: dora.token).json["next"]?.string)
            for (text, token) in [
                (cursor, theo.token), (cursor + "AA", dora.token), ("", dora.token), ("x", dora.token),
            ] {
                let answer = try await fixture.ask(.get, "patients?after=\(text)", as: token)
                #expect(answer.status == 400)
                #expect(answer.code == "cursor-invalid")
            }
        }
    }

    @Test func aCursorFromBeforeARestoreStartsAgain() async throws {
        try await AccountFixture.with { fixture in
            let ann = try await fixture.signUp("ann")
            let dora = try await fixture.member("dora", .careTeam, of: "main")
            var list = LocalList()
            _ = try await list.pull(dora, fixture)
            try await fixture.database.write { try PeopleStore.renew(in: $0) }
            #expect(try await fixture.ask(.get, "patients", as: dora.token).status == 401)
            let again = try await fixture.signIn(dora.email)
            let former = try #require(list.cursor)
            #expect(try await fixture.ask(.get, "patients?after=\(former)", as: again.token).json["restart"] == true)
            let pulled = try await list.pull(again, fixture)
            #expect(pulled.changed.keys.sorted() == [ann.id])
        }
    }

    /// Random changes of patients, groups and grants; after each pull the app of each reader has exactly the visible
    /// patients, and has seen each change.
    @Test func noChangeIsMissed() async throws {
        let seed = Seeded.newSeed()
        var generator = Seeded(seed)
        for round in 0..<6 {
            try await AccountFixture.with(groups: ["a", "b", "c"]) { fixture in
                var patients: [AccountFixture.SignedIn] = []
                var readers: [(person: AccountFixture.SignedIn, list: LocalList)] = []
                for (index, role) in [TeamRole.careTeam, .studyTeam, .observer].enumerated() {
                    let reader = try await fixture.member("reader\(index)", role, of: ["a", "b", "*"][index])
                    readers.append((reader, LocalList()))
                }
                var changedSince: [Int: [String: Set<String>]] = [:]
                for step in 0..<60 {
                    let patient = patients.randomElement(using: &generator)
                    switch Int.random(in: 0..<9, using: &generator) {
                    case 0, 1:
                        patients.append(
                            try await fixture.signUp(
                                "p\(step)", group: ["a", "b", "c"].randomElement(using: &generator)))
                    case 2:
                        guard let patient else { continue }
                        let text = #"{"x":\#(step)}"#
                        _ = try await fixture.ask(
                            .put, "me/profile", as: patient.token, body: Array(text.utf8), headers: [.ifMatch: "*"])
                        for index in readers.indices {
                            changedSince[index, default: [:]][patient.id, default: []].insert("profile")
                        }
                    case 3:
                        guard let patient else { continue }
                        let isOn = Bool.random(using: &generator)
                        _ = try await fixture.ask(.put, "me/sharing", as: patient.token, json: ["sharing": .bool(isOn)])
                    case 4:
                        guard let patient, patients.count > 3 else { continue }
                        try await fixture.database.write { try PeopleStore.delete(patient.id, in: $0) }
                        patients.removeAll { $0.id == patient.id }
                        for index in readers.indices { changedSince[index]?[patient.id] = nil }
                    case 5:
                        guard let reader = readers.randomElement(using: &generator) else { continue }
                        let role = TeamRole.allCases.randomElement(using: &generator) ?? .observer
                        let end = Bool.random(using: &generator) ? fixture.clock.now + 100 : nil
                        _ = try await fixture.store.grant(
                            role, to: reader.person.id,
                            group: ["a", "b", "c", "*"].randomElement(using: &generator) ?? "a",
                            until: end, by: site)
                    case 6:
                        guard let reader = readers.randomElement(using: &generator) else { continue }
                        let grants =
                            try await fixture.store.list(account: reader.person.id, by: site).first?.grants ?? []
                        if grants.count > 1, let grant = grants.randomElement(using: &generator) {
                            try await fixture.store.revokeGrant(grant.id, by: site)
                        }
                    case 7: fixture.clock.advance(40)
                    default:
                        let index = Int.random(in: 0..<readers.count, using: &generator)
                        let reader = readers[index].person
                        guard try await fixture.ask(.get, "patients", as: reader.token).status == 200 else { continue }
                        let before = readers[index].list.visible
                        let pulled = try await readers[index].list.pull(reader, fixture)
                        let visible = try await fixture.visible(to: reader)
                        #expect(
                            readers[index].list.visible == Set(visible.keys), "seed \(seed) round \(round) step \(step)"
                        )
                        for (id, kinds) in changedSince[index] ?? [:] where before.contains(id) {
                            guard let audiences = visible[id], audiences.contains(.profiles) else { continue }
                            #expect(
                                pulled.changed[id]?.isSuperset(of: kinds) == true,
                                "seed \(seed) round \(round) step \(step)")
                        }
                        changedSince[index] = [:]
                    }
                }
            }
        }
    }
}

extension AccountFixture {
    /// Adds patients without passwords.
    func addPatients(_ count: Int, group: String, prefix: String = "many") async throws {
        try await database.write { transaction in
            for index in 0..<count {
                let id = "\(prefix)-\(index)"
                let email = "\(id)@example.org"
                try transaction.execute(
                    "INSERT INTO user_account (id, username, password, role, created_at) VALUES (?, ?, '', ?, ?)",
                    [SQLValue(id), SQLValue(email), "account-holder", SQLValue(clock.now)])
                try transaction.execute(
                    "INSERT INTO person (account_id, email, profile) VALUES (?, ?, '{}')",
                    [SQLValue(id), SQLValue(email)])
                try transaction.execute(
                    "INSERT INTO person_group (account_id, group_name) VALUES (?, ?)", [SQLValue(id), SQLValue(group)])
                try MembershipStore.refreshMemberships(of: id, in: transaction)
            }
        }
    }

    /// Returns the patients that a reader may see, computed without the memberships.
    func visible(to reader: SignedIn) async throws -> [String: Set<TeamAudience>] {
        try await database.read { transaction in
            let now = clock.now
            let grants = try PeopleStore.grants(of: reader.id, in: transaction).filter { $0.isInForce(at: now) }
            let members = Set(
                try transaction.query("SELECT account_id FROM team_grant WHERE revoked_at IS NULL").map {
                    try $0.text("account_id")
                })
            var visible: [String: Set<TeamAudience>] = [:]
            for row in try transaction.query("SELECT * FROM person WHERE sharing = 1 AND deletion_requested_at IS NULL")
            {
                let id = try row.text("account_id")
                guard !members.contains(id) else { continue }
                let groups = try Person.groups(of: id, in: transaction)
                let audiences = grants.filter { $0.group.map(groups.contains) ?? true }.map(\.role.audience)
                if !audiences.isEmpty { visible[id] = Set(audiences) }
            }
            return visible
        }
    }
}
