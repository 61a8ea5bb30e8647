import DeviceSystem
import Foundation
import TestSupport
import Testing
import Wire

@testable import Outbox

@Suite struct OutboxDirectoryTests {
    @Test func fileNameContainsNumberKindAndID() throws {
        let submissionID = newSubmissionID()
        let entry = OutboxEntry(sequence: 12, kind: "Contract", submissionID: submissionID)
        #expect(entry.name == "00000000000000000012.Contract.\(submissionID).sealed")
        #expect(OutboxEntry(name: entry.name) == entry)
    }

    @Test(arguments: [
        "", "x", "12.Contract.6f2d1c1e-53f4-4b7c-9a52-0c3d8b4a9f10.sealed",
        "00000000000000000000.Contract.6f2d1c1e-53f4-4b7c-9a52-0c3d8b4a9f10.sealed",
        "00000000000000000001.Con7ract.6f2d1c1e-53f4-4b7c-9a52-0c3d8b4a9f10.sealed",
        "00000000000000000001..6f2d1c1e-53f4-4b7c-9a52-0c3d8b4a9f10.sealed",
        "00000000000000000001.Contract.6F2D1C1E-53f4-4b7c-9a52-0c3d8b4a9f10.sealed",
        "00000000000000000001.Contract.x.sealed", "00000000000000000001.Contract.6f2d1c1e-53f4-4b7c-9a52-0c3d8b4a9f10",
        "99999999999999999999.Contract.6f2d1c1e-53f4-4b7c-9a52-0c3d8b4a9f10.sealed",
        "00000000000000000001.Contract.6f2d1c1e-53f4-4b7c-9a52-0c3d8b4a9f10.sealed.bak",
    ])
    func otherFileNamesAreNotEntries(name: String) {
        #expect(OutboxEntry(name: name) == nil)
    }

    @Test func queueingRequiresTheContractFirst() throws {
        let folder = try TemporaryFolder()
        let outbox = try folder.outbox()
        #expect(code { _ = try outbox.append("Observation") } == "consent-required")
        #expect(try outbox.entries().isEmpty)
        let contract = try outbox.append("Contract")
        let data = try outbox.append("Observation")
        #expect(try outbox.entries() == [contract, data])
        #expect([contract.sequence, data.sequence] == [1, 2])
    }

    @Test func numbersIncreaseAfterReopeningAnEmptyQueue() throws {
        let folder = try TemporaryFolder()
        for expected in 1...5 {
            let outbox = try folder.outbox()
            let entry = try outbox.append(expected == 1 ? "Contract" : "Observation")
            #expect(entry.sequence == Int64(expected))
            try outbox.moveToSent(entry)
            #expect(try outbox.entries().isEmpty)
        }
    }

    @Test func usedNumberIsNotReusedAfterLossOfTheState() throws {
        let folder = try TemporaryFolder()
        let outbox = try folder.outbox()
        try outbox.append("Contract")
        try outbox.append("Observation")
        try FileManager.default.removeItem(at: folder.url.appendingPathComponent("outbox/.state.json"))
        #expect(try outbox.append("Observation").sequence == 3)
    }

    @Test func sentEntriesKeepNumberAndConsentAfterLossOfTheState() throws {
        let folder = try TemporaryFolder()
        let outbox = try folder.outbox()
        try outbox.moveToSent(try outbox.append("Contract"))
        try outbox.moveToSent(try outbox.append("Observation"))
        try FileManager.default.removeItem(at: folder.url.appendingPathComponent("outbox/.state.json"))
        #expect(try outbox.append("Observation").sequence == 3)
    }

    @Test func fileWithTheLargestNumberOnlyStopsQueueing() throws {
        let folder = try TemporaryFolder()
        let outbox = try folder.outbox()
        try outbox.append("Contract")
        let name = OutboxEntry(sequence: .max, kind: "Observation", submissionID: newSubmissionID()).name
        try Data().write(to: folder.url.appendingPathComponent("outbox/\(name)"))
        #expect(code { _ = try outbox.append("Observation") } == "outbox-state-damaged")
        #expect(try outbox.entries().count == 2)
    }

    @Test func damagedStateIsReportedAndNotOverwritten() throws {
        let folder = try TemporaryFolder()
        let outbox = try folder.outbox()
        let state = folder.url.appendingPathComponent("outbox/.state.json")
        try Data("{".utf8).write(to: state)
        #expect(code { _ = try outbox.append("Contract") } == "outbox-state-damaged")
        #expect(try Data(contentsOf: state) == Data("{".utf8))
    }

