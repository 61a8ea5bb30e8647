import Foundation
import TestSupport
import Testing

@testable import Trust

@Suite struct RecordWritingTests {
    private let policy = Policy()
    private let now = Date(timeIntervalSince1970: 1000)
    private static let restricted = SecurityLabels(confidentiality: .restricted, sensitivities: [])
    private static let unrestricted = SecurityLabels(confidentiality: .unrestricted, sensitivities: [])
    private static let sensitive = SecurityLabels(confidentiality: .normal, sensitivities: ["HIV"])

    private func grant(_ scopes: String, _ patients: PatientAccess = .only(["a"])) throws -> AccessGrant {
        try AccessGrant(client: "app", role: .practitioner, patients: patients, scopes: AccessScopes(scopes))
    }

    private func facts(
        _ patients: Set<String>, _ labels: SecurityLabels = .none, type: String = "Observation",
        matching queries: Set<ScopeQuery> = []
    ) -> RecordFacts {
        RecordFacts(type: type, patients: patients, labels: labels, matchedQueries: queries)
    }

    private func create(_ scopes: String, _ facts: RecordFacts) throws -> RecordDecision {
        policy.decideCreate(try grant(scopes), of: facts, at: now)
    }

    private func update(_ scopes: String, _ present: RecordFacts, _ new: RecordFacts) throws -> RecordDecision {
        policy.decideUpdate(try grant(scopes), from: present, to: new, at: now)
    }

    @Test func whatIsWrittenBelongsToThePatientsOfTheGrantBeforeAndAfter() throws {
        let scopes = "patient/*.cruds"
        #expect(try create(scopes, facts(["a"])) == .permitted)
        #expect(try create(scopes, facts(["b"])) == .refused(.otherPatient))
        #expect(try create(scopes, facts(["a", "b"])) == .refused(.otherPatient))
        #expect(try create(scopes, facts([])) == .refused(.patientMissing))
        #expect(try update(scopes, facts(["a"]), facts(["a"])) == .permitted)
        #expect(try update(scopes, facts(["a"]), facts(["b"])) == .refused(.otherPatient))
        #expect(try update(scopes, facts(["a"]), facts([])) == .refused(.patientMissing))
        #expect(try update(scopes, facts(["b"]), facts(["a"])) == .hidden(.otherPatient))
        #expect(try update(scopes, facts(["a", "b"]), facts(["a"])) == .hidden(.otherPatient))
        #expect(policy.decideDelete(try grant(scopes), of: facts(["a"]), at: now) == .permitted)
        #expect(policy.decideDelete(try grant(scopes), of: facts(["b"]), at: now) == .hidden(.otherPatient))
    }

