import Foundation
import Storage
import Testing

@testable import RecordStorage

@Suite struct HoldingTests {
    private func observation(_ id: String, of participant: String, _ value: Int) -> String {
        """
        {"resourceType":"Observation","id":"\(id)","status":"final","code":{"text":"x"},\
        "subject":{"reference":"Patient/\(participant)"},"valueInteger":\(value)}
        """
    }

    /// Returns a fixture with three versions of each of five resources, and those of another participant between them.
    private func filled() async throws -> RecordsFixture {
        let fixture = try await RecordsFixture()
        for value in 1...3 {
            for number in 1...5 {
                let received = Date(timeIntervalSince1970: 1_790_000_000 + Double(value))
                for participant in ["p", "q"] {
                    try await fixture.put(
                        observation("\(participant)\(number)", of: participant, value), received: received,
                        submission: "s\(value)")
                }
            }
        }
        return fixture
    }

    @Test(arguments: [1, 2, 4, 7, 15, 100])
    func allVersionsOfAParticipantComeOnceForAnyPageSize(limit: Int) async throws {
        let fixture = try await filled()
        var found: [String] = []
        var cursor: (number: Int64, version: Int64)?
        while true {
            let start = cursor
            let page = try await fixture.database.read {
                try RecordStore().versions(about: "p", ofType: "Observation", after: start, limit: limit, in: $0)
            }
            #expect(page.count <= limit)
            found += page.map { "\($0.record.id) \($0.record.version) \($0.isCurrent)" }
            guard let last = page.last else { break }
            cursor = (last.number, last.record.version)
        }
        #expect(found == (1...5).flatMap { number in (1...3).map { "p\(number) \($0) \($0 == 3)" } })
        try await fixture.close()
    }

    @Test func onlyTheParticipantsResourcesAreDeletedAndKeptTypesStay() async throws {
        let fixture = try await filled()
        try await fixture.put(#"{"resourceType":"Patient","id":"p"}"#)
        let (removed, kept) = try await fixture.database.write {
            try RecordStore().delete(about: "p", keeping: ["Patient"], in: $0)
        }
        #expect(removed["record"]?.count == 5 && removed["record_version"]?.count == 15 && kept.count == 1)
        let (left, types) = try await fixture.database.read { transaction in
            (
                try RecordStore().counts(about: "p", in: transaction),
                try ["record", "record_version"].map { table in
                    try transaction.first("SELECT count(*) AS n FROM \(table)")?.integer("n")
                }
            )
        }
        #expect(left == ["Patient": 1] && types == [6, 16])
        // Nothing remains to be deleted.
        let again = try await fixture.database.write {
            try RecordStore().delete(about: "p", keeping: ["Patient"], in: $0).removed
        }
        #expect(again.values.allSatisfy { $0.count == 0 })
        try await fixture.close()
    }
}
