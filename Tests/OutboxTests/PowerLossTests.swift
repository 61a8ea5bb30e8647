import Foundation
import TestSupport
import Testing

@testable import Outbox

/// Stops the queue before each of its file operations in turn, and restarts it with the durable state.
@Suite struct PowerLossTests {
    private static func open(_ files: ModelFiles) throws -> OutboxDirectory {
        try .open(
            folder: URL(fileURLWithPath: "/d/outbox"), refusedFolder: URL(fileURLWithPath: "/d/refused"), files: files)
    }

    /// The results of the scenario below until it was stopped.
    private final class Diary {
        var contract: String?
        var promised: [String] = []
    }

    /// Runs the scenario: a Contract and four data entries (the server refuses the second), sent in two rounds.
    private func story(_ files: ModelFiles, study: ScriptedStudy, diary: Diary) async throws {
        let outbox = try Self.open(files)
        let contract = newSubmissionID()
        try outbox.append("Contract", submissionID: contract)
        diary.contract = contract
        diary.promised.append(contract)
        for _ in 0..<2 { try promise("Observation", outbox: outbox, diary: diary) }
        _ = try await study.connection().sendAll(from: outbox)
        for _ in 0..<2 { try promise("Patient", outbox: outbox, diary: diary) }
        _ = try await study.connection().sendAll(from: outbox)
    }

    private func promise(_ kind: String, outbox: OutboxDirectory, diary: Diary) throws {
        let submissionID = newSubmissionID()
        try outbox.append(kind, submissionID: submissionID)
        diary.promised.append(submissionID)
    }

    @Test func queuedEntriesSurviveAPowerLossAndNumbersAreUnique() async throws {
        let seed = Seeded.newSeed()
        var generator = Seeded(seed)
        var stopped = 0
        for step in 1...1_000 {
            let files = ModelFiles(seed: generator.next())
            let study = ScriptedStudy { _, number in TransportResponse(status: number == 2 ? 400 : 200) }
            let diary = Diary()
            files.losePower(before: step)
            do { try await story(files, study: study, diary: diary) } catch {}
            guard files.wentDown else {
                #expect(stopped > 100)
                return
            }
            stopped += 1
            files.restart()
            try await check(files, study: study, diary: diary, comment: "seed \(seed), step \(step)")
        }
        Issue.record("the story did not end")
    }

    private func check(_ files: ModelFiles, study: ScriptedStudy, diary: Diary, comment: Comment) async throws {
        let outbox = try Self.open(files)
        // 1. There are no partial files and no leftovers.
        #expect(!files.paths.contains { $0.contains("/.tmp-") }, comment)
        for entry in try outbox.entries() { #expect(throws: Never.self, comment) { try outbox.read(entry) } }
        // 2. All confirmed entries are queued, refused, or on the server.
        let known = Set(
            try (outbox.entries() + outbox.refusedEntries()).map(\.submissionID)
                + (await study.submissions.map(\.submissionID)))
        #expect(known.isSuperset(of: diary.promised), comment)
        // 3. The consent is kept: data can follow, or needs a Contract.
        if diary.contract == nil, try !outbox.entries().contains(where: \.isContract) { try outbox.append("Contract") }
        let later = newSubmissionID()
        try outbox.append("Observation", submissionID: later)
        let report = try await study.connection().sendAll(from: outbox)
        #expect(report.ending == .emptied, comment)
        // 4. In the end the server has everything, the Contract first, each number for one submission, repeated without
        // changes.
        let submissions = await study.submissions
        let refused = Set(try outbox.refusedEntries().map(\.submissionID))
        let accepted = Set(submissions.filter { $0.status == 200 }.map(\.submissionID))
        #expect(accepted.union(refused).isSuperset(of: diary.promised + [later]), comment)
        #expect(submissions.first?.kind == "Contract", comment)
        for group in Dictionary(grouping: submissions, by: \.sequence).values {
            #expect(Set(group.map(\.body)).count == 1, comment)
        }
        for group in Dictionary(grouping: submissions, by: \.submissionID).values {
            #expect(Set(group.map(\.sequence)).count == 1, comment)
        }
        // 5. A refused entry has its reason.
        for entry in try outbox.refusedEntries() {
            #expect(try outbox.refusal(of: entry).code == "scripted-400", comment)
        }
    }

    /// The Contract is refused, and the power is lost at any operation: afterwards only a Contract is sent.
    @Test func aRefusedContractStopsAllThroughAnyPowerLoss() async throws {
        let seed = Seeded.newSeed()
        var generator = Seeded(seed)
        for step in 1...1_000 {
            let files = ModelFiles(seed: generator.next())
            let refusing = ScriptedStudy { _, _ in TransportResponse(status: 422) }
            let outbox = try Self.open(files)
            try outbox.append("Contract")
            try outbox.append("Observation")
            files.losePower(before: step)
            let report = try? await refusing.connection().sendAll(from: outbox)
            let wentDown = files.wentDown
            files.restart()
            #expect(try await refusing.connection().sendAll(from: Self.open(files)).ending == .stopped)
            #expect(await refusing.submissions.allSatisfy { $0.kind == "Contract" }, "seed \(seed), step \(step)")
            // After a new Contract is accepted, the data is sent.
            let study = ScriptedStudy()
            try Self.open(files).append("Contract")
            #expect(
                try await study.connection().sendAll(from: Self.open(files)).sent == 2, "seed \(seed), step \(step)")
            #expect(await study.accepted.map(\.kind) == ["Contract", "Observation"])
            if !wentDown {
                #expect(report?.ending == .stopped)
                return
            }
        }
        Issue.record("the story did not end")
    }