    @Test func whatIsSharedIsWrittenByThoseWhoReachAllPatients() throws {
        let organization = facts([], type: "Organization")
        #expect(try create("patient/*.cruds", organization) == .refused(.sharedRecord))
        #expect(try update("patient/*.cruds", organization, organization) == .refused(.sharedRecord))
        #expect(policy.decideDelete(try grant("user/*.cruds"), of: organization, at: now) == .refused(.sharedRecord))
        let all = try grant("user/*.cruds", .all)
        #expect(policy.decideCreate(all, of: organization, at: now) == .permitted)
        #expect(policy.decideUpdate(all, from: organization, to: organization, at: now) == .permitted)
        #expect(policy.decideDelete(all, of: organization, at: now) == .permitted)
        // It cannot be made one patient's own either.
        #expect(
            try update("patient/*.cruds", facts([], type: "Device"), facts(["a"], type: "Device"))
                == .refused(.sharedRecord))
    }

    @Test func theLetterCountsFirstAndTellsOfNoRecord() throws {
        for present in [facts(["a"]), facts(["b"]), facts(["a"], Self.restricted)] {
            #expect(try update("patient/*.crds", present, facts(["a"])) == .refused(.insufficientScope))
            #expect(
                policy.decideDelete(try grant("patient/*.crus"), of: present, at: now) == .refused(.insufficientScope))
        }
        #expect(try create("patient/*.ruds", facts(["a"])) == .refused(.insufficientScope))
        #expect(try create("patient/Condition.c", facts(["a"])) == .refused(.insufficientScope))
    }

    @Test func newContentThatMayNotBeIsRefusedAlikeWhateverIsThere() throws {
        for present in [facts(["a"]), facts(["b"]), facts(["a"], Self.restricted)] {
            #expect(try update("patient/*.cu", present, facts(["b"])) == .refused(.otherPatient))
        }
        #expect(try create("patient/*.cu", facts(["b"])) == .refused(.otherPatient))
    }

    @Test func whatIsHiddenIsNeitherChangedNorDeleted() throws {
        for labels in [Self.restricted, Self.sensitive] {
            let present = facts(["a"], labels)
            #expect(try !update("patient/*.cruds", present, present).isPermitted)
            if case .hidden = try update("patient/*.cruds", present, present) {} else { Issue.record("\(labels)") }
            if case .hidden = policy.decideDelete(try grant("patient/*.cruds"), of: present, at: now) {
            } else {
                Issue.record("\(labels)")
            }
        }
    }

    @Test func labelsMayBeRaisedAlsoBeyondWhatTheWriterSees() throws {
        for labels in [Self.restricted, Self.sensitive] {
            #expect(try create("patient/*.cu", facts(["a"], labels)) == .permitted)
            #expect(try update("patient/*.cu", facts(["a"]), facts(["a"], labels)) == .permitted)
        }
        #expect(try update("patient/*.cu", facts(["a"], Self.unrestricted), facts(["a"])) == .permitted)
    }

    @Test func toLowerLabelsTakesTheWidestScopes() throws {
        let cases = [
            (Self.restricted, SecurityLabels.none), (Self.sensitive, .none), (.none, Self.unrestricted),
            (Self.sensitive, Self.restricted),
        ]
        for (present, new) in cases {
            for scopes in ["conf/V sens/HIV", "conf/R sens/*"] {
                #expect(
                    try update("patient/*.cu " + scopes, facts(["a"], present), facts(["a"], new))
                        == .refused(.labelsLowered))
            }
            #expect(
                try update("patient/*.cu conf/V sens/*", facts(["a"], present), facts(["a"], new)) == .permitted)
        }
        #expect(try create("patient/*.cu", facts(["a"], Self.unrestricted)) == .refused(.labelsLowered))
        #expect(try create("patient/*.cu conf/V sens/*", facts(["a"], Self.unrestricted)) == .permitted)
        #expect(
            try update("patient/*.cu", facts(["a"], Self.unrestricted), facts(["a"], Self.unrestricted)) == .permitted)
    }

    @Test func aQueryHoldsBeforeAndAfter() throws {
        let scope = "patient/Observation.cud?status=final"
        let query = try #require(AccessScope(scope).resource?.query)
        let inside = facts(["a"], matching: [query])
        #expect(try create(scope, inside) == .permitted)
        #expect(try create(scope, facts(["a"])) == .refused(.scopeQueryNotMet))
        #expect(try update(scope, inside, inside) == .permitted)
        #expect(try update(scope, inside, facts(["a"])) == .refused(.scopeQueryNotMet))
        #expect(try update(scope, facts(["a"]), inside) == .hidden(.scopeQuery))
        // Who may read it is told why.
        #expect(try update(scope + " patient/*.r", facts(["a"]), inside) == .refused(.insufficientScope))
        #expect(policy.decideDelete(try grant(scope), of: facts(["a"]), at: now) == .hidden(.scopeQuery))
    }

    @Test func nobodyWritesTheAudit() throws {
        let grant = try grant("system/*.cruds conf/V sens/*", .all)
        let event = facts([], type: "AuditEvent")
        #expect(policy.decideCreate(grant, of: event, at: now) == .refused(.auditImmutable))
        #expect(policy.decideUpdate(grant, from: event, to: event, at: now) == .refused(.auditImmutable))
        #expect(policy.decideDelete(grant, of: event, at: now) == .refused(.auditImmutable))
        #expect(policy.decide(grant, .patch, type: "AuditEvent", at: now) == .refused(.auditImmutable))
        #expect(policy.decide(grant, .read, record: event, at: now) == .permitted)
        // A writing interaction is never decided as if it read.
        #expect(policy.decide(grant, .update, record: facts(["a"]), at: now) == .refused(.insufficientScope))
    }

    /// Whatever the grant: nobody changes what they do not reach, nothing leaves their reach, and labels fall for those
    /// alone from whom nothing is hidden.
    @Test func noWriteLeavesTheGrantsReach() throws {
        var generator = Seeded.fresh()
        var permitted = 0
        for _ in 0..<8000 {
            let grant = try RandomGrants.grant(&generator)
            let present = RandomGrants.facts(&generator, for: grant)
            var new = RandomGrants.facts(&generator, for: grant)
            new = RecordFacts(
                type: present.type, patients: new.owners, labels: new.labels, matchedQueries: new.matchedQueries)
            guard policy.decideUpdate(grant, from: present, to: new, at: now).isPermitted else { continue }
            permitted += 1
            for facts in [present, new] {
                if case .only(let patients) = grant.patients {
                    #expect(!facts.owners.isEmpty && facts.owners.isSubset(of: patients), "\(grant) \(facts)")
                }
            }
            #expect(present.labels.confidentiality <= grant.confidentiality)
            #expect(grant.sensitivity.permits(present.labels.sensitivities))
            if new.labels.areLower(than: present.labels) {
                #expect(grant.scopes.text.contains("conf/V") && grant.scopes.text.contains("sens/*"))
            }
        }
        #expect(permitted > 20)
    }
}
