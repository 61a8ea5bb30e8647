import AccessPolicy
import FHIR
import Foundation
import Storage
import StorageTestSupport
import Testing

@testable import FHIRSearch
@testable import SearchStatements

/// Chains, reverse chains, includes, orders, systems and compartments, by example.
@Suite struct SearchChainTests {
    private static let resources = [
        #"{"resourceType":"Organization","id":"clinic","name":"North"}"#,
        #"{"resourceType":"Organization","id":"ward","name":"Ward","partOf":{"reference":"Organization/clinic"}}"#,
        #"{"resourceType":"Practitioner","id":"doctor","name":[{"family":"Grey"}]}"#,
        #"{"resourceType":"Patient","id":"anna","name":[{"family":"Anna"}],"birthDate":"1990-01-01","managingOrganization":{"reference":"Organization/ward"},"generalPractitioner":[{"reference":"Practitioner/doctor"}]}"#,
        #"{"resourceType":"Patient","id":"bob","name":[{"family":"Bob"}],"birthDate":"2001-01-01","managingOrganization":{"reference":"http://host/fhir/Organization/clinic"}}"#,
        #"{"resourceType":"Observation","id":"o1","status":"final","code":{"coding":[{"system":"urn:c","code":"x"}]},"subject":{"reference":"Patient/anna"},"effectiveDateTime":"2026-03-02","valueQuantity":{"value":3,"system":"http://unitsofmeasure.org","code":"mg"}}"#,
        #"{"resourceType":"Observation","id":"o2","status":"final","code":{"coding":[{"system":"urn:c","code":"y"}]},"subject":{"reference":"Patient/bob"},"effectiveDateTime":"2026-03-01","hasMember":[{"reference":"Observation/o1"}],"valueQuantity":{"value":1.5}}"#,
        #"{"resourceType":"Observation","id":"o3","status":"final","code":{"text":"none"},"subject":{"reference":"Patient/bob"},"hasMember":[{"reference":"Observation/o2"}],"focus":[{"reference":"Patient/anna"}]}"#,
        #"{"resourceType":"Questionnaire","id":"form","url":"http://q/form","version":"2","title":"Sleep"}"#,
        #"{"resourceType":"QuestionnaireResponse","id":"r1","questionnaire":"http://q/form|2","subject":{"reference":"Patient/anna"},"authored":"2026-01-01"}"#,
        #"{"resourceType":"QuestionnaireResponse","id":"r2","questionnaire":"http://q/other","subject":{"reference":"Patient/anna"}}"#,
        #"{"resourceType":"Condition","id":"secret","subject":{"reference":"Patient/bob"},"code":{"coding":[{"code":"hiv"}]},"meta":{"security":[{"system":"http://terminology.hl7.org/CodeSystem/v3-Confidentiality","code":"R"}]}}"#,
        #"{"resourceType":"Provenance","id":"made","target":[{"reference":"Observation/o1"}]}"#,
    ]

    private func answers(_ expected: [(type: String, query: String, ids: [String])]) async throws {
        for engine in TestEngine.allCases {
            try await SearchStore.with(Self.resources, on: engine) { store in
                for (type, query, ids) in expected {
                    let found = try await store.ids(type, query)
                    #expect(found == ids, "\(engine) \(type)?\(query)")
                }
            }
        }
    }

    @Test func chainsFollowReferences() async throws {
        try await answers([
            ("Observation", "subject:Patient.name=ann", ["o1"]), ("Observation", "subject.name=bob", ["o2", "o3"]),
            ("Observation", "patient.birthdate=lt2000", ["o1"]),
            ("Observation", "patient.organization.name=north", ["o2", "o3"]),
            ("Observation", "patient.organization.partof.name=north", ["o1"]),
            ("Observation", "patient.general-practitioner:Practitioner.name=grey", ["o1"]),
            ("Observation", "has-member.has-member.code=x", ["o3"]), ("Observation", "focus:Patient.name=anna", ["o3"]),
            ("Observation", "subject:Group._id=anna", []),
            ("QuestionnaireResponse", "questionnaire.title=sleep", ["r1"]),
            ("Patient", "organization.name=north,ward", ["anna", "bob"]),
        ])
    }

    @Test func reverseChainsFollowReferences() async throws {
        try await answers([
            ("Patient", "_has:Observation:patient:code=x", ["anna"]),
            ("Patient", "_has:Observation:subject:code:not=x", ["bob"]),
            ("Patient", "_has:Observation:patient:_has:Provenance:target:_id=made", ["anna"]),
            ("Patient", "_has:Observation:focus:_id=o3", ["anna"]),
            ("Patient", "_has:Observation:patient:has-member.code=x", ["bob"]),
            ("Organization", "_has:Patient:organization:birthdate=gt2000", ["clinic"]),
            ("Questionnaire", "_has:QuestionnaireResponse:questionnaire:_id=r1", ["form"]),
            ("Questionnaire", "_has:QuestionnaireResponse:questionnaire:_id=r2", []),
            ("Organization", "_has:Organization:partof:name=ward&name=north", ["clinic"]),
        ])
    }

