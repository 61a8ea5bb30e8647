import FHIR
import Foundation
import Testing

@testable import RecordStorage

/// The cost of reading and indexing a resource is linear in its size.
@Suite(.serialized) struct RecordsCostTests {
    @Test func readingIsLinearInTheMembers() throws {
        try expectLinear(4_000) { count in
            let members = (0..<count).map { #""member\#($0)":\#($0)"# }.joined(separator: ",")
            let record = StoredRecord(
                type: "Observation", id: "a", version: 1, lastUpdated: Date(timeIntervalSince1970: 0), isDeleted: false,
                content: Data(#"{"resourceType":"Observation","meta":{\#(members)},\#(members)}"#.utf8),
                provenance: RecordProvenance(
                    submissionID: "s", clientID: "c", keyID: nil, receivedAt: Date(timeIntervalSince1970: 0)))
            return { try record.resource().object.count == count + 3 }
        }
    }

    @Test func indexingIsLinearInTheCodings() throws {
        try expectLinear(200) { count in
            let codings = (0..<count).map { #"{"system":"http://loinc.org","code":"\#($0)-1"}"# }
            let identifiers = (0..<count).map { #"{"system":"urn:x","value":"\#($0)"}"# }
            let json = """
                {"resourceType":"Observation","code":{"coding":[\(codings.joined(separator: ","))]},\
                "identifier":[\(identifiers.joined(separator: ","))]}
                """
            let resource = try Resource(Data(json.utf8))
            return { SearchEntries(of: resource, subject: nil).entries.count == 2 * count }
        }
    }

    /// Expects that work of four times the size takes up to six times the processor time, by medians of five.
    private func expectLinear(_ count: Int, _ work: (Int) throws -> () throws -> Bool) throws {
        func median(_ count: Int) throws -> Double {
            let run = try work(count)
            let times = try (0..<5).map { _ in
                let start = processorTime()
                let isRight = try run()
                let time = processorTime() - start
                #expect(isRight)
                return time
            }
            return times.sorted()[2]
        }
        _ = try median(count)
        // A busy machine affects one measurement, but rarely three in a row.
        var measured: [(small: Double, large: Double)] = []
        repeat {
            measured.append((try median(count), try median(count * 4)))
        } while measured.count < 3 && !measured.contains { $0.large <= $0.small * 6 }
        #expect(
            measured.contains { $0.large <= $0.small * 6 }, "seconds for \(count) and four times as many: \(measured)")
    }

    /// Returns the processor time of the thread in seconds.
    private func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
