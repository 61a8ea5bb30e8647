import Foundation
import TestSupport
import Testing

@testable import AccessPolicy

@Suite struct RecordFilterTests {
    private let now = Date(timeIntervalSince1970: 1000)

    /// The sensitivities that a scope covers, listed manually for the codes of the records.
    private static let covered: [String: Set<String>] = [
        "ETH": ["ETH", "SUD", "ETHUD"], "SUD": ["SUD", "ETHUD"], "ETHUD": ["ETHUD"], "PSY": ["PSY"],
        "SPI": ["SPI", "SUD", "ETHUD", "PSY"], "HIV": ["HIV"], "SOC": ["SOC"], "DEMO": ["DEMO"],
    ]
    private static let shared: Set<String> = ["Device", "Organization", "Questionnaire", "Contract"]

    /// A second implementation of the rule, from the text of the scopes: a single part must meet all of it.
    private func isShown(_ facts: RecordFacts, to grant: AccessGrant, letters: [Character]) -> Bool {
        grant.parts.contains { part in letters.allSatisfy { isShown(facts, to: part, letter: $0) } }
    }

    private func isShown(_ facts: RecordFacts, to part: AccessPart, letter: Character) -> Bool {
        if let end = part.end, end <= now { return false }
        if let start = part.start, start > now { return false }
        let words = part.scopes.text.split(separator: " ").map(String.init)
        let ranks = Array("ULMNRV").map(String.init)
        let ceiling = words.filter { $0.hasPrefix("conf/") }.compactMap {
            ranks.firstIndex(of: String($0.dropFirst(5)))
        }.max()
        guard facts.labels.confidentiality.rawValue <= ceiling ?? 3 else { return false }
        if !words.contains("sens/*") {
            let codes = words.filter { $0.hasPrefix("sens/") }.reduce(into: Set<String>()) {
                $0.formUnion(Self.covered[String($1.dropFirst(5))] ?? [])
            }
            guard facts.labels.sensitivities.isSubset(of: codes) else { return false }
        }
        return words.contains { word in
            let parts = word.split(separator: "?")
            guard let slash = parts[0].firstIndex(of: "/"), let dot = parts[0].firstIndex(of: ".") else { return false }
            let type = parts[0][parts[0].index(after: slash)..<dot]
            let isWithheld = part.scopes.withheldTypes.contains(facts.type)
            guard type == "*" ? !isWithheld : type == facts.type else { return false }
            let access = String(parts[0][parts[0].index(after: dot)...])
            let letters = ["read": "rs", "write": "cud", "*": "cruds"][access] ?? access
            guard letters.contains(letter) else { return false }
            if parts.count > 1, !facts.matchedQueries.contains(where: { $0.text == parts[1] }) { return false }
            if facts.owners.isEmpty, Self.shared.contains(facts.type) { return true }
            var reached: Set<String>?
            if case .only(let patients) = part.patients { reached = patients }
            if word.hasPrefix("patient/"), let one = part.patientInContext {
                reached = (reached ?? [one]).intersection([one])
            }
            guard let reached else { return true }
            return !facts.owners.isEmpty && facts.owners.isSubset(of: reached)
        }
    }

    @Test func filterAgreesWithTheDecisionAndTheRule() throws {
        var generator = Seeded.fresh()
        let policy = Policy()
        var shown = 0
        var hidden: [RecordDecision: Int] = [:]
        for _ in 0..<800 {
            let grant = try RandomGrants.grant(&generator)
            for (interaction, letter) in [(RecordInteraction.read, Character("r")), (.searchType, "s")] {
                let filter = policy.filter(grant, interaction, at: now)
                let both = policy.filter(grant, allOf: [.read, .searchType], at: now)
                for _ in 0..<15 {
                    let facts = RandomGrants.facts(&generator, for: grant)
                    let decision = policy.decide(grant, interaction, record: facts, at: now)
                    let expected = isShown(facts, to: grant, letters: [letter])
                    #expect(decision.isPermitted == expected, "\(grant) \(facts) \(decision)")
                    #expect(filter.matches(facts) == expected, "\(grant) \(facts) \(filter)")
                    let isForBoth = isShown(facts, to: grant, letters: ["r", "s"])
                    #expect(both.matches(facts) == isForBoth, "\(grant) \(facts) \(both)")
                    if expected { shown += 1 } else { hidden[decision, default: 0] += 1 }
                }
            }
        }
        print("\(shown) shown, hidden: \(hidden)")
        #expect(shown > 1000)
        // Every reason except for that of versions occurred.
        #expect(hidden.count == RecordDecision.Hiding.allCases.count - 1 + 2, "\(hidden)")
    }

