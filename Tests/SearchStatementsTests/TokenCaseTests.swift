import FHIR
import Foundation
import Storage
import StorageTestSupport
import TestSupport
import Testing

@testable import FHIRSearch
@testable import ObservationTemplates
@testable import RecordStorage
@testable import SearchStatements

/// Identifiers and codes of unknown systems are found in any case, by their indexes.
@Suite struct TokenCaseTests {
    private static let patient =
        #"{"resourceType":"Patient","id":"p","identifier":[{"system":"urn:mrn","value":"MRN-Abc","type":{"coding":[{"system":"urn:t","code":"MR"}]}}]}"#

    private static func coded(_ id: String, system: String, code: String) -> String {
        #"{"resourceType":"Observation","id":"\#(id)","status":"final","code":{"coding":[{"system":"\#(system)","code":"\#(code)"}]},"#
            + #""subject":{"reference":"Patient/p","identifier":{"value":"MRN-Abc"}}}"#
    }

    @Test(arguments: TestEngine.allCases)
    func theIndexFindsThemInAnyCase(engine: TestEngine) async throws {
        let resources = [
            Self.patient, Self.coded("upper", system: "urn:own", code: "E11.9A"),
            Self.coded("lower", system: "urn:own", code: "e11.9a"),
            Self.coded("hl7", system: "http://terminology.hl7.org/CodeSystem/v3-ActCode", code: "AMB"),
        ]
        try await SearchStore.with(resources, on: engine) { store async throws in
            for text in ["mrn-abc", "MRN-ABC", "urn:mrn|Mrn-Abc"] {
                #expect(try await store.ids("Patient", "identifier=" + text) == ["p"], "\(text)")
            }
            #expect(try await store.ids("Patient", "identifier:of-type=urn:t|MR|mrn-ABC") == ["p"])
            #expect(try await store.ids("Patient", "identifier:not=mrn-abc") == [])
            #expect(try await store.ids("Patient", "identifier=mrn-ab") == [])
            for text in ["E11.9A", "e11.9a", "urn:own|E11.9a"] {
                #expect(try await store.ids("Observation", "code=" + text) == ["upper", "lower"], "\(text)")
            }
            #expect(try await store.ids("Observation", "code:not=e11.9A") == ["hl7"])
            #expect(try await store.ids("Observation", "code=amb") == [])
            #expect(try await store.ids("Observation", "code=AMB") == ["hl7"])
            #expect(try await store.ids("Observation", "subject:identifier=mrn-abc").count == 3)
            #expect(try await store.ids("Observation", "subject:Patient.identifier=MRN-abc").count == 3)
        }
    }

    @Test func tokensInAnyCaseAreFoundByTheIndex() async throws {
        let resources =
            (0..<400).map {
                Self.patient.replacingOccurrences(of: "Abc", with: "Abc\($0)")
                    .replacingOccurrences(of: #""id":"p""#, with: #""id":"p\#($0)""#)
            }
            + (0..<400).map { Self.coded("o\($0)", system: "urn:own", code: "Code-\($0)") }
        try await SearchStore.with(resources) { store async throws in
            for (type, search, found, index) in [
                ("Patient", "identifier=mrn-abc7", "p7", "record_print_by_"),
                ("Observation", "code=CODE-7", "o7", "record_term_by_term"),
            ] {
                #expect(try await store.ids(type, search) == [found])
                let query = try SearchQuery(
                    type: type, parameters: SearchStore.parameters(search), strict: true, now: SearchStore.time)
                let plan = try await store.database.write { transaction in
                    if transaction.dialect == .postgresql {
                        for (table, _) in RecordsSchema.searchEntryTables {
                            try transaction.execute("ANALYZE \(table)")
                        }
                        try transaction.execute("ANALYZE record")
                    }
                    let statement = try SearchStatement(query, showing: .everything, in: transaction)
                    let page = try statement.records(limit: 50) ?? statement.page(limit: 50)
                    return try QueryPlan(page.sql, page.parameters, in: transaction)
                }
                #expect(plan.uses(index: index) && !plan.readsAll, "\(search): \(plan)")
            }
        }
    }

    /// The common part of a device's readings comes from a template: the other readings are found in the same way.
    @Test func readingOfATemplateHasTheSameEntries() throws {
        func record(_ number: Int) throws -> NewRecord {
            let json =
                #"{"resourceType":"Observation","id":"o\#(number)","status":"final","code":{"coding":[{"#
                + #""system":"http://loinc.org","code":"8867-4"}]},"subject":{"reference":"Patient/p1"},"#
                + #""effectiveDateTime":"2026-03-01T10:00:00+02:00","valueQuantity":{"value":72.00,"unit":"/min"},"#
                + #""identifier":[{"system":"urn:x","value":"o\#(number)-2026-03-01T1\#(number):00:00Z"}]}"#
            return NewRecord(try Resource(Data(json.utf8)), id: "o\(number)", content: Data(json.utf8))
        }
        let pattern = try #require(TemplateSearchEntries(of: try record(0)))
        let made = pattern.entries(identifiers: ["o1-2026-03-01T11:00:00Z"], quantity: "72.00")
        #expect(try made == record(1).entries)
        let keys = [0, 1].map { SearchIndex.key(of: "a-2026-03-01t10:0\($0):00z") }
        #expect(keys[0].prefix(2) == keys[1].prefix(2), "those of one hour are side by side")
    }
}
