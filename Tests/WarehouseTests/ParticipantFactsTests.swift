import Foundation
import Storage
import Testing

@testable import Warehouse

@Suite struct ParticipantFactsTests {
    private func filled() async throws -> WarehouseFixture {
        let fixture = try await WarehouseFixture()
        for number in 1...7 {
            for participant in ["p1", "p2"] {
                try await fixture.load(
                    observation(#""valueInteger":\#(number)"#, id: "\(participant)-\(number)"), subject: participant,
                    submission: "s-\(participant)-\(number)")
            }
        }
        return fixture
    }

    @Test(arguments: [1, 3, 14, 100])
    func allFactsOfAParticipantComeOnceForAnyPageSize(limit: Int) async throws {
        let fixture = try await filled()
        var found: [String] = []
        var last: ParticipantFact?
        let value = try #require(ParticipantFact.columns.firstIndex(of: "nval_num"))
        while true {
            let start = last
            let page = try await fixture.database.read {
                try WarehouseQuery().facts(of: "p1", after: start, limit: limit, in: $0)
            }
            guard !page.isEmpty else { break }
            found += page.compactMap { $0.values[value] }
            last = page.last
        }
        #expect(found.sorted() == (1...7).map(String.init))
        let count = try await fixture.database.read { try WarehouseQuery().factCounts(of: "p1", in: $0) }
        #expect(count == (7, 0))
        try await fixture.close()
    }

    @Test func deletionRemovesTheRowsOfAParticipantAndReservesTheNumber() async throws {
        let fixture = try await filled()
        let before = try await fixture.database.read {
            try WarehouseQuery().facts(of: "p2", after: nil, limit: 100, in: $0)
        }
        let removed = try await fixture.database.write { try fixture.loader.delete(participant: "p1", in: $0) }
        let counts = try #require(removed).mapValues(\.count)
        #expect(
            counts == [
                "observation_fact": 7, "visit_dimension": 1, "encounter_mapping": 2, "patient_dimension": 1,
                "patient_mapping": 1, "consent_contract": 0, "consent_dimension": 0, "upload_status": 7,
                "warehouse_loaded": 7,
            ])
        let after = try await fixture.database.read {
            try WarehouseQuery().facts(of: "p2", after: nil, limit: 100, in: $0)
        }
        #expect(after == before)
        let stub = try await fixture.rows(
            "SELECT patient_ide, patient_num FROM patient_mapping WHERE patient_ide_status = 'D'")
        #expect(stub.count == 1)
        let again = try await fixture.database.write { try fixture.loader.delete(participant: "p1", in: $0) }
        #expect(again == nil)
        try await fixture.close()
    }
}
