import Foundation
import TestSupport
import Testing

@testable import AccessPolicy

/// Grants of several parts: each part counts by itself.
@Suite struct GrantPartTests {
    private let policy = Policy()
    private let now = Date(timeIntervalSince1970: 1000)
    private static let secret = SecurityLabels(confidentiality: .veryRestricted, sensitivities: [])
    private static let sensitive = SecurityLabels(confidentiality: .normal, sensitivities: ["HIV"])

    private func part(
        _ scopes: String, _ patients: Set<String>, in context: String? = nil, start: Double? = nil, end: Double? = nil
    ) throws -> AccessPart {
        AccessPart(
            patients: .only(patients), patientInContext: context, scopes: try AccessScopes(scopes),
            start: start.map { Date(timeIntervalSince1970: $0) }, end: end.map { Date(timeIntervalSince1970: $0) })
    }

    private func grant(_ parts: AccessPart..., own: OwnResource? = nil) throws -> AccessGrant {
        try AccessGrant(client: "app", role: .service, parts: parts, ownResource: own)
    }

    private func facts(
        _ patients: Set<String>, _ labels: SecurityLabels = .none, type: String = "Observation",
        matching queries: Set<ScopeQuery> = []
    ) -> RecordFacts {
        RecordFacts(type: type, patients: patients, labels: labels, matchedQueries: queries)
    }

    private func read(_ grant: AccessGrant, _ facts: RecordFacts) -> RecordDecision {
        policy.decide(grant, .read, record: facts, at: now)
    }

    /// Each part of a grant as a grant of its own.
    private func single(_ grant: AccessGrant) throws -> [AccessGrant] {
        try grant.parts.map {
            try AccessGrant(
                client: grant.client, person: grant.person, role: grant.role, parts: [$0],
                ownResource: grant.ownResource)
        }
    }

    // MARK: Reading

    @Test func labelsAndScopesOfOnePartDoNotCountForThePatientsOfAnother() throws {
        let grant = try grant(
            part("user/Observation.rs", ["a"]), part("user/*.rs conf/V sens/HIV", ["b"]))
        #expect(read(grant, facts(["a"])) == .permitted)
        #expect(read(grant, facts(["b"], Self.secret)) == .permitted)
        #expect(read(grant, facts(["a"], Self.secret)) == .hidden(.otherPatient))
        #expect(read(grant, facts(["a"], Self.sensitive)) == .hidden(.otherPatient))
        #expect(read(grant, facts(["a"], type: "Condition")) == .hidden(.otherPatient))
        #expect(read(grant, facts(["b"], type: "Condition")) == .permitted)
        // A record of both belongs to neither part.
        #expect(read(grant, facts(["a", "b"])) == .hidden(.otherPatient))
        let filter = policy.filter(grant, .searchType, at: now)
        #expect(!filter.matches(facts(["a"], Self.secret)) && !filter.matches(facts(["a", "b"])))
    }

    @Test func reasonIsThatOfThePartThatCameFurthest() throws {
        let queried = try part("user/Observation.rs?status=final", ["a"])
        let other = try part("user/*.rs conf/V", ["b"])
        let labelled = try part("user/*.rs conf/L", ["c"])
        #expect(read(try grant(queried, other, labelled), facts(["a"])) == .hidden(.scopeQuery))
        #expect(read(try grant(labelled, other, queried), facts(["a"])) == .hidden(.scopeQuery))
        #expect(read(try grant(labelled, other), facts(["a"])) == .hidden(.otherPatient))
        #expect(read(try grant(labelled), facts(["a"])) == .hidden(.confidentiality))
    }

    @Test func versionAndNewestVersionAreShownByTheSamePart() throws {
        let grant = try grant(part("user/*.rs", ["a"]), part("user/*.rs conf/V", ["b"]))
        func version(_ version: RecordFacts, _ newest: RecordFacts) -> RecordDecision {
            policy.decide(grant, .versionRead, version: version, newest: newest, at: now)
        }
        #expect(version(facts(["b"]), facts(["b"], Self.secret)) == .permitted)
        // Each of the two alone is visible.
        #expect(version(facts(["a"]), facts(["b"])) == .hidden(.newestVersion))
    }

