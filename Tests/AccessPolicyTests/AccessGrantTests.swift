import FHIR
import Foundation
import Testing

@testable import AccessPolicy

@Suite struct AccessGrantTests {
    private let policy = Policy()
    private let now = Date(timeIntervalSince1970: 1000)
    private static let everything = SecurityLabels(
        confidentiality: .veryRestricted, sensitivities: ["HIV", SecurityLabels.unrecognized])

    private func grant(
        _ scopes: String, _ patients: PatientAccess = .only(["a"]), in context: String? = nil,
        role: Role = .practitioner,
        end: Date? = nil
    ) throws -> AccessGrant {
        try AccessGrant(
            client: "app", person: "p", role: role, patients: patients, patientInContext: context,
            scopes: AccessScopes(scopes), end: end)
    }

    private func facts(_ patients: Set<String>, _ labels: SecurityLabels = .none) -> RecordFacts {
        facts("Observation", patients: patients, labels: labels)
    }

    private func facts(_ type: String, patients: Set<String>, labels: SecurityLabels = .none) -> RecordFacts {
        RecordFacts(type: type, patients: patients, labels: labels)
    }

    private func read(_ grant: AccessGrant, _ facts: RecordFacts) -> RecordDecision {
        policy.decide(grant, .read, record: facts, at: now)
    }

    // MARK: Staff and device tokens

    @Test func aStaffTokenReadsAndSearchesEverythingAndWritesNothing() {
        let grant = AccessGrant(Actor(id: "token", role: .staff))
        for type in TypeModel.r4.resourceTypes {
            for patients: Set<String> in [[], ["a"], ["a", "b"]] {
                let facts = RecordFacts(type: type, patients: patients, labels: Self.everything)
                for interaction in RecordInteraction.allCases where !interaction.isWriting {
                    #expect(policy.decide(grant, interaction, record: facts, at: now) == .permitted)
                }
                #expect(!policy.decideCreate(grant, of: facts, at: now).isPermitted)
                #expect(!policy.decideUpdate(grant, from: facts, to: facts, at: now).isPermitted)
                #expect(!policy.decideDelete(grant, of: facts, at: now).isPermitted)
            }
        }
    }

    @Test func devicesTokenWritesOnlyItsParticipantsRecordsAndReadsNone() {
        for participant in [nil, "a"] {
            let actor = Actor(id: "device", role: .device, participant: participant)
            let grant = AccessGrant(actor)
            for patients: Set<String> in [[], ["a"], ["b"], ["a", "b"]] {
                // The role-based rule decides on one subject; the consumer has it only if there is one owner.
                let subject = patients.count == 1 ? patients.first : nil
                let isToday = policy.decide(actor, action: .writeRecord, target: Target(subject: subject)).allowed
                for type in ["Observation", "Contract", "Device", "Questionnaire", "Organization"] {
                    for labels in [
                        .none, Self.everything, SecurityLabels(confidentiality: .unrestricted, sensitivities: []),
                    ] {
                        let facts = self.facts(type, patients: patients, labels: labels)
                        let before = self.facts(type, patients: patients, labels: Self.everything)
                        #expect(policy.decideCreate(grant, of: facts, at: now).isPermitted == isToday)
                        #expect(policy.decideUpdate(grant, from: before, to: facts, at: now).isPermitted == isToday)
                        #expect(!policy.decideDelete(grant, of: facts, at: now).isPermitted)
                        #expect(!read(grant, facts).isPermitted)
                        #expect(policy.filter(grant, .searchType, at: now) == .nothing)
                    }
                }
            }
        }
    }

