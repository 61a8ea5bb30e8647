import AccountClient
import Core
import Foundation
import HTTPTransport
import ResearchResults
import TestSupport
import Testing

@Suite struct PatientTests {
    static func entry(_ id: String, name: String? = nil) -> JSON {
        [
            "patient": .string(id), "name": name.map { .string($0) } ?? .null, "email": nil, "groups": ["main"],
            "changed": ["profile"],
        ]
    }

    @Test func allPagesOfPatientsAreListedOnce() async throws {
        let phone = try AccountFixture()
        let client = try await phone.member()
        for entry in [
            Self.entry("p1"), Self.entry("p2"), Self.entry("p1", name: "Ann"), "p2", Self.entry("p3"), Self.entry("p2"),
        ] { await phone.model.append(toFeed: entry) }
        let patients = try await client.patients()
        #expect(patients.map(\.id) == ["p1", "p2", "p3"])
        #expect(patients[0].name == "Ann")
        #expect(
            patients[1].json.text() == #"{"patient":"p2","name":null,"email":null,"groups":["main"]}"#)
        #expect(
            await phone.model.takeLines()
                == ["GET patients", "GET patients?after=p2", "GET patients?after=p4", "GET patients?after=p6"])
    }

    @Test func pullsReturnTheNewsOnce() async throws {
        let phone = try AccountFixture()
        let client = try await phone.member()
        #expect(try await client.pullPatients().isEmpty)
        for id in ["p2", "p1", "p3"] { await phone.model.append(toFeed: Self.entry(id)) }
        #expect(try await client.pullPatients().json.text() == #"{"entered":["p1","p2","p3"],"changed":[],"left":[]}"#)
        #expect(try await client.pullPatients().isEmpty)
        for entry in [Self.entry("p1"), "p3", Self.entry("p4"), "p4"] { await phone.model.append(toFeed: entry) }
        let again = try phone.client()
        #expect(try await again.pullPatients().json.text() == #"{"entered":[],"changed":["p1"],"left":["p3"]}"#)
        #expect(try await again.pulledPatients() == ["p1", "p2"])
    }

    /// Changes that the app could not apply come again.
    @Test func changesComeAgainUntilTheyAreApplied() async throws {
        struct Stop: Error {}
        let phone = try AccountFixture()
        let client = try await phone.member()
        await phone.model.append(toFeed: Self.entry("p1"))
        #expect(await thrown { try await client.pullPatients { _ in throw Stop() } } is Stop)
        await phone.model.append(toFeed: Self.entry("p2"))
        await phone.model.fail(.loseAnswer, after: 1)
        #expect(await number { try await client.pullPatients() } == 801)
        #expect(try await client.pullPatients().entered == ["p1", "p2"])
    }

    @Test func aPullThatStopsIsRepeated() async throws {
        for stop in 0...10 {
            let phone = try AccountFixture()
            _ = try await phone.member()
            await phone.model.append(toFeed: Self.entry("p1"))
            let files = StoppingFiles()
            let client = try phone.client(files: files)
            files.stop(after: stop)
            let error = await thrown { try await client.pullPatients() }
            let changes = try await phone.client().pullPatients()
            let patients = try await phone.client().pulledPatients()
            #expect(patients == ["p1"])
            if error == nil {
                #expect(changes.isEmpty)
                return
            }
        }
        Issue.record("No pull completed.")
    }

    /// After a restore of the server the list begins again. Patients who are not in it have left.
    @Test func aListThatBeginsAgainReplacesTheSet() async throws {
        let phone = try AccountFixture()
        let client = try await phone.member()
        for id in ["p1", "p2"] { await phone.model.append(toFeed: Self.entry(id)) }
        try await client.pullPatients()
        let page: JSON = [
            "patients": .array([Self.entry("p2"), Self.entry("p3")]), "left": [], "next": "q2", "restart": true,
        ]
        await phone.model.fail(.answer(ModelAccounts.json(200, page)))
        let changes = try await client.pullPatients()
        #expect(changes.json.text() == #"{"entered":["p3"],"changed":["p2"],"left":["p1"]}"#)
    }

    /// A model of random histories: the sum of all pulls is the state of the server.
    @Test func pulledSetsEqualTheServers() async throws {
        var random = Seeded.fresh()
        for _ in 0..<10 {
            let phone = try AccountFixture()
            let client = try await phone.member()
            var server: Set<String> = []
            var known: Set<String> = []
            for _ in 0..<20 {
                for _ in 0..<Int.random(in: 0...5, using: &random) {
                    let id = "p\(Int.random(in: 0...6, using: &random))"
                    if server.contains(id), Bool.random(using: &random) {
                        server.remove(id)
                        await phone.model.append(toFeed: .string(id))
                    } else {
                        server.insert(id)
                        await phone.model.append(toFeed: Self.entry(id))
                    }
                }
                if Int.random(in: 0...3, using: &random) == 0 {
                    await phone.model.fail(.loseAnswer, after: Int.random(in: 0...1, using: &random))
                }
                guard let changes = try? await client.pullPatients() else { continue }
                #expect(known.isDisjoint(with: changes.entered) && known.isSuperset(of: changes.left))
                known.formUnion(changes.entered)
                known.subtract(changes.left)
                #expect(known == server)
                #expect(known.isSuperset(of: changes.changed))
                #expect(try await client.pulledPatients() == server.sorted())
            }
        }
    }

    @Test func aCallerWithoutARoleGets806() async throws {
        let phone = try AccountFixture()
        let client = try await phone.member()
        await phone.model.fail(.answer(ModelAccounts.problem(403, code: "access-denied", cmhealth: 806)))
        #expect(await number { _ = try await client.patients() } == 806)
        await phone.model.fail(.answer(TransportResponse(status: 403)))
        #expect(await number { try await client.pullPatients() } == 806)
    }

    /// The server reports who left because of the end of the last role, and then refuses.
    @Test func thePatientsOfAnEndedRoleLeave() async throws {
        let phone = try AccountFixture()
        let client = try await phone.member()
        await phone.model.append(toFeed: Self.entry("p1"))
        try await client.pullPatients()
        await phone.model.append(toFeed: "p1")
        await phone.model.fail(.answer(ModelAccounts.problem(403, code: "no-grant", cmhealth: 806)), after: 1)
        #expect(try await client.pullPatients().left == ["p1"])
        #expect(try await client.pulledPatients().isEmpty)
    }

    @Test func aPatientsDataAreRead() async throws {
        let phone = try AccountFixture()
        let patient = try await phone.member("pat@example.org", on: "patient")
        try await patient.updateProfile { $0.givenName = "Pat" }
        try await patient.savePhoto(AccountFixture.png)
        try await patient.uploadConsent(result: AccountFixture.consent(), signature: AccountFixture.png)
        for number in 1...3 { try await patient.save(AccountFixture.result(number, answer: number)) }
        let id = try #require(await patient.state.holder?.account)
        let client = try await phone.member("team@example.org", on: "team")
        #expect(try await client.profile(ofPatient: id).givenName == "Pat")
        #expect(try await client.photo(ofPatient: id)?.bytes == AccountFixture.png)
        #expect(try await client.consents(ofPatient: id).all().count == 1)
        let filter = try ResultFilter(conditions: ["results.scaleAnswer gt 1"])
        #expect(try await client.results(ofPatient: id, matching: filter).all().count == 2)
        try await patient.setSharing(false)
        #expect(await number { _ = try await client.profile(ofPatient: id) } == 803)
        #expect(await number { _ = try await client.photo(ofPatient: id) } == 803)
        #expect(await number { _ = try await client.results(ofPatient: id).all() } == 803)
        _ = await phone.model.takeLines()
        for id in ["", "..", "a b", String(repeating: "p", count: 200)] {
            #expect(await number { _ = try await client.profile(ofPatient: id) } == 804)
            #expect(await number { _ = try await client.consents(ofPatient: id).all() } == 804)
        }
        #expect(await phone.model.takeLines() == [])
    }

    @Test(arguments: [
        #"{"patients":[],"left":[]}"#, #"{"patients":[{}],"left":[],"next":"x"}"#,
        #"{"patients":[],"left":[1],"next":"x"}"#, #"{"patients":[],"left":[],"next":""}"#,
        #"{"patients":[{"patient":".."}],"left":[],"next":"x"}"#, "[]",
    ])
    func aPageThatIsNoneIsRefused(body: String) async throws {
        let phone = try AccountFixture()
        let client = try await phone.member()
        await phone.model.fail(.answer(TransportResponse(status: 200, body: Data(body.utf8))))
        #expect(await number { try await client.pullPatients() } == 805)
    }
}
