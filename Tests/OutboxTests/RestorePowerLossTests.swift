import Foundation
import TestSupport
import Testing

@testable import Outbox

/// A device and a study that is restored from backups, stopped at any file operation: each entry of a person is queued,
/// sent, refused, or was stored for thirty days.
@Suite struct RestorePowerLossTests {
    /// The device, the study and the confirmed entries.
    private final class World {
        let files: ModelFiles
        let study = ModelStudy()
        let clock = WaitLog()
        var promised: [String] = []
        /// The time since which the study reports an entry as stored, by submission.
        var storedSince: [String: Date] = [:]
        /// The entries that the device removed when it was allowed to.
        var gone: Set<String> = []

        init(seed: UInt64) { files = ModelFiles(seed: seed) }

        func store() throws -> DeviceStore { try .open(URL(fileURLWithPath: "/d"), files: files) }

        func append(_ kind: String) throws {
            let submissionID = newSubmissionID()
            try store().outbox.append(kind, submissionID: submissionID)
            promised.append(submissionID)
        }

        func refresh() async throws { try await study.connection(clock).refreshDeliveries(in: store()) }
        func send() async throws {
            _ = try await study.connection(clock).sendAll(from: store().outbox, patience: .init(attempts: 1))
        }
        func synchronize() async throws {
            _ = try await study.connection(clock).synchronize(store(), patience: .init(attempts: 1))
        }

        func settle(as status: String = "stored", where condition: (ModelStudy.Submission) -> Bool = { _ in true })
            async
        {
            let chosen = await study.stored.values.filter { $0.status == "received" && condition($0) }
            await study.settle(chosen.map(\.submissionID), as: status)
            for submission in chosen { storedSince[submission.submissionID] = clock.now }
        }

        func restore() async {
            await study.restore()
            let left = await study.stored
            storedSince = storedSince.filter { ["stored", "refused"].contains(left[$0.key]?.status) }
        }

        /// Checks the entries that the device removed; returns the broken rule, if any.
        func check() throws -> String? {
            let outbox = try store().outbox
            let sent = try outbox.sentSubmissions().map(\.entry)
            let known = try outbox.entries() + outbox.refusedEntries() + sent
            for submissionID in Set(promised).subtracting(known.map(\.submissionID)).subtracting(gone) {
                guard let since = storedSince[submissionID], clock.now.timeIntervalSince(since) >= 30 * 86_400 else {
                    return "a submission is lost"
                }
                gone.insert(submissionID)
            }
            if Set(sent.map(\.name)).count != sent.count { return "a submission is kept twice" }
            return nil
        }

        /// Checks the study's entries in the end, when it accepts everything.
        func checkEnd() async throws -> String? {
            await study.refuse("Patient", with: nil)
            await study.refuse("Contract", with: nil)
            for _ in 0..<3 {
                _ = try store().outbox.retryRefused()
                try await synchronize()
            }
            if let broken = try check() { return broken }
            let outbox = try store().outbox
            if try !outbox.entries().isEmpty, try outbox.consent() != .none { return "something was not sent" }
            let stored = Set(await study.stored.keys)
            if try outbox.entries().isEmpty, !stored.isSuperset(of: Set(promised).subtracting(gone)) {
                return "the study has not everything"
            }
            return nil
        }
    }

    /// Runs each event once: sent, updated, refused, removed, lost in a restore, sent again.
    private func story(_ world: World) async throws {
        try await world.refresh()
        try world.append("Contract")
        for _ in 0..<2 { try world.append("Observation") }
        try await world.send()
        await world.settle { $0.sequence == 2 }
        await world.settle(as: "refused") { $0.sequence == 3 }
        await world.study.makeBackup()
        await world.study.refuse("Patient", with: 422)
        for kind in ["Patient", "Observation"] { try world.append(kind) }
        try await world.synchronize()
        world.clock.wait(31 * 86_400)
        await world.settle()
        try await world.refresh()
        try world.append("Observation")
        try await world.synchronize()
        await world.restore()
        try world.append("Observation")
        try await world.synchronize()
        await world.study.refuse("Patient", with: nil)
        _ = try world.store().outbox.retryRefused()
        try await world.synchronize()
    }

    @Test func aStopBeforeAnyFileOperationLosesNothing() async throws {
        let seed = Seeded.newSeed()
        var generator = Seeded(seed)
        var step = 0
        while step < 5_000 {
            // A third of the operations in each run, others in the next.
            step += Int.random(in: 1...5, using: &generator)
            let world = World(seed: generator.next())
            world.files.losePower(before: step)
            do { try await story(world) } catch let error as OutboxError
                where error == OutboxError(ModelFiles.powerLost)
            {}
            let wentDown = world.files.wentDown
            world.files.restart()
            if let broken = try world.check() { Issue.record("seed \(seed), step \(step): \(broken)") }
            if !world.promised.isEmpty, let broken = try await world.checkEnd() {
                Issue.record("seed \(seed), step \(step), in the end: \(broken)")
            }
            if !wentDown {
                // The whole scenario has run: for one entry 30 days passed, and one was requeued twice.
                #expect(step > 200)
                #expect(world.gone.count == 2)
                #expect(await world.study.arrivals.count > Set(world.study.arrivals).count)
                return
            }
        }
        Issue.record("the story did not end")
    }

    /// Random devices, studies and power losses, several in one run.
    @Test func randomPowerLossesAndRestoresLoseNothing() async throws {
        let seed = Seeded.newSeed()
        var generator = Seeded(seed)
        var losses = 0
        for round in 0..<80 {
            let world = World(seed: generator.next())
            for _ in 0..<30 {
                if Bool.random(using: &generator) {
                    world.files.losePower(before: Int.random(in: 1...60, using: &generator))
                }
                do {
                    try await act(in: world, &generator)
                } catch let error as OutboxError where error == OutboxError(ModelFiles.powerLost) {
                    losses += 1
                } catch let error as OutboxError where error.reason == .consentRequired {}
                world.files.restart()
                if let broken = try world.check() {
                    Issue.record("seed \(seed), round \(round): \(broken)")
                    return
                }
            }
            if let broken = try await world.checkEnd() {
                Issue.record("seed \(seed), round \(round), in the end: \(broken)")
                return
            }
        }
        #expect(losses > 100)
    }

    private func act(in world: World, _ generator: inout Seeded) async throws {
        switch Int.random(in: 0..<14, using: &generator) {
        case 0: try world.append("Contract")
        case 1, 2: try world.append("Observation")
        case 3: try world.append("Patient")
        case 4, 5: try await world.send()
        case 6, 7: try await world.synchronize()
        case 8: try await world.refresh()
        case 9: await world.settle()
        case 10: world.clock.wait(Double.random(in: 0...40, using: &generator) * 86_400)
        case 11: await world.study.makeBackup()
        case 12: await world.restore()
        default:
            _ = try world.store().outbox.retryRefused()
            let kind = Bool.random(using: &generator) ? "Patient" : "Contract"
            await world.study.refuse(kind, with: Bool.random(using: &generator) ? 422 : nil)
        }
    }
}
