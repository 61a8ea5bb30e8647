import Foundation
import TestSupport
import Testing

@testable import AccessPolicy

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

    private func update(_ scopes: String, from present: RecordFacts, to new: RecordFacts) throws -> RecordDecision {
        policy.decideUpdate(try grant(scopes), from: present, to: new, at: now)
    }

    @Test func writtenRecordBelongsToPatientsOfTheGrantBeforeAndAfter() throws {
        let scopes = "patient/*.cruds"
        #expect(try create(scopes, facts(["a"])) == .permitted)
        #expect(try create(scopes, facts(["b"])) == .refused(.otherPatient))
        #expect(try create(scopes, facts(["a", "b"])) == .refused(.otherPatient))
        #expect(try create(scopes, facts([])) == .refused(.patientMissing))
        #expect(try update(scopes, from: facts(["a"]), to: facts(["a"])) == .permitted)
        #expect(try update(scopes, from: facts(["a"]), to: facts(["b"])) == .refused(.otherPatient))
        #expect(try update(scopes, from: facts(["a"]), to: facts([])) == .refused(.patientMissing))
        #expect(try update(scopes, from: facts(["b"]), to: facts(["a"])) == .hidden(.otherPatient))
        #expect(try update(scopes, from: facts(["a", "b"]), to: facts(["a"])) == .hidden(.otherPatient))
        #expect(policy.decideDelete(try grant(scopes), of: facts(["a"]), at: now) == .permitted)
        #expect(policy.decideDelete(try grant(scopes), of: facts(["b"]), at: now) == .hidden(.otherPatient))
    }

    @Test func sharedRecordsNeedAGrantForAllPatients() throws {
        let organization = facts([], type: "Organization")
        #expect(try create("patient/*.cruds", organization) == .refused(.sharedRecord))
        #expect(try update("patient/*.cruds", from: organization, to: organization) == .refused(.sharedRecord))
        #expect(policy.decideDelete(try grant("user/*.cruds"), of: organization, at: now) == .refused(.sharedRecord))
        let all = try grant("user/*.cruds", .all)
        #expect(policy.decideCreate(all, of: organization, at: now) == .permitted)
        #expect(policy.decideUpdate(all, from: organization, to: organization, at: now) == .permitted)
        #expect(policy.decideDelete(all, of: organization, at: now) == .permitted)
        // It cannot be assigned to one patient either.
        #expect(
            try update("patient/*.cruds", from: facts([], type: "Device"), to: facts(["a"], type: "Device"))
                == .refused(.sharedRecord))
    }

    @Test func interactionScopeIsCheckedFirstAndRevealsNoRecord() throws {
        for present in [facts(["a"]), facts(["b"]), facts(["a"], Self.restricted)] {
            #expect(try update("patient/*.crds", from: present, to: facts(["a"])) == .refused(.insufficientScope))
            #expect(
                policy.decideDelete(try grant("patient/*.crus"), of: present, at: now) == .refused(.insufficientScope))
        }
        #expect(try create("patient/*.ruds", facts(["a"])) == .refused(.insufficientScope))
        #expect(try create("patient/Condition.c", facts(["a"])) == .refused(.insufficientScope))
    }

    @Test func forbiddenNewContentIsRefusedIndependentlyOfTheExistingRecord() throws {
        for present in [facts(["a"]), facts(["b"]), facts(["a"], Self.restricted)] {
            #expect(try update("patient/*.cu", from: present, to: facts(["b"])) == .refused(.otherPatient))
        }
        #expect(try create("patient/*.cu", facts(["b"])) == .refused(.otherPatient))
    }

    @Test func hiddenRecordIsNeitherChangedNorDeleted() throws {
        for labels in [Self.restricted, Self.sensitive] {
            let present = facts(["a"], labels)
            #expect(try !update("patient/*.cruds", from: present, to: present).isPermitted)
            if case .hidden = try update("patient/*.cruds", from: present, to: present) {
            } else {
                Issue.record("\(labels)")
            }
            if case .hidden = policy.decideDelete(try grant("patient/*.cruds"), of: present, at: now) {
            } else {
                Issue.record("\(labels)")
            }
        }
    }

    @Test func labelsMayBeRaisedBeyondTheWritersAccess() throws {
        for labels in [Self.restricted, Self.sensitive] {
            #expect(try create("patient/*.cu", facts(["a"], labels)) == .permitted)
            #expect(try update("patient/*.cu", from: facts(["a"]), to: facts(["a"], labels)) == .permitted)
        }
        #expect(try update("patient/*.cu", from: facts(["a"], Self.unrestricted), to: facts(["a"])) == .permitted)
    }

    @Test func loweringLabelsNeedsTheWidestScopes() throws {
        let cases = [
            (Self.restricted, SecurityLabels.none), (Self.sensitive, .none), (.none, Self.unrestricted),
            (Self.sensitive, Self.restricted),
        ]
        for (present, new) in cases {
            for scopes in ["conf/V sens/HIV", "conf/R sens/*"] {
                #expect(
                    try update("patient/*.cu " + scopes, from: facts(["a"], present), to: facts(["a"], new))
                        == .refused(.labelsLowered))
            }
            #expect(
                try update("patient/*.cu conf/V sens/*", from: facts(["a"], present), to: facts(["a"], new))
                    == .permitted)
        }
        #expect(try create("patient/*.cu", facts(["a"], Self.unrestricted)) == .refused(.labelsLowered))
        #expect(try create("patient/*.cu conf/V sens/*", facts(["a"], Self.unrestricted)) == .permitted)
        #expect(
            try update("patient/*.cu", from: facts(["a"], Self.unrestricted), to: facts(["a"], Self.unrestricted))
                == .permitted)
    }

    @Test func queryOfAScopeMustMatchBeforeAndAfterAWrite() throws {
        let scope = "patient/Observation.cud?status=final"
        let query = try #require(AccessScope(scope).resource?.query)
        let inside = facts(["a"], matching: [query])
        #expect(try create(scope, inside) == .permitted)
        #expect(try create(scope, facts(["a"])) == .refused(.scopeQueryNotMet))
        #expect(try update(scope, from: inside, to: inside) == .permitted)
        #expect(try update(scope, from: inside, to: facts(["a"])) == .refused(.scopeQueryNotMet))
        #expect(try update(scope, from: facts(["a"]), to: inside) == .hidden(.scopeQuery))
        // A caller who may read it gets the reason.
        #expect(try update(scope + " patient/*.r", from: facts(["a"]), to: inside) == .refused(.insufficientScope))
        #expect(policy.decideDelete(try grant(scope), of: facts(["a"]), at: now) == .hidden(.scopeQuery))
    }

    @Test func auditCannotBeWritten() throws {
        let grant = try grant("system/*.cruds conf/V sens/*", .all)
        let event = facts([], type: "AuditEvent")
        #expect(policy.decideCreate(grant, of: event, at: now) == .refused(.auditImmutable))
        #expect(policy.decideUpdate(grant, from: event, to: event, at: now) == .refused(.auditImmutable))
        #expect(policy.decideDelete(grant, of: event, at: now) == .refused(.auditImmutable))
        #expect(policy.decide(grant, .patch, type: "AuditEvent", at: now) == .refused(.auditImmutable))
        #expect(policy.decide(grant, .read, record: event, at: now) == .permitted)
        // A writing interaction is never decided like a read.
        #expect(policy.decide(grant, .update, record: facts(["a"]), at: now) == .refused(.insufficientScope))
    }

    /// For any grant: only records of the grant are changed, no record leaves it, and only callers from whom nothing is
    /// hidden may lower labels.
    @Test func writesStayWithinTheGrant() throws {
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
            let isByOne = grant.parts.contains { part in
                guard part.isInForce(at: now), present.labels.confidentiality <= part.confidentiality,
                    part.sensitivity.permits(present.labels.sensitivities)
                else { return false }
                if case .only(let patients) = part.patients {
                    for facts in [present, new] where facts.owners.isEmpty || !facts.owners.isSubset(of: patients) {
                        return false
                    }
                }
                let text = part.scopes.text
                return !new.labels.areLower(than: present.labels) || text.contains("conf/V") && text.contains("sens/*")
            }
            #expect(isByOne, "\(grant) \(present) \(new)")
        }
        #expect(permitted > 20)
    }
}
