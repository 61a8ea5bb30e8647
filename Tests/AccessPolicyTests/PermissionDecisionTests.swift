import Foundation
import TestSupport
import Testing

@testable import AccessPolicy

@Suite struct PermissionDecisionTests {
    private let policy = Policy()
    private let now = Date(timeIntervalSince1970: 50)
    private let app = PermissionParty(csi: "app", patient: nil, isCarer: false)
    private let doctor = PermissionParty(csi: "doctor", patient: nil, isCarer: true)

    private func limits(
        _ types: Set<String>? = ["Observation"], _ access: PermissionLimits.Access = .read, from start: Double = 50,
        until end: Double = 100
    ) -> PermissionLimits {
        PermissionLimits(
            types: types, access: access, confidentiality: .normal, start: Date(timeIntervalSince1970: start),
            end: Date(timeIntervalSince1970: end))
    }

    private func received(
        _ id: String, from grantor: String = "wallet", by grantee: String = "app", passedOn: Bool = false,
        ended: Bool = false, _ limits: PermissionLimits
    ) -> ReceivedPermission {
        ReceivedPermission(
            id: id, grantor: grantor, grantee: grantee, patient: "a", isPassedOn: passedOn, isEnded: ended,
            limits: limits)
    }

    private func passOn(
        _ limits: PermissionLimits, to grantees: [PermissionParty], _ received: [ReceivedPermission]
    ) -> PermissionDecision {
        policy.decidePassingOn(limits, by: app, to: grantees, of: received, at: now)
    }

    @Test func onlyABoundWalletGives() {
        let wallet = PermissionParty(csi: "wallet", patient: "a", isCarer: false)
        #expect(policy.decideGrant(by: wallet, to: [app, doctor]) == .permitted(patient: "a", parent: nil))
        #expect(policy.decideGrant(by: wallet, to: [app, wallet]) == .selfGrant)
        #expect(policy.decideGrant(by: app, to: [doctor]) == .notPermitted)
        #expect(policy.decideGrant(by: wallet, to: []) == .notPermitted)
    }

    @Test func oldestPermissionThatCoversTheRequestIsPassedOn() {
        let narrow = received("1", limits(["Patient"], .write, from: 0))
        let parent = received("2", limits(["Observation", "Patient"], .write, from: 0))
        let wide = received("3", limits(nil, .write, from: 0))
        #expect(passOn(limits(), to: [doctor], [narrow, parent, wide]) == .permitted(patient: "a", parent: "2"))
        #expect(passOn(limits(nil), to: [doctor], [narrow, parent, wide]) == .permitted(patient: "a", parent: "3"))
        #expect(passOn(limits(until: 101), to: [doctor], [narrow, parent, wide]) == .exceedsGrant)
    }

    @Test func permissionsWithoutWriteInForceFromAWalletAreNotPassedOn() {
        let wide = limits(nil, .write, from: 0)
        for unusable in [
            received("1", limits(nil, .read, from: 0)), received("2", passedOn: true, wide),
            received("3", ended: true, wide), received("4", limits(nil, .write, from: 50.001)),
            received("5", limits(nil, .write, from: 0, until: 50)), received("6", by: "other", wide),
        ] {
            #expect(passOn(limits(), to: [doctor], [unusable]) == .notPermitted, "\(unusable.id)")
        }
        #expect(passOn(limits(), to: [doctor], []) == .notPermitted)
    }

    @Test func onlyProvidersAndCaregiversReceiveWhatIsPassedOn() {
        let wide = received("1", limits(nil, .write, from: 0))
        let other = PermissionParty(csi: "other", patient: nil, isCarer: false)
        #expect(passOn(limits(), to: [doctor, other], [wide]) == .notPermitted)
        #expect(passOn(limits(), to: [doctor, app], [wide]) == .selfGrant)
        // The wallet that gave it, and another wallet of the person.
        let wallet = PermissionParty(csi: "wallet", patient: nil, isCarer: true)
        let new = PermissionParty(csi: "new", patient: "a", isCarer: true)
        #expect(passOn(limits(), to: [wallet], [wide]) == .selfGrant)
        #expect(passOn(limits(), to: [doctor, new], [wide]) == .selfGrant)
    }

    /// A second implementation of the rule: the parents that permit the request, in their order.
    @Test func randomRequestsHaveTheDecisionOfTheRule() {
        var generator = Seeded.fresh()
        var decisions: [String: Int] = [:]
        func chance(_ share: Int) -> Bool { Int.random(in: 0..<share, using: &generator) == 0 }
        func someLimits() -> PermissionLimits {
            let types: Set<String>? = chance(3) ? nil : chance(2) ? ["Observation"] : ["Observation", "Patient"]
            return limits(
                types, chance(3) ? .read : .write, from: Double(Int.random(in: 48...51, using: &generator)),
                until: Double(Int.random(in: 99...102, using: &generator)))
        }
        for _ in 0..<3_000 {
            let list = (0..<Int.random(in: 0...3, using: &generator)).map { index in
                received(
                    "\(index)", from: chance(2) ? "wallet" : "other wallet", by: chance(6) ? "another app" : "app",
                    passedOn: chance(6), ended: chance(6), someLimits())
            }
            let grantees = (0..<Int.random(in: 1...2, using: &generator)).map { _ in
                PermissionParty(
                    csi: chance(12) ? "app" : chance(12) ? "wallet" : "doctor", patient: chance(12) ? "a" : nil,
                    isCarer: !chance(8))
            }
            let asked = someLimits()
            let found = passOn(asked, to: grantees, list)
            var expected = PermissionDecision.notPermitted
            if grantees.contains(where: { $0.csi == "app" }) {
                expected = .selfGrant
            } else if grantees.allSatisfy(\.isCarer) {
                search: for permission in list {
                    let own = permission.limits
                    if permission.grantee != "app" || permission.isPassedOn || permission.isEnded { continue }
                    if own.access == .read || own.start > now || own.end <= now { continue }
                    expected = .exceedsGrant
                    if asked.start < own.start || asked.end > own.end { continue }
                    switch (asked.types, own.types) {
                    case (_, nil): break
                    case (nil, _): continue
                    case (let types?, let others?): if !types.subtracting(others).isEmpty { continue }
                    }
                    let isBack = grantees.contains { $0.csi == permission.grantor || $0.patient == "a" }
                    expected = isBack ? .selfGrant : .permitted(patient: "a", parent: permission.id)
                    break search
                }
            }
            #expect(found == expected, "\(asked) \(grantees) \(list)")
            decisions[found.name, default: 0] += 1
        }
        #expect(decisions.count == 4 && decisions.values.allSatisfy { $0 > 50 }, "\(decisions)")
    }

    @Test func giverAndWalletOfThePatientEndAPermission() {
        func mayEnd(_ csi: String, _ patient: String?) -> Bool {
            let caller = PermissionParty(csi: csi, patient: patient, isCarer: false)
            return policy.mayEndPermission(givenBy: "app", of: "a", by: caller)
        }
        #expect(mayEnd("app", nil) && mayEnd("wallet", "a"))
        #expect(!mayEnd("other", nil) && !mayEnd("wallet", "b"))
    }
}

extension PermissionDecision {
    fileprivate var name: String {
        switch self {
        case .permitted: "permitted"
        case .selfGrant: "self grant"
        case .notPermitted: "not permitted"
        case .exceedsGrant: "exceeds grant"
        }
    }
}
