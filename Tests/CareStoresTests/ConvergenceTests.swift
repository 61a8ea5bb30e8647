import CarePlans
import Core
import DeviceSystem
import Foundation
import TestSupport
import Testing

@testable import CareStores

/// Random histories of several phones of our own: changes, lost requests and answers, ends of the process at any byte, copies
/// restored from backups, and a server restored from a backup. A history with both kinds of restored copies may end with
/// a difference (docs/acceptance.md, limits); no phone is stuck there either.
@Suite struct ConvergenceTests {
    private static var runs: Int {
        ProcessInfo.processInfo.environment["TRIBUTARY_CARE_SIMULATIONS"].flatMap { Int($0) } ?? 3
    }

    @Test(arguments: [2, 3, 5]) func allCopiesConverge(phones: Int) async throws {
        let seed = Seeded.newSeed()
        for run in 0..<UInt64(Self.runs) {
            try await History(seed: seed &+ run, phones: phones).play()
        }
    }

    /// One phone: its file, the versions that it has acknowledged to the user, and old copies of the file.
    private struct Member {
        var phone: CarePhone
        var store: CarePlanStore
        var backup: MemoryFile?
    }

    private final class History {
        private var random: Seeded
        private let seed: UInt64
        private let server = ModelCareServer()
        private var members: [Member] = []
        private var acknowledged: Set<UUID> = []
        private var hasLoss = false
        private var hasRestoredServer = false

        init(seed: UInt64, phones: Int) throws {
            self.seed = seed
            random = Seeded(seed)
            for _ in 0..<phones {
                let phone = CarePhone(server)
                members.append(Member(phone: phone, store: try phone.open()))
            }
        }

        func play() async throws {
            for _ in 0..<60 { try await step() }
            // Everyone synchronises until nothing is new.
            await server.loseAnswers(false)
            for _ in 0..<4 {
                for member in members {
                    member.phone.file.restart()
                    let report = try await member.phone.open().sync()
                    #expect(report.unsent == 0, "seed \(seed)")
                }
            }
            let complete = await server.versions
            for member in members {
                let store = try member.phone.open()
                // The known limit: old copies of phones and of the server in one history may differ in the end.
                if !(hasLoss && hasRestoredServer) {
                    #expect(await store.copy.graph.versions == complete, "seed \(seed)")
                }
                #expect(await store.quarantine.isEmpty, "seed \(seed)")
            }
            let tips = await server.tips
            #expect(Set(tips.map { $0.kind.rawValue + $0.id }).count == tips.count, "seed \(seed)")
            if !hasLoss { #expect(acknowledged.isSubset(of: complete.keys), "seed \(seed)") }
        }

        private func step() async throws {
            let index = Int.random(in: members.indices, using: &random)
            let member = members[index]
            do {
                switch Int.random(in: 0..<100, using: &random) {
                case 0..<50: try await change(member.store)
                case 50..<54: members[index].backup = member.phone.file.backup()
                case 54..<57:
                    guard let backup = member.backup else { return }
                    // Changes that were not sent before the restoration are lost with the phone.
                    hasLoss = true
                    let phone = CarePhone(server, file: backup.backup())
                    members[index] = Member(phone: phone, store: try phone.open(), backup: backup)
                case 57..<61:
                    hasRestoredServer = true
                    let count = await server.order.count
                    await server.restore(keeping: Int.random(in: 0...count, using: &random))
                case 61..<68:
                    member.phone.file.stop(
                        inWrite: Int.random(in: 1...4, using: &random),
                        after: Int.random(in: 0..<3_000, using: &random))
                    try await change(member.store)
                    try await member.store.sync()
                case 68..<76:
                    await server.loseAnswers(true)
                    _ = try? await member.store.sync()
                    await server.loseAnswers(false)
                case 76..<82:
                    let other = members[Int.random(in: members.indices, using: &random)].store
                    if other !== member.store { await server.beforePush { _ = try? await other.sync() } }
                    _ = try? await member.store.sync()
                    await server.beforePush(nil)
                default: try await member.store.sync()
                }
            } catch is DeviceStorageError {
                // The process has ended, and begins again.
                member.phone.file.restart()
                members[index].store = try member.phone.open()
            } catch is CareServerError {
                // The next sync tries again.
            }
        }

        private func change(_ store: CarePlanStore) async throws {
            let tips = await store.copy.graph.liveTips
            let version: CareEntity
            if let tip = tips.randomElement(using: &random), Bool.random(using: &random) {
                version = try Make.version(
                    tip.id, following: [tip.uuid],
                    updated: Double(Int.random(in: 700_000_000..<800_000_000, using: &random)),
                    deleted: Int.random(in: 0..<6, using: &random) == 0)
            } else {
                version = try Make.version("contact-\(Int.random(in: 0..<8, using: &random))")
            }
            try await store.insert([version])
            acknowledged.insert(version.uuid)
        }
    }
}