    /// The maximum number of steps, each limited by a grant: nested in each other they would exceed SQLite's limit.
    @Test func theLongestChainsAreFollowed() async throws {
        let grant = try AccessGrant(
            client: "app", role: .practitioner, patients: .only(["anna", "bob"]),
            scopes: AccessScopes("user/*.rs sens/HIV sens/PSY"))
        // Many patients, many periods, and the maximum number of different labels.
        let codes = ["SUD", "ETH", "SPI", "DEMO", "SOC", "SEX", "STD"]
        let parts = try (1..<500).map { number in
            let form = min(number, AccessGrant.maximumForms)
            let labels = codes.enumerated().filter { form & (1 << $0.offset) != 0 }.map { " sens/" + $0.element }
            return AccessPart(
                patients: .only(["anna", "bob", "p\(number)", "q\(number)"]),
                scopes: try AccessScopes("user/*.rs sens/HIV sens/PSY" + labels.joined()),
                end: SearchStore.time.addingTimeInterval(Double(number)))
        }
        let large = try AccessGrant(client: "app", role: .practitioner, parts: parts)
        let chains = [
            ("Observation", "has-member.has-member.subject:Patient.organization.partof.name=north", ["o3"]),
            (
                "Patient",
                "_has:Observation:patient:_has:Observation:has-member:_has:Observation:has-member:patient._has:Observation:patient:code=y",
                ["anna"]
            ),
            (
                "Patient",
                "_has:Observation:subject:subject:Patient._has:Observation:subject:subject:Patient._has:Observation:subject:code=x",
                ["anna"]
            ),
        ]
        for engine in TestEngine.allCases {
            try await SearchStore.with(Self.resources, on: engine) { store in
                for (type, query, ids) in chains {
                    for more in ["", "&_sort=_lastUpdated", "&_total=accurate&_count=1", "&_summary=count"] {
                        // The largest grant takes longer.
                        for grant in more.isEmpty && type == "Observation" ? [nil, grant, large] : [nil, grant] {
                            let found = try await store.answer(.type(type), query + more, by: grant)
                            #expect(found.total == ids.count, "\(engine) \(type)?\(query)\(more)")
                            let shown = found.matches.map(\.record.id)
                            #expect(shown == (more == "&_summary=count" ? [] : ids), "\(engine) \(query)\(more)")
                        }
                    }
                }
            }
        }
    }

    @Test func includesAddReferencedResources() async throws {
        try await answers([
            ("Observation", "_id=o1&_include=Observation:subject", ["o1", "+anna"]),
            ("Observation", "_id=o1&_include=Observation:subject:Group", ["o1"]),
            ("Observation", "_id=o1&_include=Patient:organization", ["o1"]),
            (
                "Observation", "_id=o1&_include=Observation:patient&_include:iterate=Patient:organization",
                ["o1", "+anna", "+ward"]
            ),
            (
                "Observation",
                "_id=o1&_include=*&_include:iterate=Patient:*&_include:iterate=Organization:partof",
                ["o1", "+anna", "+ward", "+doctor", "+clinic"]
            ),
            // A match of the page is not included again.
            ("Observation", "_include=Observation:has-member&code=x,y", ["o1", "o2"]),
            ("Observation", "_id=o3&_include:iterate=Observation:has-member", ["o3", "+o2", "+o1"]),
            ("Patient", "_id=bob&_revinclude=Observation:subject", ["bob", "+o2", "+o3"]),
            ("Patient", "_id=anna&_revinclude=Observation:*", ["anna", "+o1", "+o3"]),
            (
                "Patient", "_id=anna&_revinclude=Observation:subject&_revinclude:iterate=Provenance:target",
                ["anna", "+o1", "+made"]
            ),
            ("Organization", "_id=clinic&_revinclude=Patient:organization", ["clinic", "+bob"]),
            ("QuestionnaireResponse", "_include=QuestionnaireResponse:questionnaire", ["r1", "r2", "+form"]),
            ("Questionnaire", "_revinclude=QuestionnaireResponse:questionnaire", ["form", "+r1"]),
            ("Patient", "_id=anna&_revinclude=*", ["anna", "+o1", "+o3", "+r1", "+r2"]),
        ])
    }