    @Test func theEnvelopeMustCarryTheNumberAndTheID() throws {
        let folder = try TemporaryFolder()
        let outbox = try folder.outbox()
        let submissionID = newSubmissionID()
        for wrong in [
            envelope(submissionID: submissionID, sequence: 2), envelope(submissionID: newSubmissionID(), sequence: 1),
            Data("{}".utf8), Data(),
        ] {
            #expect(
                code { _ = try outbox.append(kind: "Contract", submissionID: submissionID) { _ in wrong } }
                    == "envelope-mismatch")
        }
        #expect(code { _ = try outbox.append("Con/tract") } == "kind-invalid")
        #expect(code { _ = try outbox.append("../x") } == "kind-invalid")
        #expect(code { _ = try outbox.append("Contract", submissionID: "../../etc") } == "kind-invalid")
        struct SealingFailed: Error {}
        #expect(throws: SealingFailed.self) {
            try outbox.append(kind: "Contract", submissionID: submissionID) { _ in throw SealingFailed() }
        }
        #expect(try outbox.entries().isEmpty)
    }

    @Test func aPayloadIsSealedForItsNumberAndID() throws {
        let folder = try TemporaryFolder()
        let outbox = try folder.outbox()
        let key = try PrivateKey.generateP256()
        let submissionID = newSubmissionID()
        let entry = try outbox.append(
            Data("{}".utf8), kind: "Contract", submissionID: submissionID.uppercased(), contentType: .batch,
            to: [key.publicKey])
        let header = try EnvelopeHeader.read(from: try outbox.read(entry))
        #expect(
            entry.sequence == 1 && header.sequence == 1 && header.submissionID == submissionID
                && header.contentType == .batch)
        #expect(try outbox.readEnvelope(entry).header == header)
        #expect(
            code {
                _ = try outbox.append(
                    Data(), kind: "Con/tract", submissionID: submissionID, contentType: .resource, to: [key.publicKey])
            } == "kind-invalid")
        #expect(throws: WireError.self) {
            try outbox.append(Data(), kind: "Contract", submissionID: newSubmissionID(), contentType: .resource, to: [])
        }
        #expect(try outbox.entries() == [entry])
    }

    @Test func foreignFilesStayAndLeftoversAreRemoved() throws {
        let folder = try TemporaryFolder()
        _ = try folder.outbox()
        let queue = folder.url.appendingPathComponent("outbox")
        for name in ["notes.txt", ".tmp-half", "00000000000000000009.Patient.sealed"] {
            try Data("x".utf8).write(to: queue.appendingPathComponent(name))
        }
        let outbox = try folder.outbox()
        #expect(try outbox.entries().isEmpty)
        #expect(try outbox.append("Contract").sequence == 1)
        let names = Set(try FileManager.default.contentsOfDirectory(atPath: queue.path))
        #expect(names.isSuperset(of: ["notes.txt", "00000000000000000009.Patient.sealed"]))
        #expect(!names.contains(".tmp-half"))
    }

    @Test func filesAndFoldersAreAccessibleOnlyToTheirOwner() throws {
        let folder = try TemporaryFolder()
        let store = try DeviceStore.open(folder.url.appendingPathComponent("device"))
        try store.save(try ScriptedStudy.enrolment())
        try store.outbox.append("Contract")
        let paths = try FileManager.default.subpathsOfDirectory(atPath: store.folder.path)
        #expect(paths.count >= 6)
        for path in paths + [""] {
            let full = store.folder.appendingPathComponent(path).path
            let attributes = try FileManager.default.attributesOfItem(atPath: full)
            let mode = (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0
            let isFolder = attributes[.type] as? FileAttributeType == .typeDirectory
            #expect(mode == (isFolder ? 0o700 : 0o600), "\(path)")
        }
    }

    @Test func lockHasOneHolder() throws {
        let folder = try TemporaryFolder()
        let outbox = try folder.outbox()
        var first: FileLock? = try outbox.sendingLock()
        #expect(code { _ = try outbox.sendingLock() } == "outbox-busy")
        // Queueing continues while another process sends.
        try outbox.append("Contract")
        withExtendedLifetime(first) {}
        first = nil
        _ = try outbox.sendingLock()
    }

    @Test(.enabled(if: hasFlock)) func lockExcludesOtherProcesses() throws {
        let folder = try TemporaryFolder()
        let outbox = try folder.outbox()
        let file = folder.url.appendingPathComponent("outbox/.sending").path
        func otherProcessGetsIt() throws -> Bool {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = ["flock", "-n", file, "true"]
            try process.run()
            process.waitUntilExit()
            return process.terminationStatus == 0
        }
        let lock = try outbox.sendingLock()
        #expect(try !otherProcessGetsIt())
        withExtendedLifetime(lock) {}
    }

    @Test func concurrentEntriesGetUniqueNumbers() async throws {
        let folder = try TemporaryFolder()
        try folder.outbox().append("Contract")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    let outbox = try folder.outbox()
                    for _ in 0..<10 { try outbox.append("Observation") }
                }
            }
            try await group.waitForAll()
        }
        #expect(try folder.outbox().entries().map(\.sequence) == Array(1...41))
    }
}

private let hasFlock = FileManager.default.isExecutableFile(atPath: "/usr/bin/flock")
