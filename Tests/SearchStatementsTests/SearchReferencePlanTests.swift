import AccessPolicy
import FHIR
import Foundation
import Storage
import StorageTestSupport
import Testing

@testable import FHIRSearch
@testable import RecordStorage
@testable import SearchStatements

/// No search reads a whole table.
@Suite struct SearchReferencePlanTests {
    private static let resources = [
        #"{"resourceType":"Patient","id":"anna","name":[{"family":"Anna"}],"managingOrganization":{"reference":"Organization/o"}}"#,
        #"{"resourceType":"Organization","id":"o","name":"o"}"#,
        #"{"resourceType":"Observation","id":"o1","status":"final","code":{"coding":[{"code":"x"}]},"subject":{"reference":"Patient/anna"},"performer":[{"reference":"Organization/o"}],"effectiveDateTime":"2026-03-02","valueQuantity":{"value":3}}"#,
        #"{"resourceType":"Questionnaire","id":"form","url":"http://q/form","version":"2","title":"Sleep"}"#,
        #"{"resourceType":"QuestionnaireResponse","id":"r1","questionnaire":"http://q/form|2"}"#,
    ]

    /// Whether rows of a table are read without an index. A subquery's result is not a table.
    private func readsAll(_ plan: QueryPlan) -> Bool {
        plan.lines.contains { line in
            if line.contains("Seq Scan") { return true }
            guard line.hasPrefix("SCAN") else { return false }
            let name = line.split(separator: " ").dropFirst().first.map(String.init) ?? ""
            return !["k", "a", "f", "(subquery-"].contains { name.hasPrefix($0) } && !name.hasPrefix("p0")
                && name != "p1"
                && name != "CONSTANT"
        }
    }

    @Test(arguments: [
        "subject:Patient.name=ann", "patient.organization.name=o", "performer:Organization.name=o&date=ge2026",
        "_has:Provenance:target:_id=x", "_sort=-date&code=x", "_sort=code,-value-quantity&_cursor=s1.n.n",
        "_sort=subject,_lastUpdated", "subject:Patient._has:QuestionnaireResponse:patient:questionnaire=http://q/form",
    ])
    func searchesUseIndexes(query: String) async throws {
        let grant = try AccessGrant(
            client: "app", role: .practitioner, patients: .only(["anna"]), scopes: AccessScopes("user/*.rs"))
        for engine in TestEngine.allCases {
            try await SearchStore.with(Self.resources, on: engine) { store in
                for grant in [nil, grant] {
                    let search = try store.search(.type("Observation"), query, by: grant)
                    let plans = try await store.database.read { transaction in
                        let statement = try SearchStatement(
                            search.query, showing: search.searched, ownBases: [SearchStore.base], in: transaction)
                        let totals = statement.totals() + statement.totals(upTo: 2)
                        return try ([statement.page(limit: 10)] + totals + statement.ids(limit: 2)).map {
                            try QueryPlan($0.sql, $0.parameters, in: transaction)
                        }
                    }
                    for plan in plans { #expect(!readsAll(plan), "\(engine) \(query): \(plan)") }
                }
            }
        }
    }

    @Test func searchesOfSeveralTypesUseIndexes() async throws {
        for engine in TestEngine.allCases {
            try await SearchStore.with(Self.resources, on: engine) { store in
                let query = try SearchQuery(
                    .system, parameters: [("_type", "Patient,Observation"), ("_id", "o1")], strict: true, now: Date())
                let plan = try await store.database.read { transaction in
                    let page = try SearchStatement(query, showing: .everything, in: transaction).page(limit: 3)
                    return try QueryPlan(page.sql, page.parameters, in: transaction)
                }
                #expect(!readsAll(plan), "\(engine): \(plan)")
            }
        }
    }

    @Test func includesUseIndexes() async throws {
        for engine in TestEngine.allCases {
            try await SearchStore.with(Self.resources, on: engine) { store in
                let references = try ReferringRecords(type: "Observation", parameter: "subject", [SearchStore.base])
                let forms = try ReferringRecords(type: "QuestionnaireResponse", parameter: "questionnaire", [])
                let plans = try await store.database.read { transaction in
                    try [
                        ("Observation", references.referring(to: "Patient", ids: ["anna", "bob"])),
                        ("QuestionnaireResponse", forms.referring(toURLs: ["http://q/form", "http://q/form|2"])),
                        ("Patient", RecordKey.isOne(of: ["anna", "bob"], type: "Patient")),
                    ].map { type, condition in
                        let statement = try IncludedRecords.statement(
                            type: type, condition, showing: .everything, limit: 5, in: transaction)
                        return try QueryPlan(statement.sql, statement.parameters, in: transaction)
                    }
                        + [
                            try StoredTerminology.statement("ValueSet", "urn:v", showing: .everything, in: transaction)
                                .map {
                                    try QueryPlan($0.sql, $0.parameters, in: transaction)
                                }
                        ].compactMap(\.self)
                }
                #expect(plans.count == 4)
                for plan in plans { #expect(!readsAll(plan), "\(engine): \(plan)") }
                // For a few rows PostgreSQL reads those of the type.
                if engine == .sqlite { #expect(plans[2].uses(index: "record_by_address"), "\(plans[2])") }
            }
        }
    }

    /// For any number of records of a type, those with certain ids are looked up by id.
    @Test(arguments: [
        ("Patient", "_id=anna,bob"), ("Patient", "_has:Observation:subject:code=x"),
        ("Organization", "_has:Observation:performer:code=x"), ("Observation", "performer:Organization._id=o,p"),
    ])
    func searchesByIDUseAddresses(type: String, query: String) async throws {
        try await SearchStore.with(Self.resources, on: .sqlite) { store in
            let search = try store.search(.type(type), query, by: nil)
            let plan = try await store.database.read { transaction in
                let statement = try SearchStatement(
                    search.query, showing: search.searched, ownBases: [SearchStore.base], in: transaction)
                let page = try statement.page(limit: 10)
                return try QueryPlan(page.sql, page.parameters, in: transaction)
            }
            #expect(plan.uses(index: "record_by_address"), "\(plan)")
            #expect(!plan.uses(index: "record_by_type (type=?)"), "\(plan)")
        }
    }
}
