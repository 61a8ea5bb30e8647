import AccessPolicy
import AccessTestSupport
import Audit
import Foundation
import Identity
import Storage
import Testing

@testable import Enrolments

@Suite(.timeLimit(.minutes(10)))
struct BindingTests {
    @Test func aParticipantBelongsToOneDeviceAndADeviceToOneParticipant() async throws {
        try await withEnrolments { enrolments, database, clock async throws in
            var decisions: [Decision] = []
            for (device, participant) in [
                ("d1", "anna"), ("d2", "anna"), ("d1", "anna"), ("d1", "bert"), ("d2", "mallory"),
            ] {
                decisions.append(try await enrolments.bind(device, to: participant))
            }
            #expect(decisions.map(\.reason) == ["bound", "already-bound", "permitted", "other-participant", "bound"])
            #expect(decisions.map(\.allowed) == [true, false, true, false, true])
            let audited = try await enrolments.audit.entries().reversed()
            #expect(audited.map(\.reason) == decisions.map(\.reason))
            #expect(audited.map(\.participants) == [["anna"], ["anna"], ["anna"], ["bert"], ["mallory"]])
            #expect(audited.allSatisfy { $0.action == "bind-participant" && $0.actor?.hasPrefix("client of") == true })
            let bindings = try await enrolments.bindings()
            #expect(bindings.map(\.device) == ["d1", "d2"] && bindings.map(\.participant) == ["anna", "mallory"])
            #expect(bindings.allSatisfy { $0.since == clock.now && $0.endedAt == nil })
            #expect(try await enrolments.devices(of: "anna") == ["d1"])
            #expect(try await enrolments.devices(of: "bert") == [])
            #expect(try await database.read { try enrolments.participant(ofDevice: "d2", in: $0) } == "mallory")
        }
    }

    /// A participant with a paper consent, or with records from elsewhere, is not taken over by a device that uses
    /// their id.
    @Test func participantKnownFromElsewhereIsTaken() async throws {
        try await withEnrolments { enrolments, _, _ async throws in
            let denied = try await enrolments.bind("stranger", to: "paper", isKnown: true)
            #expect(denied == Decision(allowed: false, reason: "participant-taken"))
            #expect(try await enrolments.bindings().isEmpty)
            // Records of the own device do not prevent sending the Contract again.
            #expect(try await enrolments.bind("d1", to: "anna").allowed)
            #expect(try await enrolments.bind("d1", to: "anna", isKnown: true).allowed)
            // The team admits the device.
            let code = try await enrolments.issueMoveCode(participant: "paper", by: site, lifetime: 3600)
            let moved = try await enrolments.bind("d2", to: "paper", isKnown: true, code: code)
            #expect(moved == Decision(allowed: true, reason: "moved"))
        }
    }

    @Test func deviceWithAnEndedBindingMayNotBindAgain() async throws {
        try await withEnrolments { enrolments, _, _ async throws in
            _ = try await enrolments.bind("d1", to: "anna")
            #expect(try await enrolments.endBinding(device: "d1", by: site) == "anna")
            for participant in ["anna", "bert"] {
                #expect(try await enrolments.bind("d1", to: participant).reason == "binding-ended")
            }
            #expect(try await enrolments.endBinding(device: "d1", by: site) == nil)
            #expect(try await enrolments.bindings().isEmpty)
            // The participant can bind their next device, and this one with a code.
            #expect(try await enrolments.bind("d2", to: "anna").reason == "bound")
            let code = try await enrolments.issueMoveCode(participant: "anna", by: site, lifetime: 60)
            #expect(try await enrolments.bind("d1", to: "anna", code: code).reason == "moved")
            #expect(try await enrolments.devices(of: "anna") == ["d1"])
        }
    }

    /// A Contract of a device that was revoked before its binding may still be in the queue.
    @Test func deviceRevokedBeforeItsBindingCannotBind() async throws {
        try await withEnrolments { enrolments, _, _ async throws in
            for _ in 0..<2 { #expect(try await enrolments.endBinding(device: "d1", by: site) == nil) }
            #expect(try await enrolments.bind("d1", to: "anna").reason == "binding-ended")
            #expect(try await enrolments.bindings().isEmpty)
            #expect(try await enrolments.bind("d2", to: "anna").reason == "bound")
        }
    }

    @Test func onlyTheSiteEndsABindingAndItIsAudited() async throws {
        try await withEnrolments { enrolments, _, _ async throws in
            _ = try await enrolments.bind("d1", to: "anna")
            let error = await #expect(throws: AccessError.self) {
                _ = try await enrolments.endBinding(device: "d1", by: Actor(id: "s", role: .staff))
            }
            #expect(error?.code == "role-not-permitted")
            #expect(try await enrolments.devices(of: "anna") == ["d1"])
            _ = try await enrolments.endBinding(device: "d1", by: site)
            let newest = try #require(try await enrolments.audit.entries(participant: "anna").first)
            #expect(newest.action == "manage-enrolments" && newest.resourceID == "d1" && newest.actor == "account")
        }
    }
}