    @Test func ownResourceIsShownByAPartThatKnowsThePerson() throws {
        let own = OwnResource(type: "Patient", id: "a")
        func read(_ grant: AccessGrant, _ labels: SecurityLabels) -> RecordDecision? {
            policy.decideOwn(
                grant, .read, type: "Patient", id: "a", facts: [facts(["a"], labels, type: "Patient")], at: now)
        }
        let grant = try grant(
            part("openid fhirUser user/Observation.rs", ["a"]), part("user/Observation.rs conf/V", ["b"]), own: own)
        #expect(read(grant, .none) == .permitted)
        #expect(read(grant, Self.secret) == .hidden(.confidentiality))
        let ended = try self.grant(
            part("openid fhirUser", ["a"], end: 1000), part("user/Observation.rs", ["b"]), own: own)
        #expect(read(ended, .none) == nil)
        #expect(try self.grant(part("openid", ["a"]), part("fhirUser", ["b"]), own: own).ownResource == nil)
    }

    // MARK: Writing

    @Test func updateIsPermittedByOnePartForPresentAndNewContent() throws {
        let grant = try grant(part("user/*.cruds", ["a"]), part("user/*.cruds conf/V sens/*", ["b"]))
        func update(_ present: RecordFacts, _ new: RecordFacts) -> RecordDecision {
            policy.decideUpdate(grant, from: present, to: new, at: now)
        }
        #expect(update(facts(["a"]), facts(["a"])) == .permitted)
        #expect(update(facts(["b"], Self.secret), facts(["b"])) == .permitted)
        // The labels of a are not lowered by the rights for b.
        let low = SecurityLabels(confidentiality: .low, sensitivities: [])
        #expect(update(facts(["a"]), facts(["a"], low)) == .refused(.labelsLowered))
        #expect(policy.decideCreate(grant, of: facts(["a"], low), at: now) == .refused(.labelsLowered))
        #expect(policy.decideCreate(grant, of: facts(["b"], low), at: now) == .permitted)
        // A record does not move from the patients of one part to those of another.
        #expect(update(facts(["a"]), facts(["b"])) == .refused(.insufficientScope))
        #expect(update(facts(["a"]), facts(["a", "b"])) == .refused(.otherPatient))
        #expect(policy.decideDelete(grant, of: facts(["a"], Self.secret), at: now) == .hidden(.otherPatient))
        // A caller that cannot read the record, and whose rights to change it are in another part, does not detect it.
        let blind = try self.grant(part("user/*.r", ["a"]), part("user/*.cu", ["b"]))
        #expect(
            policy.decideUpdate(blind, from: facts(["c"]), to: facts(["b"]), at: now) == .hidden(.otherPatient))
        #expect(
            policy.decideUpdate(blind, from: facts(["a"]), to: facts(["b"]), at: now) == .refused(.insufficientScope))
    }

    // MARK: Times

    @Test func partCountsFromItsStartToItsEnd() throws {
        let grant = try grant(part("user/*.cruds", ["a"], end: 1000), part("user/*.rs", ["b"], start: 1500, end: 2000))
        func decision(_ patient: String, at seconds: Double) -> RecordDecision {
            let time = Date(timeIntervalSince1970: seconds)
            let decision = policy.decide(grant, .read, record: facts([patient]), at: time)
            #expect(policy.filter(grant, .read, at: time).matches(facts([patient])) == decision.isPermitted)
            return decision
        }
        #expect(decision("a", at: 999.999) == .permitted && decision("b", at: 999.999) == .hidden(.otherPatient))
        // Between the two it has not ended, and permits nothing.
        #expect(decision("a", at: 1000) == .refused(.insufficientScope))
        #expect(decision("b", at: 1499.999) == .refused(.insufficientScope))
        #expect(!grant.hasEnded(at: now))
        #expect(decision("b", at: 1500) == .permitted && decision("a", at: 1500) == .hidden(.otherPatient))
        #expect(decision("b", at: 2000) == .refused(.grantEnded))
        for (time, next) in [(0.0, 1000.0), (1000, 1500), (1500, 2000)] {
            #expect(
                grant.nextChange(after: Date(timeIntervalSince1970: time)) == Date(timeIntervalSince1970: next))
        }
        #expect(grant.nextChange(after: Date(timeIntervalSince1970: 2000)) == nil)
        #expect(grant.isUnchanged(from: now, to: Date(timeIntervalSince1970: 1499)))
        #expect(!grant.isUnchanged(from: now, to: Date(timeIntervalSince1970: 1500)))
        #expect(!grant.isUnchanged(from: now, to: Date(timeIntervalSince1970: 999)))
        #expect(grant.inForce(at: now).parts.isEmpty)
        #expect(grant.inForce(at: Date(timeIntervalSince1970: 1600)).parts.count == 1)
    }

    @Test func grantWithoutPartsHasEnded() throws {
        let grant = try AccessGrant(client: "app", role: .service, parts: [])
        #expect(grant.hasEnded(at: now) && read(grant, facts(["a"])) == .refused(.grantEnded))
        #expect(policy.filter(grant, .read, at: now) == .nothing)
        #expect(policy.decideCreate(grant, of: facts(["a"]), at: now) == .refused(.grantEnded))
        #expect(try AccessGrant(kept: grant.kept) == grant)
    }

    // MARK: Joining and bounds

    @Test func partsThatDifferOnlyInPatientsAreOne() throws {
        let thousand = try (0..<1000).map { try part("user/*.rs sens/HIV", ["p\($0)"], end: 2000) }
        let joined = try AccessGrant(client: "app", role: .service, parts: thousand)
        #expect(joined.parts.count == 1)
        #expect(read(joined, facts(["p7"], Self.sensitive)) == .permitted)
        #expect(read(joined, facts(["p7", "p8"])) == .permitted)
        // The order of scopes makes no difference; each of these does.
        let few = try grant(
            part("user/*.rs sens/HIV", ["a"]), part("sens/HIV user/*.rs", ["b"]), part("user/*.rs sens/ETH", ["c"]),
            part("user/*.rs sens/HIV", ["d"], start: 1), part("user/*.rs sens/HIV", ["e"], end: 2000),
            part("user/*.rs sens/HIV", ["f"], in: "f"))
        #expect(few.parts.count == 5 && few.parts[0].patients == .only(["a", "b"]))
        #expect(read(few, facts(["a", "b"])) == .permitted && read(few, facts(["a", "d"])) == .hidden(.otherPatient))
        // One condition for the three parts that differ in times.
        guard case .any(let conditions) = policy.filter(few, .read, at: now) else {
            Issue.record("not a disjunction")
            return
        }
        #expect(conditions.count == 3)
    }

    @Test func numbersOfPartsAndPatientsAreLimited() throws {
        func make(_ count: Int, _ part: (Int) throws -> AccessPart) throws -> AccessGrant {
            try AccessGrant(client: "app", role: .service, parts: try (0..<count).map(part))
        }
        func later(_ number: Int) throws -> AccessPart {
            try part("user/*.rs", ["p\(number)"], end: 2000 + Double(number))
        }
        let largest = try make(AccessGrant.maximumParts, later)
        #expect(read(largest, facts(["p5"])) == .permitted && read(largest, facts(["p5", "p6"])) != .permitted)
        #expect(throws: AccessGrantError.tooManyParts) { try make(AccessGrant.maximumParts + 1, later) }
        func other(_ number: Int) throws -> AccessPart { try part("user/*.rs?code=\(number)", ["a"]) }
        #expect(try make(AccessGrant.maximumForms, other).parts.count == AccessGrant.maximumForms)
        #expect(throws: AccessGrantError.tooManyParts) { try make(AccessGrant.maximumForms + 1, other) }
        let ids = Set((0...AccessGrant.maximumPatients).map { "p\($0)" })
        #expect(throws: AccessGrantError.tooManyPatients) { try make(1) { _ in try part("user/*.rs", ids) } }
        #expect(throws: AccessGrantError.patientMissing) {
            try grant(
                part("user/*.rs", ["a"]), AccessPart(patients: .all, scopes: try AccessScopes("patient/*.rs")))
        }
        let codes: [AccessGrantError] = [.patientMissing, .tooManyParts, .tooManyPatients]
        #expect(codes.map(\.code) == ["patient-missing", "grant-parts-too-many", "grant-patients-too-many"])
        for error in codes { #expect(error.message.hasSuffix(".")) }
    }

    @Test func listedScopesAreThoseOfThePartsInForce() throws {
        let grant = try grant(
            part("user/Patient.rs", ["a"]), part("user/Observation.rs user/Patient.rs", ["b"]),
            part("user/Condition.rs", ["c"], end: 1000))
        #expect(try grant.listedScopes(at: now).text == "user/Patient.rs user/Observation.rs")
        let reused = try grant.scopes(parsing: "user/Observation.rs user/Patient.rs")
        #expect(reused == grant.parts[1].scopes)
        #expect(try grant.scopes(parsing: "user/*.cruds").text == "user/*.cruds")
        #expect(grant.patientInContext == nil)
        let long = try AccessGrant(
            client: "app", role: .service,
            parts: (0..<2).map { number in
                try part((0..<300).map { "user/Observation.rs?code=\(number)x\($0)" }.joined(separator: " "), ["a"])
            })
        #expect(throws: ScopeError.tooMany) { try long.listedScopes(at: now) }
    }

    // MARK: Text form

    @Test func keptTextOfAnEarlierVersionIsAGrantOfOnePart() throws {
        let text =
            #"{"client":"app","person":"p","role":"practitioner","patients":["a","b"],"context":"a","scopes":"patient/*.rs conf/R","purpose":"TREAT","end":2000000}"#
        let expected = try AccessGrant(
            client: "app", person: "p", role: .practitioner, patients: .only(["a", "b"]), patientInContext: "a",
            scopes: AccessScopes("patient/*.rs conf/R"), purpose: "TREAT", end: Date(timeIntervalSince1970: 2000))
        #expect(try AccessGrant(kept: text) == expected)
        #expect(expected.kept.utf8.count == text.utf8.count && !expected.kept.contains("parts"))
        for damaged in [
            "", "{}", #"{"role":"service"}"#, #"{"role":"service","parts":{}}"#, #"{"role":"service","parts":[1]}"#,
            #"{"role":"service","scopes":"user/*.rs","patients":"a"}"#,
            #"{"role":"service","scopes":"user/*.rs","end":"a"}"#,
        ] {
            #expect(throws: AccessError.self, "\(damaged)") { try AccessGrant(kept: damaged) }
        }
        #expect(throws: AccessGrantError.patientMissing) {
            try AccessGrant(kept: #"{"role":"service","scopes":"patient/*.rs"}"#)
        }
    }

    @Test func resultIsShownAgainOnlyToAGrantThatCoversEachOfItsParts() throws {
        let ofA = try part("user/*.rs", ["a"])
        let ofB = try part("user/*.rs conf/V", ["b"])
        let both = try grant(ofA, ofB)
        func shows(_ own: AccessGrant, _ other: AccessGrant) -> Bool {
            own.shows(asMuchAs: other, of: "Observation", at: now)
        }
        let onlyA = try grant(ofA)
        #expect(shows(both, both) && shows(both, onlyA) && !shows(onlyA, both))
        #expect(shows(try grant(part("user/*.rs", ["a", "c"]), ofB), both))
        #expect(!shows(try grant(ofA, part("user/*.rs conf/V", ["b"], end: 1000)), both))
        #expect(!shows(try grant(ofA, part("user/*.rs conf/R", ["b"])), both))
        // Parts that do not concern the type have added nothing.
        #expect(shows(try grant(ofA), try grant(ofA, part("user/Patient.rs", ["b"]))))
        #expect(!shows(try grant(ofA), try grant(part("user/Patient.rs", ["b"]), part("user/Device.rs", ["b"]))))
        // user/ of another part is wider than patient/ of this one.
        let narrow = try grant(part("patient/*.rs", ["a", "b"], in: "a"))
        #expect(!shows(narrow, try grant(part("user/*.rs", ["a", "b"], in: "a"))))
    }

    // MARK: Random grants

    /// A grant of several parts permits exactly what the grant of one of its parts permits.
    @Test func decisionsAreThoseOfASinglePart() throws {
        var generator = Seeded.fresh()
        var permitted = 0
        for _ in 0..<1500 {
            let grant = try RandomGrants.grant(&generator)
            let single = try single(grant)
            let (first, second) = (
                RandomGrants.facts(&generator, for: grant), RandomGrants.facts(&generator, for: grant)
            )
            let new = RecordFacts(
                type: first.type, patients: second.owners, labels: second.labels,
                matchedQueries: second.matchedQueries)
            let decisions: [(AccessGrant) -> RecordDecision] = [
                { policy.decide($0, .read, record: first, at: now) },
                { policy.decide($0, .searchType, type: first.type, at: now) },
                { policy.decide($0, .versionRead, version: first, newest: new, at: now) },
                { policy.decideCreate($0, of: first, at: now) },
                { policy.decideUpdate($0, from: first, to: new, at: now) },
                { policy.decideDelete($0, of: first, at: now) },
                {
                    policy.decideOwn($0, .read, type: "Patient", id: "a", facts: [first], at: now)
                        ?? .refused(.insufficientScope)
                },
            ]
            for (index, decide) in decisions.enumerated() {
                let whole = decide(grant)
                let parts = single.map(decide)
                #expect(
                    whole.isPermitted == parts.contains(.permitted),
                    "seed \(generator.seed) \(index) \(grant) \(first) \(new)")
                if whole.isPermitted { permitted += 1 }
                // The reason is that of a part, except where only two of them together permit the change.
                let isKnown = parts.contains(whole) || whole == .refused(.insufficientScope)
                #expect(isKnown || index == 2 || index == 4, "seed \(generator.seed) \(index) \(whole) \(parts)")
            }
        }
        #expect(permitted > 1000)
    }

    /// A refusal of a change does not depend on a record that no part shows or lets the caller change.
    @Test func refusalsDoNotRevealHiddenRecords() throws {
        var generator = Seeded.fresh()
        var hidden = 0
        for _ in 0..<6000 {
            let grant = try RandomGrants.grant(&generator)
            let present = RandomGrants.facts(&generator, for: grant)
            let single = try single(grant)
            let isKnown = single.contains { one in
                policy.decide(one, .read, record: present, at: now).isPermitted
                    || policy.decide(one, .searchType, record: present, at: now).isPermitted
            }
            var decided = [policy.decideDelete(grant, of: present, at: now)]
            let new = RandomGrants.facts(&generator, for: grant)
            let changed = RecordFacts(
                type: present.type, patients: new.owners, labels: new.labels, matchedQueries: new.matchedQueries)
            decided.append(policy.decideUpdate(grant, from: present, to: changed, at: now))
            let missing = [
                policy.decide(grant, .delete, type: present.type, at: now),
                policy.decideUpdate(
                    grant, from: RecordFacts(type: present.type, patients: ["z"]), to: changed, at: now),
            ]
            for (decision, other) in zip(decided, missing) where !isKnown && !decision.isPermitted {
                // One that the caller may change, but not read, is known too.
                let mayChange = single.contains { one in
                    [ScopePermissions.update, .delete].contains { permission in
                        let parts = policy.parts(of: one, permitting: permission, type: present.type, at: now)
                        return !parts.isEmpty && policy.hiding(of: present, from: parts, permission) == nil
                    }
                }
                guard !mayChange else { continue }
                hidden += 1
                if case .hidden = decision { continue }
                #expect(decision == other, "seed \(generator.seed) \(grant) \(present) \(changed)")
            }
        }
        #expect(hidden > 500)
    }

    @Test func keptTextAndTimesOfRandomGrants() throws {
        var generator = Seeded.fresh()
        for _ in 0..<400 {
            let grant = try AccessGrant(
                client: "app", role: .practitioner, parts: RandomGrants.parts(&generator), purpose: "TREAT")
            #expect(try AccessGrant(kept: grant.kept) == grant)
            #expect(AccessPart.joined(grant.parts) == grant.parts)
            let other = try RandomGrants.grant(&generator)
            let facts = (0..<10).map { _ in RandomGrants.facts(&generator, for: other) }
            for time in [500, 1000, 1500.0].map({ Date(timeIntervalSince1970: $0) }) {
                let next = grant.nextChange(after: time) ?? time.addingTimeInterval(1e6)
                for facts in facts {
                    let decision = policy.decide(grant, .read, record: facts, at: time)
                    let isSame =
                        policy.decide(grant, .read, record: facts, at: next.addingTimeInterval(-0.001)) == decision
                    #expect(isSame, "seed \(generator.seed) \(grant)")
                    let left = policy.decide(grant.inForce(at: time), .read, record: facts, at: time)
                    #expect(left.isPermitted == decision.isPermitted)
                    guard grant.shows(asMuchAs: other.inForce(at: time), of: facts.type, at: time) else { continue }
                    let both: [RecordInteraction] = [.read, .searchType]
                    if policy.filter(other, allOf: both, at: time).matches(facts) {
                        #expect(
                            policy.filter(grant, allOf: both, at: time).matches(facts),
                            "seed \(generator.seed) \(grant) \(other) \(facts)")
                    }
                }
            }
        }
    }
}
