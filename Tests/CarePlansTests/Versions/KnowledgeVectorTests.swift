import Core
import Foundation
import Testing

@testable import CarePlans

/// The scenarios of CareKit's `TestKnowledgeVector`, and bad vectors.
@Suite struct KnowledgeVectorTests {
    private static func uuid(_ number: UInt64) -> UUID { FixturePlan.uuid(number) }
    private let a = uuid(1)
    private let b = uuid(2)
    private let c = uuid(3)

    private func code(_ text: String) throws -> String? {
        do throws(CarePlanError) {
            guard let json = try? JSON(parsing: text) else { return "not JSON" }
            _ = try KnowledgeVector(json)
            return nil
        } catch {
            return error.code + " " + error.location
        }
    }

    @Test func aVectorIsWrittenAsCareKitWritesIt() {
        #expect(KnowledgeVector([a: 0]).json == ["processes": [["id": .string(a.uuidString), "clock": 0]]])
    }

    @Test func aVectorIsReadInAnyOrderOfItsMembers() throws {
        let text =
            #"{"processes":[{"clock":0,"id":"\#(a.uuidString)"},{"id":"\#(b.uuidString.lowercased())","clock":7}]}"#
        let vector = try KnowledgeVector(JSON(parsing: text))
        #expect(vector == KnowledgeVector([a: 0, b: 7]))
        #expect(vector.clocks.keys.contains(a))
    }

    @Test func aProcessThatIsNotNamedHasClockZero() {
        #expect(KnowledgeVector()[a] == 0)
    }

    @Test func aClockIsIncremented() {
        var vector = KnowledgeVector()
        vector[a] += 1
        vector[a] += 1
        #expect(vector[a] == 2)
    }

    @Test func aMergeTakesTheGreaterClocks() {
        var vector = KnowledgeVector([a: 2, b: 5, c: 0])
        vector.merge(KnowledgeVector([a: 4, b: 3, c: 1]))
        #expect(vector == KnowledgeVector([a: 4, b: 5, c: 1]))
    }

    @Test func theMinimumTakesTheSmallerClocks() {
        let minimum = KnowledgeVector([a: 2, b: 5]).minimum(with: KnowledgeVector([a: 4, c: 1]))
        #expect(minimum == KnowledgeVector([a: 2, b: 0, c: 0]))
    }

    @Test func equalVectorsCoverEachOther() {
        let vector = KnowledgeVector([a: 2, b: 5, c: 0])
        #expect(vector.isCovered(by: vector))
        #expect(KnowledgeVector([c: 0]).isCovered(by: KnowledgeVector()))
    }

    @Test func oneLowerClockIsCovered() {
        let (lower, upper) = (KnowledgeVector([b: 2, c: 3]), KnowledgeVector([a: 1, b: 2, c: 3]))
        #expect(lower.isCovered(by: upper))
        #expect(!upper.isCovered(by: lower))
    }

    /// CareKit takes `{A:2,C:3}` for known to a server with `{A:2}`, and never sends it.
    @Test func aClockThatTheOtherVectorDoesNotNameIsNotCovered() {
        #expect(!KnowledgeVector([a: 2, c: 3]).isCovered(by: KnowledgeVector([a: 2])))
    }

    @Test func badVectorsHaveAStableCode() throws {
        let id = #""id":"\#(a.uuidString)""#
        #expect(try code("{}") == "vector-invalid $.processes")
        #expect(try code(#"{"processes":{}}"#) == "vector-invalid $.processes")
        #expect(try code(#"{"processes":[{\#(id)}]}"#) == "vector-invalid $.processes[0]")
        #expect(try code(#"{"processes":[{\#(id),"clock":-1}]}"#) == "vector-invalid $.processes[0]")
        #expect(try code(#"{"processes":[{\#(id),"clock":9007199254740993}]}"#) == "vector-invalid $.processes[0]")
        #expect(try code(#"{"processes":[{\#(id),"clock":1e400}]}"#) == "vector-invalid $.processes[0]")
        #expect(try code(#"{"processes":[{\#(id),"clock":9007199254740992}]}"#) == nil)
        #expect(try code(#"{"processes":[{"id":"phone","clock":1}]}"#) == "vector-invalid $.processes[0]")
        let clocks = String(repeating: "0,", count: 1_000_000)
        #expect(try code("{\"processes\":[\(clocks)0]}") == "vector-invalid $.processes")
    }
}