    @Test func fullDiskLeavesNoPartialFileAndTheNextEntryIsSent() async throws {
        let files = ModelFiles(seed: 1)
        let outbox = try Self.open(files)
        try outbox.append("Contract")
        let before = files.paths
        files.setCapacity(300)
        for _ in 0..<3 { #expect(code { _ = try outbox.append("Observation") } == "storage-full") }
        #expect(files.paths == before)
        // Sending needs no space.
        let study = ScriptedStudy()
        #expect(try await study.connection().sendAll(from: outbox).sent == 1)
        files.setCapacity(nil)
        let entry = try outbox.append("Observation")
        #expect(entry.sequence >= 2)
        #expect(try await study.connection().sendAll(from: outbox).sent == 1)
    }

    @Test func storedEntriesMakeRoomForNewOnesAndSentOnesDoNot() async throws {
        let files = ModelFiles(seed: 1)
        let outbox = try Self.open(files)
        let contract = try outbox.append("Contract")
        _ = try await ScriptedStudy().connection().sendAll(from: outbox)
        files.setCapacity(envelope(submissionID: contract.submissionID, sequence: 1).count + 250)
        #expect(code { _ = try outbox.append("Observation") } == "storage-full")
        #expect(try outbox.sentSubmissions().count == 1)
        _ = try outbox.record([contract.submissionID: "refused"], retention: SentRetention(), now: Date())
        #expect(code { _ = try outbox.append("Observation") } == "storage-full")
        _ = try outbox.record([contract.submissionID: "stored"], retention: SentRetention(), now: Date())
        try outbox.append("Observation")
        #expect(try outbox.sentSubmissions().isEmpty)
        #expect(try outbox.consent() == .given)
    }

    #if os(Linux)
        /// The same on a real file system of a few pages, if the tests may create one.
        @Test func realFullDiskLeavesNoPartialFile() async throws {
            try await withSmallDisk("64k") { disk in
                let store = try DeviceStore.open(URL(fileURLWithPath: disk.path).appendingPathComponent("device"))
                let (submissionID, payload) = (newSubmissionID(), String(repeating: "A", count: 20_000))
                try store.outbox.append("Contract")
                var result: String?
                for _ in 0..<10 where result == nil {
                    result = code {
                        _ = try store.outbox.append(kind: "Observation", submissionID: submissionID) {
                            envelope(submissionID: submissionID, sequence: $0, payload: payload)
                        }
                    }
                }
                #expect(result == "storage-full")
                let entries = try store.outbox.entries()
                for entry in entries { #expect(throws: Never.self) { try store.outbox.read(entry) } }
                let names = try FileManager.default.contentsOfDirectory(
                    atPath: store.folder.appendingPathComponent("outbox").path)
                #expect(!names.contains { $0.hasPrefix(".tmp-") })
                // Stored entries make room for new ones; entries that are only sent do not.
                let last = try #require(entries.last)
                try store.outbox.moveToSent(last)
                #expect(
                    code {
                        _ = try store.outbox.append(kind: "Observation", submissionID: submissionID) {
                            envelope(submissionID: submissionID, sequence: $0, payload: payload)
                        }
                    } == "storage-full")
                _ = try store.outbox.record([last.submissionID: "stored"], retention: SentRetention(), now: Date())
                try store.outbox.append(kind: "Observation", submissionID: submissionID) {
                    envelope(submissionID: submissionID, sequence: $0, payload: payload)
                }
                #expect(try store.outbox.sentSubmissions().isEmpty)
            }
        }
    #endif
}