    @Test func theFilterOfAGrantIsAlwaysTheSame() throws {
        var generator = Seeded.fresh()
        for _ in 0..<200 {
            let grant = try RandomGrants.grant(&generator)
            let filter = Policy().filter(grant, .searchType, at: now)
            #expect(Policy().filter(grant, .searchType, at: now) == filter)
        }
    }

    private func filter(_ scopes: String, _ patients: PatientAccess) throws -> RecordFilter {
        let grant = try AccessGrant(client: "app", role: .service, patients: patients, scopes: AccessScopes(scopes))
        return Policy().filter(grant, .searchType, at: now)
    }

    @Test func filtersAreMinimal() throws {
        let ordinary: [RecordFilter] = [.confidentiality(upTo: .normal), .sensitivities(among: [])]
        #expect(try filter("system/*.rs conf/V sens/*", .all) == .everything)
        #expect(try filter("system/*.rs", .all) == .all(ordinary))
        #expect(try filter("system/*.cud", .all) == .nothing)
        #expect(try filter("openid", .all) == .nothing)
        #expect(
            try filter("system/Observation.rs system/Patient.s system/Device.r", .all)
                == .all([.type(["Observation", "Patient"])] + ordinary))
        #expect(
            try filter("patient/*.rs", .only(["a"])) == .all([.any([.owners(["a"]), .shared])] + ordinary))
        #expect(try filter("patient/*.rs", .only([])) == .all([.shared] + ordinary))
        // A query that limits access granted without it anyway is not needed.
        #expect(
            try filter("patient/Observation.rs?status=final patient/*.s conf/V sens/*", .only(["a"]))
                == .any([.owners(["a"]), .shared]))
        let query = try #require(AccessScope("user/Observation.rs?status=final").resource?.query)
        #expect(
            try filter("user/Observation.rs?status=final user/Patient.rs conf/V sens/*", .all)
                == .any([.all([.type(["Observation"]), .query(query)]), .type(["Patient"])]))
    }

    @Test func withheldTypesAreOutsideOfTheFilter() throws {
        let scopes = try AccessScopes("user/*.rs user/Consent.rs conf/V sens/*").withholding(["Consent", "Contract"])
        let grant = try AccessGrant(client: "app", role: .service, patients: .all, scopes: scopes)
        #expect(Policy().filter(grant, .searchType, at: now) == .typeOutside(["Contract"]))
        let both = scopes.withholding(["Consent"])
        #expect(both == scopes && scopes.text == "user/*.rs user/Consent.rs conf/V sens/*")
    }

    @Test func queryIsUsedForPatientsThatOnlyItsScopeReaches() throws {
        let grant = try AccessGrant(
            client: "app", person: "p", role: .practitioner, patients: .only(["a", "b"]), patientInContext: "a",
            scopes: AccessScopes("patient/*.rs user/Observation.rs?status=final"))
        let filter = Policy().filter(grant, .searchType, at: now)
        let queries = try #require(grant.onlyPart).scopes.queries(of: "Observation", for: .search)
        #expect(!filter.matches(RecordFacts(type: "Observation", patients: ["b"])))
        #expect(filter.matches(RecordFacts(type: "Observation", patients: ["b"], matchedQueries: queries)))
        #expect(filter.matches(RecordFacts(type: "Observation", patients: ["a"])))
    }

    @Test func aWritingInteractionSelectsNothing() throws {
        let staff = AccessGrant(Actor(id: "s", role: .staff))
        for interaction in RecordInteraction.allCases {
            #expect((Policy().filter(staff, interaction, at: now) == .nothing) == interaction.isWriting)
        }
    }
}
