import Foundation
import TestSupport
import Testing

@testable import Outbox

@Suite struct RetryTests {
    @Test func refusedEntriesAreRequeuedInOrderBeforeNewerOnes() async throws {
        let folder = try TemporaryFolder()
        let outbox = try folder.outbox()
        let entries = try ["Contract", "Observation", "Patient", "Observation"].map { try outbox.append($0) }
        let refusing = ScriptedStudy { kind, _ in TransportResponse(status: kind == "Observation" ? 422 : 200) }
        #expect(try await refusing.connection().sendAll(from: outbox).refused == 2)
        let later = try outbox.append("Observation")
        #expect(try outbox.retryRefused() == 2)
        #expect(try outbox.entries() == [entries[1], entries[3], later])
        #expect(try outbox.refusedEntries().isEmpty)
        #expect(code { _ = try outbox.refusal(of: entries[1]) } == "file-missing")
        #expect(try FileManager.default.contentsOfDirectory(atPath: outbox.refusedFolder.path).isEmpty)
        let study = ScriptedStudy()
        #expect(try await study.connection().sendAll(from: outbox).sent == 3)
        #expect(await study.accepted.map(\.submissionID) == [entries[1], entries[3], later].map(\.submissionID))
        #expect(try outbox.retryRefused() == 0)
    }

    @Test func refusedContractIsRetriedUntilItIsAccepted() async throws {
        let folder = try TemporaryFolder()
        let outbox = try folder.outbox()
        let entries = try ["Contract", "Observation"].map { try outbox.append($0) }
        let refusing = ScriptedStudy { _, _ in TransportResponse(status: 422) }
        #expect(try await refusing.connection().sendAll(from: outbox).ending == .stopped)
        // 1. Refused again, it stops everything again.
        #expect(try outbox.retryRefused() == 1)
        #expect(try outbox.consent() == .given)
        #expect(try await refusing.connection().sendAll(from: outbox).ending == .stopped)
        #expect(await refusing.submissions.map(\.kind) == ["Contract", "Contract"])
        // 2. Once it is accepted, the others are sent.
        #expect(try outbox.retryRefused() == 1)
        let study = ScriptedStudy()
        #expect(try await study.connection().sendAll(from: outbox).ending == .emptied)
        #expect(await study.accepted.map(\.submissionID) == entries.map(\.submissionID))
    }

    @Test func anOldContractThatIsRefusedOnceMoreDoesNotUndoANewerOne() async throws {
        let folder = try TemporaryFolder()
        let outbox = try folder.outbox()
        let old = try outbox.append("Contract")
        let refusing = ScriptedStudy { _, _ in TransportResponse(status: 422) }
        _ = try await refusing.connection().sendAll(from: outbox)
        try outbox.append("Contract")
        _ = try await ScriptedStudy().connection().sendAll(from: outbox)
        #expect(try outbox.retryRefused() == 1)
        try outbox.append("Observation")
        let study = ScriptedStudy { kind, _ in TransportResponse(status: kind == "Contract" ? 422 : 200) }
        let report = try await study.connection().sendAll(from: outbox)
        #expect(report.sent == 1 && report.refused == 1 && report.ending == .emptied)
        #expect(try outbox.refusedEntries() == [old])
    }

    @Test func dataWaitWhileAnEarlierContractIsRefused() async throws {
        let folder = try TemporaryFolder()
        let outbox = try folder.outbox()
        try outbox.append("Contract")
        try outbox.append("Observation")
        try outbox.append("Contract")
        let refusing = ScriptedStudy { _, _ in TransportResponse(status: 422) }
        _ = try await refusing.connection().sendAll(from: outbox)
        #expect(try outbox.retryRefused() == 2)
        // Otherwise the data between them would be sent after a refused Contract.
        #expect(try await refusing.connection().sendAll(from: outbox).ending == .stopped)
        #expect(await refusing.submissions.allSatisfy { $0.kind == "Contract" })
    }
}