    @Test func otherActionsOfAGrantAreDecidedForItsActor() {
        for asker in PolicyTests.Asker.allCases {
            guard let actor = asker.actor else { continue }
            for action in Action.allCases where actor.role != .participant || !Self.ofOwnPage.contains(action) {
                for about in PolicyTests.About.allCases {
                    #expect(
                        policy.decide(AccessGrant(actor).actor, action: action, target: about.target)
                            == policy.decide(actor, action: action, target: about.target))
                }
            }
        }
    }

    /// Actions of a participant on their own page, which needs a session in a browser.
    private static let ofOwnPage: Set<Action> = [.createWalletCode, .listPermissions, .endPermission, .endApproval]

    @Test(arguments: ofOwnPage)
    func tokenOfAParticipantDoesNotPermitAnActionOfTheirPage(action: Action) throws {
        let actor = Actor(id: "anna", role: .participant, participant: "anna")
        let target = Target(subject: "anna")
        #expect(policy.decide(actor, action: action, target: target).allowed)
        #expect(!policy.decide(AccessGrant(actor).actor, action: action, target: target).allowed)
    }

    @Test func theServersOwnAccountHasNoRecordsByAGrant() {
        let grant = AccessGrant(Actor(id: "root", role: .site))
        #expect(read(grant, facts(["a"])) == .refused(.insufficientScope))
        #expect(policy.filter(grant, .read, at: now) == .nothing)
    }

    // MARK: Owners

    @Test func recordOfSeveralPatientsNeedsAccessToAllOfThem() throws {
        let grant = try grant("user/*.rs", .only(["a", "b"]))
        #expect(read(grant, facts(["a"])) == .permitted)
        #expect(read(grant, facts(["a", "b"])) == .permitted)
        #expect(read(grant, facts(["a", "c"])) == .hidden(.otherPatient))
        #expect(read(grant, facts([])) == .hidden(.noPatient))
    }

    @Test func recordsWithoutAPatientAreShownIfTheirTypeIsShared() throws {
        let some = try grant("user/*.rs", .only(["a"]))
        let all = try grant("user/*.rs", .all)
        for type in TypeModel.r4.resourceTypes {
            let isShared = SharedTypes.all.contains(type)
            #expect(read(some, facts(type, patients: [])) == (isShared ? .permitted : .hidden(.noPatient)), "\(type)")
            #expect(read(all, facts(type, patients: [])) == .permitted)
            #expect(read(some, facts(type, patients: ["b"])) == .hidden(.otherPatient))
        }
    }

    @Test func theSharedTypesAreThoseOfR4ThatHaveACanonicalURLAndTheNamedOnes() {
        let model = TypeModel.r4
        let withURL = model.resourceTypes.filter { name in
            model.type(name).flatMap { model.elementIndex(named: "url", of: $0) } != nil
        }
        // In these two types `url` is a network address.
        #expect(Set(withURL).subtracting(["Device", "DeviceDefinition"]) == SharedTypes.withCanonicalURL)
        #expect(SharedTypes.named.isSubset(of: Set(model.resourceTypes)))
        #expect(RecordFilter.sharedTypes == SharedTypes.all)
    }

    @Test func scopesOfThePatientReachTheOneInContext() throws {
        let grant = try grant("patient/Observation.rs user/Condition.rs", .only(["a", "b"]), in: "a")
        #expect(read(grant, facts(["a"])) == .permitted)
        #expect(read(grant, facts(["b"])) == .hidden(.otherPatient))
        #expect(read(grant, facts("Condition", patients: ["b"])) == .permitted)
        // A patient in context must be reached by the grant.
        let other = try self.grant("patient/*.rs", .only(["a"]), in: "c")
        #expect(read(other, facts(["c"])) == .hidden(.otherPatient))
        #expect(read(other, facts(["a"])) == .hidden(.otherPatient))
        let all = try self.grant("patient/*.rs", .all, in: "c")
        #expect(read(all, facts(["c"])) == .permitted)
        #expect(read(all, facts(["a"])) == .hidden(.otherPatient))
    }

    @Test func scopesForOnePatientCannotReachAllByOmission() throws {
        #expect(throws: AccessGrantError.patientMissing) { try grant("patient/*.rs", .all) }
        #expect(throws: AccessGrantError.patientMissing) { try grant("user/*.rs", .all, role: .participant) }
        #expect(throws: AccessGrantError.patientMissing) { try grant("user/*.rs", .all, in: "a", role: .participant) }
        #expect(AccessGrantError.patientMissing.code == "patient-missing")
        #expect(try read(grant("user/*.rs system/*.rs", .all), facts(["b"])) == .permitted)
        #expect(try read(grant("system/*.cruds", role: .participant), facts(["b"])) == .hidden(.otherPatient))
    }

    // MARK: Scopes, labels and expiry

    @Test func theTypeAndTheLettersOfAScopeCount() throws {
        let grant = try grant("patient/Observation.r patient/Condition.s patient/Encounter.cud")
        #expect(read(grant, facts(["a"])) == .permitted)
        #expect(policy.decide(grant, .searchType, record: facts(["a"]), at: now) == .refused(.insufficientScope))
        #expect(read(grant, facts("Condition", patients: ["a"])) == .refused(.insufficientScope))
        #expect(read(grant, facts("Encounter", patients: ["a"])) == .refused(.insufficientScope))
        // Without the scope neither a hidden nor a visible record is revealed.
        #expect(read(grant, facts("Condition", patients: ["b"])) == .refused(.insufficientScope))
        for (interaction, letter) in [
            (RecordInteraction.read, "r"), (.versionRead, "r"), (.historyOfInstance, "r"), (.searchType, "s"),
            (.searchSystem, "s"), (.historyOfType, "s"), (.historyOfSystem, "s"), (.create, "c"), (.update, "u"),
            (.patch, "u"), (.delete, "d"),
        ] {
            #expect(interaction.permission.letters == letter)
            let decision = policy.decide(try self.grant("patient/*.\(letter)"), interaction, type: "Patient", at: now)
            #expect(decision == .permitted)
        }
    }

    @Test func labelsHideRecordsForAnyScope() throws {
        let secret = facts(["a"], SecurityLabels(confidentiality: .restricted, sensitivities: []))
        let sensitive = facts(["a"], SecurityLabels(confidentiality: .normal, sensitivities: ["ETHUD", "HIV"]))
        #expect(try read(grant("patient/*.rs"), secret) == .hidden(.confidentiality))
        #expect(try read(grant("patient/*.rs conf/R"), secret) == .permitted)
        #expect(try read(grant("patient/*.rs conf/V"), sensitive) == .hidden(.sensitivity))
        #expect(try read(grant("patient/*.rs sens/ETH"), sensitive) == .hidden(.sensitivity))
        #expect(try read(grant("patient/*.rs sens/ETH sens/HIV"), sensitive) == .permitted)
        #expect(try read(grant("patient/*.rs conf/L"), facts(["a"])) == .hidden(.confidentiality))
        #expect(
            try read(grant("user/*.rs", .all), facts("Organization", patients: [], labels: Self.everything))
                == .hidden(.confidentiality))
    }

    @Test func queryOfAScopeShowsOnlyItsMatches() throws {
        let grant = try grant("patient/Observation.rs?status=final patient/Observation.r?category=lab")
        let scopes = try #require(grant.onlyPart).scopes
        let queries = scopes.queries(of: "Observation", for: .read)
        #expect(queries.count == 2 && scopes.queries(of: "Observation", for: .search).count == 1)
        #expect(scopes.queries(of: "Patient", for: .read) == [])
        #expect(read(grant, facts(["a"])) == .hidden(.scopeQuery))
        for query in queries {
            let facts = RecordFacts(type: "Observation", patients: ["a"], matchedQueries: [query])
            #expect(read(grant, facts) == .permitted)
        }
    }

    @Test func aGrantEndsAtItsInstant() throws {
        let grant = try grant("patient/*.cruds", end: now)
        let facts = self.facts(["a"])
        #expect(policy.decide(grant, .read, record: facts, at: now.addingTimeInterval(-0.001)) == .permitted)
        for later in [0, 0.001, 1e9] {
            let later = now.addingTimeInterval(later)
            #expect(policy.decide(grant, .read, record: facts, at: later) == .refused(.grantEnded))
            #expect(policy.decide(grant, .searchType, type: "Patient", at: later) == .refused(.grantEnded))
            #expect(policy.decideCreate(grant, of: facts, at: later) == .refused(.grantEnded))
            #expect(policy.decideUpdate(grant, from: facts, to: facts, at: later) == .refused(.grantEnded))
            #expect(policy.decideDelete(grant, of: facts, at: later) == .refused(.grantEnded))
            #expect(policy.filter(grant, .read, at: later) == .nothing)
        }
    }

    @Test func aVersionShowsOnlyIfItAndTheNewestMayBeSeen() throws {
        let grant = try grant("patient/*.rs")
        let open = facts(["a"])
        let hidden = facts(["a"], SecurityLabels(confidentiality: .restricted, sensitivities: []))
        func version(_ version: RecordFacts, _ newest: RecordFacts) -> RecordDecision {
            policy.decide(grant, .versionRead, version: version, newest: newest, at: now)
        }
        #expect(version(open, open) == .permitted)
        #expect(version(open, hidden) == .hidden(.newestVersion))
        #expect(version(hidden, open) == .hidden(.confidentiality))
        #expect(version(facts(["b"]), open) == .hidden(.otherPatient))
        #expect(version(open, facts(["b"])) == .hidden(.newestVersion))
    }

    @Test func theAuditHasAStableCodeForEveryDecision() {
        #expect(RecordDecision.permitted.decision == Decision(allowed: true, reason: "permitted"))
        let codes =
            RecordDecision.Hiding.allCases.map { RecordDecision.hidden($0).decision.reason }
            + RecordRefusal.allCases.map { RecordDecision.refused($0).decision.reason }
        #expect(Set(codes).count == codes.count)
        #expect(
            codes == [
                "hidden-confidentiality", "hidden-sensitivity", "hidden-other-patient", "hidden-no-patient",
                "hidden-scope-query", "hidden-newest-version", "grant-ended", "insufficient-scope", "audit-immutable",
                "shared-record", "other-patient", "patient-missing", "scope-query-not-met", "labels-lowered",
            ])
        for refusal in RecordRefusal.allCases { #expect(refusal.message.hasSuffix(".")) }
    }
}
