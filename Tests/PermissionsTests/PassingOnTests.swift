import Core
import Foundation
import Testing
import Wire

@testable import Permissions

@Suite struct PassingOnTests {
    /// A wallet, an app with a permission to write, and a provider.
    private struct Parties {
        let fixture: PermissionFixture
        let wallet: TestCsi
        let app: TestCsi
        let doctor: TestCsi
        let parent: String

        init(_ fixture: PermissionFixture) async throws {
            self.fixture = fixture
            wallet = try await fixture.csi(wallet: "anna")
            app = try await fixture.csi()
            doctor = try await fixture.csi(role: .provider)
            let terms = try fixture.terms(
                [app], .write, of: "Patient,Observation", confidentiality: "R", sensitivities: ["ETH"], from: 0,
                until: 1_000)
            parent = try #require(try await fixture.grant(terms, by: wallet).first)
        }
    }

    @Test func eachDimensionIsWithinTheParent() async throws {
        try await PermissionFixture.with { fixture in
            let parties = try await Parties(fixture)
            let (doctor, parent) = ([parties.doctor], parties.parent)
            let within = try fixture.terms(
                doctor, .write, of: "Observation", confidentiality: "R", sensitivities: ["SUD"], until: 1_000,
                parent: parent)
            let id = try #require(try await fixture.grant(within, by: parties.app).first)
            #expect(try await fixture.permission(id).parent == parent)
            #expect(try await fixture.permission(id).patient == "anna")
            for (name, terms) in [
                ("end", try fixture.terms(doctor, .read, of: "Patient", until: 1_001, parent: parent)),
                ("start", try fixture.terms(doctor, .read, of: "Patient", from: -1, until: 500, parent: parent)),
                ("all types", try fixture.terms(doctor, .read, of: "*", until: 500, parent: parent)),
                ("type", try fixture.terms(doctor, .read, of: "Patient,Device", until: 500, parent: parent)),
                (
                    "confidentiality",
                    try fixture.terms(doctor, .read, of: "Patient", confidentiality: "V", until: 500, parent: parent)
                ),
                (
                    "sensitivity",
                    try fixture.terms(doctor, .read, of: "Patient", sensitivities: ["PSY"], until: 500, parent: parent)
                ),
            ] {
                let refused = try await fixture.refusal { try await fixture.grant(terms, by: parties.app) }
                #expect(refused == .delegationExceedsGrant, "\(name)")
            }
            #expect(try await fixture.verify().different == [])
        }
    }

    @Test func whatWasPassedOnOrEndedIsNotPassedOn() async throws {
        try await PermissionFixture.with { fixture in
            let parties = try await Parties(fixture)
            let second = try await fixture.csi(role: .caregiver)
            func refusal(_ giver: TestCsi, to grantee: TestCsi, of parent: String?) async throws
                -> PermissionError.Reason?
            {
                let terms = try fixture.terms([grantee], .read, of: "Patient", until: 500, parent: parent)
                return try await fixture.refusal { try await fixture.grant(terms, by: giver) }
            }
            let write = try fixture.terms([parties.doctor], .write, of: "Patient", until: 500, parent: parties.parent)
            let child = try #require(try await fixture.grant(write, by: parties.app).first)
            // A second step, also with the parent of someone else.
            #expect(try await refusal(parties.doctor, to: second, of: child) == .notPermitted)
            #expect(try await refusal(parties.doctor, to: second, of: parties.parent) == .notPermitted)
            #expect(try await refusal(parties.doctor, to: second, of: "unknown") == .notPermitted)
            // A cycle, an app without a role, oneself, and no parent in version 2.
            #expect(try await refusal(parties.doctor, to: parties.app, of: child) == .notPermitted)
            #expect(try await refusal(parties.app, to: parties.wallet, of: parties.parent) == .notPermitted)
            #expect(try await refusal(parties.app, to: parties.app, of: parties.parent) == .selfGrant)
            #expect(try await refusal(parties.app, to: second, of: nil) == .notPermitted)
            let plain = try await fixture.csi()
            #expect(try await refusal(parties.app, to: plain, of: parties.parent) == .notPermitted)
            // A permission to read only.
            let reader = try await fixture.csi()
            let read = try #require(try await fixture.grant(fixture.terms([reader]), by: parties.wallet).first)
            #expect(try await refusal(reader, to: second, of: read) == .notPermitted)
            // After the end of the parent.
            #expect(try await fixture.end(parties.app, by: parties.wallet).permissions.count == 1)
            #expect(try await refusal(parties.app, to: second, of: parties.parent) == .notPermitted)
        }
    }

    @Test func version1TakesTheOldestPermissionThatCovers() async throws {
        try await PermissionFixture.with { fixture in
            let parties = try await Parties(fixture)
            let bert = try await fixture.csi(wallet: "bert")
            let wide = try #require(
                try await fixture.grant(fixture.terms([parties.app], .write, until: 2_000), by: bert).first)
            let narrow = try fixture.terms([parties.doctor], .read, of: "Observation", until: 900)
            let first = try #require(try await fixture.grant(narrow, by: parties.app, version: .v1).first)
            #expect(try await fixture.permission(first).parent == parties.parent)
            let other = try fixture.terms([parties.doctor], .read, of: "Device", until: 900)
            let second = try #require(try await fixture.grant(other, by: parties.app, version: .v1).first)
            #expect(try await fixture.permission(second).parent == wide)
            #expect(try await fixture.permission(second).patient == "bert")
            let none = try fixture.terms([parties.doctor], .read, of: "Device", until: 2_001)
            let refused = try await fixture.refusal { try await fixture.grant(none, by: parties.app, version: .v1) }
            #expect(refused == .delegationExceedsGrant)
        }
    }

    @Test func walletPassesOnWhatAnotherWalletGave() async throws {
        try await PermissionFixture.with { fixture in
            let parties = try await Parties(fixture)
            let bert = try await fixture.csi(wallet: "bert")
            let parent = try #require(
                try await fixture.grant(fixture.terms([bert], .write), by: parties.wallet).first)
            let child = try #require(
                try await fixture.grant(fixture.terms([parties.doctor], parent: parent), by: bert).first)
            #expect(try await fixture.permission(child).patient == "anna")
            // Without a parent it gives access to the records of its own Patient.
            let own = try #require(try await fixture.grant(fixture.terms([parties.doctor]), by: bert).first)
            #expect(try await fixture.permission(own).patient == "bert")
            #expect(try await Set(fixture.given(bert).map(\.id)) == [child, own])
        }
    }
}