@Suite(.timeLimit(.minutes(10)))
struct MoveCodeTests {
    @Test func aCodeMovesTheParticipantOnceAndByOneDevice() async throws {
        try await withEnrolments { enrolments, database, clock async throws in
            _ = try await enrolments.bind("old", to: "anna")
            let code = try await enrolments.issueMoveCode(participant: "anna", by: site, lifetime: 3600)
            #expect(code.count == 26 && code.allSatisfy { "abcdefghijklmnopqrstuvwxyz234567".contains($0) })
            #expect(try await !database.contents(["move_code", "audit"]).contains(code))
            #expect(
                try await enrolments.bind("new", to: "anna", code: code) == Decision(allowed: true, reason: "moved"))
            #expect(try await enrolments.devices(of: "anna") == ["new"])
            // The Contract arrives again.
            #expect(
                try await enrolments.bind("new", to: "anna", code: code) == Decision(allowed: true, reason: "permitted")
            )
            // Other devices cannot use the code any more.
            for device in ["other", "old"] {
                #expect(try await enrolments.bind(device, to: "anna", code: code).reason == "move-code-refused")
            }
            #expect(try await enrolments.devices(of: "anna") == ["new"])
            #expect(try await enrolments.bindings().map(\.since) == [clock.now])
        }
    }

    /// An earlier message of a device must not move the participant back after the team has moved them.
    @Test func aSpentCodeDoesNotBringTheParticipantBack() async throws {
        try await withEnrolments { enrolments, _, _ async throws in
            let first = try await enrolments.issueMoveCode(participant: "anna", by: site, lifetime: 3600)
            #expect(try await enrolments.bind("one", to: "anna", code: first).reason == "moved")
            let second = try await enrolments.issueMoveCode(participant: "anna", by: site, lifetime: 3600)
            #expect(try await enrolments.bind("two", to: "anna", code: second).reason == "moved")
            #expect(try await enrolments.bind("one", to: "anna", code: first).reason == "move-code-refused")
            #expect(try await enrolments.devices(of: "anna") == ["two"])
            _ = try await enrolments.endBinding(device: "two", by: site)
            #expect(try await enrolments.bind("two", to: "anna", code: second).reason == "move-code-refused")
            #expect(try await enrolments.bindings().isEmpty)
        }
    }

    @Test func expiredWrongAndForeignCodesAreRefused() async throws {
        try await withEnrolments { enrolments, _, clock async throws in
            let annas = try await enrolments.issueMoveCode(participant: "anna", by: site, lifetime: 60)
            #expect(try await enrolments.bind("d", to: "bert", code: annas).reason == "move-code-refused")
            for wrong in ["", "x", annas.uppercased(), annas + "a", "' OR 1=1 --"] {
                #expect(try await enrolments.bind("d", to: "anna", code: wrong).reason == "move-code-refused")
            }
            clock.advance(60)
            #expect(try await enrolments.bind("d", to: "anna", code: annas).reason == "move-code-refused")
            #expect(try await enrolments.bindings().isEmpty)
            // None of these attempts used up a valid code.
            let good = try await enrolments.issueMoveCode(participant: "anna", by: site, lifetime: 60)
            clock.advance(59)
            #expect(try await enrolments.bind("d", to: "anna", code: good).reason == "moved")
        }
    }

    @Test func aNewerCodeEndsTheEarlierOnesOfTheParticipant() async throws {
        try await withEnrolments { enrolments, _, _ async throws in
            let first = try await enrolments.issueMoveCode(participant: "anna", by: site, lifetime: 60)
            let berts = try await enrolments.issueMoveCode(participant: "bert", by: site, lifetime: 60)
            let second = try await enrolments.issueMoveCode(participant: "anna", by: site, lifetime: 60)
            #expect(Set([first, berts, second]).count == 3)
            #expect(try await enrolments.bind("d", to: "anna", code: first).reason == "move-code-refused")
            #expect(try await enrolments.bind("d", to: "anna", code: second).reason == "moved")
            #expect(try await enrolments.bind("e", to: "bert", code: berts).reason == "moved")
        }
    }

    @Test func codeDoesNotBindADeviceToASecondParticipant() async throws {
        try await withEnrolments { enrolments, _, _ async throws in
            _ = try await enrolments.bind("d", to: "anna")
            let berts = try await enrolments.issueMoveCode(participant: "bert", by: site, lifetime: 60)
            #expect(try await enrolments.bind("d", to: "bert", code: berts).reason == "other-participant")
            #expect(try await enrolments.bind("e", to: "bert", code: berts).reason == "moved")
        }
    }

    @Test func onlyTheSiteMakesCodes() async throws {
        try await withEnrolments { enrolments, database, _ async throws in
            let device = Actor(id: "d", role: .device, participant: "anna")
            for actor in [Actor(id: "s", role: .staff), device] {
                let error = await #expect(throws: AccessError.self) {
                    _ = try await enrolments.issueMoveCode(participant: "anna", by: actor, lifetime: 60)
                }
                #expect(error?.code == "role-not-permitted")
            }
            #expect(try await database.contents(["move_code"]).isEmpty)
        }
    }

    /// RFC 4648 section 10, in lower case and without padding.
    @Test func codesAreBase32() {
        for (text, code) in [
            ("f", "my"), ("fo", "mzxq"), ("foo", "mzxw6"), ("foob", "mzxw6yq"), ("foobar", "mzxw6ytboi"),
        ] {
            // Bits that do not fill a letter are left out: codes have bits to spare.
            #expect(code.hasPrefix(Base32.text(Array(text.utf8))), "\(text)")
        }
        #expect(Base32.text(Array("fooba".utf8)) == "mzxw6ytb")
    }

    @Test func secretOfACodeIsNotStored() async throws {
        try await withEnrolments { enrolments, database, _ async throws in
            let code = try await enrolments.issueMoveCode(participant: "anna", by: site, lifetime: 60)
            #expect(try await !database.contents(["move_code", "audit"]).contains(code))
        }
    }
}
