import Foundation
import TestSupport
import Testing

@testable import AccessPolicy

@Suite struct PermissionLimitsTests {
    private func limits(
        _ types: Set<String>?, _ access: PermissionLimits.Access = .write,
        upTo confidentiality: Confidentiality = .normal, seeing sensitivities: Set<String> = [], from start: Double = 0,
        until end: Double = 100
    ) -> PermissionLimits {
        PermissionLimits(
            types: types, access: access, confidentiality: confidentiality, sensitivities: sensitivities,
            start: Date(timeIntervalSince1970: start), end: Date(timeIntervalSince1970: end))
    }

    private func grant(_ limits: PermissionLimits, _ patient: String = "a") throws -> AccessGrant {
        try AccessGrant(
            client: "app", role: .service,
            parts: [
                AccessPart(patients: .only([patient]), scopes: limits.scopes(), start: limits.start, end: limits.end)
            ])
    }

    @Test func scopesExpressTypesAccessAndLabels() throws {
        #expect(limits(nil, .read).scopes().text == "user/*.rs conf/N")
        #expect(limits(nil).scopes(in: .patient).text == "patient/*.crus conf/N")
        let listed = limits(["Patient", "Observation"], .write, upTo: .veryRestricted, seeing: ["SOC", "ETH"])
        #expect(listed.scopes().text == "user/Observation.crus user/Patient.crus conf/V sens/ETH sens/SOC")
        #expect(listed.scopes().unrecognized.isEmpty)
        #expect(
            limits(nil, .read, upTo: .normal, seeing: ["ETH", "FOO", "BAR"]).unknownSensitivities == ["BAR", "FOO"])
        // The parts of different people are joined.
        let part = { (patient: String) in AccessPart(patients: .only([patient]), scopes: listed.scopes()) }
        #expect(try AccessGrant(client: "app", role: .service, parts: [part("a"), part("b")]).parts.count == 1)
    }

    @Test func allTypesAreNotConsentContractProvenanceAndAuditEvent() throws {
        let now = Date(timeIntervalSince1970: 50)
        let policy = Policy()
        let all = try grant(limits(nil))
        for type in ["Consent", "Contract", "Provenance", "AuditEvent"] {
            let facts = RecordFacts(type: type, patients: ["a"])
            for interaction in RecordInteraction.allCases {
                #expect(!policy.decide(all, interaction, type: type, at: now).isPermitted)
                #expect(!policy.filter(all, interaction, at: now).matches(facts))
            }
            #expect(!policy.decideCreate(all, of: facts, at: now).isPermitted)
            // A permission that names the type gives access to it.
            let named = try grant(limits([type], .read))
            #expect(policy.decide(named, .read, record: facts, at: now) == .permitted)
            #expect(policy.filter(named, .read, at: now).matches(facts))
        }
        #expect(policy.decide(all, .read, record: RecordFacts(type: "Patient", patients: ["a"]), at: now) == .permitted)
        // The text form of a grant has the withheld types.
        #expect(try AccessGrant(kept: all.kept) == all)
        // A list of scopes with the same text is another one.
        #expect(try all.scopes(parsing: "user/*.crus conf/N").withheldTypes.isEmpty)
        let wide = AccessPart(patients: .only(["b"]), scopes: try AccessScopes("user/*.crus conf/N"))
        #expect(try AccessGrant(client: "app", role: .service, parts: all.parts + [wide]).parts.count == 2)
    }

    @Test func storedFormIsReadAgain() {
        for limits in [limits(nil), limits(["Patient", "Device"], .read, upTo: .low, seeing: ["ETH", "SOC"])] {
            let read = PermissionLimits(
                access: limits.access.rawValue, types: limits.typesText, confidentiality: limits.confidentiality.code,
                sensitivities: limits.sensitivitiesText, start: limits.start, end: limits.end)
            #expect(read == limits)
        }
        for (access, types, confidentiality) in [("all", "*", "N"), ("read", "", "N"), ("read", "*", "X")] {
            #expect(
                PermissionLimits(
                    access: access, types: types, confidentiality: confidentiality, sensitivities: "", start: .now,
                    end: .now) == nil)
        }
    }

    @Test func periodContainsItsStartAndNotItsEnd() {
        let limits = limits(nil, from: 10, until: 20)
        #expect(limits.isInForce(at: Date(timeIntervalSince1970: 10)))
        #expect(limits.isInForce(at: Date(timeIntervalSince1970: 19.999)))
        #expect(!limits.isInForce(at: Date(timeIntervalSince1970: 9.999)))
        #expect(!limits.isInForce(at: Date(timeIntervalSince1970: 20)))
    }

    @Test func eachDimensionIsWithinTheParent() {
        let parent = limits(
            ["Patient", "Observation"], .read, upTo: .restricted, seeing: ["ETH", "HIV"], from: 10, until: 20)
        func within(
            _ types: Set<String>? = ["Patient"], _ access: PermissionLimits.Access = .read,
            upTo confidentiality: Confidentiality = .restricted, seeing sensitivities: Set<String> = ["HIV"],
            from start: Double = 10, until end: Double = 20
        ) -> Bool {
            limits(types, access, upTo: confidentiality, seeing: sensitivities, from: start, until: end).isWithin(
                parent)
        }
        #expect(within())
        #expect(!within(from: 9.999) && !within(until: 20.001) && within(from: 11, until: 19))
        #expect(!within(["Patient"], .read, upTo: .veryRestricted) && within(["Patient"], .read, upTo: .low))
        // A code that one of the parent's codes covers.
        #expect(within(["Patient"], .read, upTo: .normal, seeing: ["ETHUD", "SUD", "HIV"]))
        #expect(
            !within(["Patient"], .read, upTo: .normal, seeing: ["PSY"])
                && !within(["Patient"], .read, upTo: .normal, seeing: ["SPI"]))
        #expect(!within(nil) && !within(["Device"]) && !within(["Patient", "Device"]))
        #expect(!within(["Patient"], .write))
        // All types do not contain those that are withheld.
        #expect(limits(["Device"]).isWithin(limits(nil)) && !limits(["Consent"]).isWithin(limits(nil)))
    }

    /// The second implementation of the rule: a permission is within another one if each access that it gives is given
    /// by the other one.
    @Test func randomLimitsAreWithinIfTheyGiveNothingMore() {
        var generator = Seeded.fresh()
        var within = 0
        for _ in 0..<1500 {
            let parent = random(&generator)
            // One of two differs from the parent in few members.
            let child = Bool.random(using: &generator) ? random(&generator) : near(parent, &generator)
            let givesNothingMore = Self.accesses.allSatisfy { !gives(child, $0) || gives(parent, $0) }
            #expect(child.isWithin(parent) == givesNothingMore, "\(child) \(parent)")
            if givesNothingMore { within += 1 }
        }
        #expect(within > 100)
    }

    private struct Access {
        let type: String
        let letter: Character
        let rank: Int
        let code: String?
        let time: Double
    }

    private static let types = ["Patient", "Observation", "Consent", "Device"]
    private static let codes: [String: Set<String>] = [
        "ETH": ["ETH", "SUD", "ETHUD"], "SUD": ["SUD", "ETHUD"], "PSY": ["PSY"], "SOC": ["SOC"],
        "SPI": ["SPI", "SUD", "ETHUD", "PSY"],
    ]
    private static let accesses: [Access] = (types + ["Basic"]).flatMap { type in
        "rsc".flatMap { letter in
            (0...5).flatMap { rank in
                [nil, "ETH", "SUD", "ETHUD", "PSY", "SOC", "SPI"].flatMap { code in
                    [0, 1, 2, 3].map { Access(type: type, letter: letter, rank: rank, code: code, time: $0) }
                }
            }
        }
    }

    private func gives(_ limits: PermissionLimits, _ access: Access) -> Bool {
        guard limits.start.timeIntervalSince1970 <= access.time, access.time < limits.end.timeIntervalSince1970,
            access.rank <= limits.confidentiality.rawValue, access.letter != "c" || limits.access == .write
        else { return false }
        if let code = access.code {
            guard limits.sensitivities.contains(where: { Self.codes[$0]?.contains(code) ?? false }) else {
                return false
            }
        }
        return limits.types?.contains(access.type) ?? (access.type != "Consent")
    }

    private func random(_ generator: inout Seeded) -> PermissionLimits {
        let start = Int.random(in: 0...2, using: &generator)
        func some(_ values: [String]) -> Set<String> {
            Set(values.filter { _ in Bool.random(using: &generator) })
        }
        var types: Set<String>?
        if Int.random(in: 0..<3, using: &generator) > 0 {
            let few = some(Self.types)
            types = few.isEmpty ? ["Patient"] : few
        }
        return PermissionLimits(
            types: types, access: Bool.random(using: &generator) ? .read : .write,
            confidentiality: RandomGrants.pick(Confidentiality.allCases, &generator),
            sensitivities: some(Self.codes.keys.sorted()), start: Date(timeIntervalSince1970: Double(start)),
            end: Date(timeIntervalSince1970: Double(Int.random(in: (start + 1)...4, using: &generator))))
    }

    private func near(_ limits: PermissionLimits, _ generator: inout Seeded) -> PermissionLimits {
        let other = random(&generator)
        let changed = Int.random(in: 0..<5, using: &generator)
        return PermissionLimits(
            types: changed == 0 ? other.types : limits.types, access: changed == 1 ? other.access : limits.access,
            confidentiality: changed == 2 ? other.confidentiality : limits.confidentiality,
            sensitivities: changed == 3 ? other.sensitivities : limits.sensitivities,
            start: changed == 4 ? other.start : limits.start, end: changed == 4 ? other.end : limits.end)
    }
}