    @Test func pagesFollowTheRequestedOrder() async throws {
        try await answers([
            ("Observation", "_sort=date", ["o2", "o1", "o3"]), ("Observation", "_sort=-date", ["o1", "o2", "o3"]),
            ("Observation", "_sort=value-quantity", ["o2", "o1", "o3"]),
            ("Observation", "_sort=-code", ["o2", "o1", "o3"]),
            ("Observation", "_sort=-subject,-_id", ["o3", "o2", "o1"]),
            ("Observation", "_sort=status,-_id", ["o3", "o2", "o1"]),
            ("Patient", "_sort=-family", ["bob", "anna"]), ("Patient", "_sort=-organization", ["bob", "anna"]),
            ("QuestionnaireResponse", "_sort=-authored", ["r1", "r2"]),
            ("QuestionnaireResponse", "_sort=-questionnaire", ["r2", "r1"]),
            ("Observation", "_sort=_lastUpdated", ["o1", "o2", "o3"]),
        ])
    }

    @Test func systemsAndCompartmentsAreSearched() async throws {
        let anna = try #require(SearchCompartment(type: "Patient", id: "anna"))
        let doctor = try #require(SearchCompartment(type: "Practitioner", id: "doctor"))
        for engine in TestEngine.allCases {
            try await SearchStore.with(Self.resources, on: engine) { store in
                #expect(try await store.ids(.system, "_id=o1,anna") == ["anna", "o1"])
                #expect(try await store.ids(.system, "_type=Patient,Condition") == ["anna", "bob", "secret"])
                #expect(
                    try await store.ids(.system, "_type=Patient,Organization&_sort=-_id&_count=3") == [
                        "ward", "clinic", "bob",
                    ])
                let page = try await store.answer(.system, "_type=Patient,Observation&_count=2&_sort=_id")
                #expect(page.total == 5 && page.matches.map(\.record.id) == ["anna", "bob"])
                let next = try #require(page.next)
                let second = try await store.ids(
                    .system, "_type=Patient,Observation&_count=5&_sort=_id&_cursor=" + next.text)
                #expect(second == ["o1", "o2", "o3"])
                #expect(try await store.ids(.compartment(anna, type: "Observation"), "") == ["o1"])
                #expect(try await store.ids(.compartment(anna, type: "Patient"), "") == ["anna"])
                #expect(try await store.ids(.compartment(anna, type: nil), "") == ["anna", "o1", "r1", "r2"])
                #expect(
                    try await store.ids(.compartment(anna, type: nil), "_type=QuestionnaireResponse&_id=r2") == ["r2"])
                #expect(try await store.ids(.compartment(doctor, type: nil), "") == ["doctor", "anna"])
            }
        }
    }

    /// No form of search reveals anything about records outside of the grant.
    @Test func hiddenRecordsDoNotAffectSearches() async throws {
        let grant = try AccessGrant(
            client: "app", role: .practitioner, patients: .all, scopes: AccessScopes("user/*.rs"))
        let onlyObservations = try AccessGrant(
            client: "app", role: .practitioner, patients: .all,
            scopes: AccessScopes("user/Observation.rs user/Patient.s"))
        try await SearchStore.with(Self.resources) { store in
            #expect(try await store.ids("Patient", "_has:Condition:patient:code=hiv") == ["bob"])
            #expect(try await store.ids("Patient", "_has:Condition:patient:code=hiv", by: grant).isEmpty)
            #expect(try await store.ids("Patient", "_has:Condition:patient:code:not=hiv", by: grant).isEmpty)
            #expect(try await store.ids("Patient", "_id=bob&_revinclude=Condition:patient", by: grant) == ["bob"])
            #expect(try await store.ids(.system, "_id=secret", by: grant).isEmpty)
            // A patient that may be searched and not read is not included; an organization is not followed either.
            let found = try await store.ids("Observation", "subject:Patient.name=ann", by: onlyObservations)
            #expect(found == ["o1"])
            let brought = try await store.ids(
                "Observation", "_id=o1&_include=Observation:subject", by: onlyObservations)
            #expect(brought == ["o1"])
            let through = try await store.ids("Observation", "patient.organization.name=ward", by: onlyObservations)
            #expect(through.isEmpty)
        }
    }

    @Test func excessiveIncludesAreRefused() async throws {
        let many = (0...IncludedRecords.maximumCount).map {
            #"{"resourceType":"Basic","id":"b\#($0)","subject":{"reference":"Patient/p"}}"#
        }
        let line = (0...IncludedRecords.maximumRounds + 1).map {
            #"{"resourceType":"Organization","id":"l\#($0)","partOf":{"reference":"Organization/l\#($0 + 1)"}}"#
        }
        try await SearchStore.with([#"{"resourceType":"Patient","id":"p"}"#] + many + line) { store in
            for (type, query) in [
                ("Patient", "_revinclude=Basic:subject"),
                ("Organization", "_id=l0&_include:iterate=Organization:partof"),
            ] {
                let error = await #expect(throws: SearchConditionError.self) { try await store.ids(type, query) }
                #expect(error?.code == "too-costly")
            }
        }
    }
}
