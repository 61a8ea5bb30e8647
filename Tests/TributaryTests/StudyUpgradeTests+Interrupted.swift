import Foundation
import Storage
import TestSupport
import Testing

@testable import TributaryServer

#if canImport(Glibc)
    import Glibc
#endif

// External interruptions of an upgrade: the process is killed, the disk fills.
extension StudyUpgradeTests {
    /// Adds enough bodies for an interruption in the middle.
    private func enlarge(_ folder: StudyFolder) async throws {
        try await inFormer(folder) { transaction in
            for number in 6..<406 {
                try Self.insertSubmission(number, "held", device: 1, in: transaction)
                try transaction.execute(
                    "UPDATE submission_body SET body = ? WHERE number = ?",
                    [SQLValue(Data(repeating: UInt8(number % 256), count: 40_000)), SQLValue(number)])
            }
        }
    }

    private func requireWhole(_ folder: StudyFolder) async throws {
        let stores = try StudyStores(folder)
        let queue = try await stores.openQueue()
        let found = try await queue.read { transaction in
            try transaction.first(
                """
                SELECT count(*) AS bodies, sum(length(body)) AS bytes, (SELECT count(*) FROM submission) AS rows
                FROM submission_body WHERE length(body) = 40000
                """)
        }
        try await queue.close()
        #expect(try found?.integer("bodies") == 400)
        #expect(try found?.integer("bytes") == 16_000_000)
        #expect(try found?.integer("rows") == 405)
        #expect(!FileManager.default.fileExists(atPath: folder.formerDatabaseURL.path))
    }

    #if os(Linux)
        @Test func anUpgradeThatIsKilledIsFinishedByTheNext() async throws {
            let program = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
                .appendingPathComponent("tributary")
            try #require(FileManager.default.isExecutableFile(atPath: program.path))
            let seed = Seeded.newSeed()
            var generator = Seeded(seed)
            var killed = 0
            for _ in 0..<6 {
                try await withFormerStudy { folder in
                    try await enlarge(folder)
                    // After any number of kills the next upgrade continues; the last one runs to its end.
                    for _ in 0..<3 {
                        let process = Process()
                        process.executableURL = program
                        process.arguments = ["study", "upgrade", folder.url.path]
                        process.standardOutput = FileHandle.nullDevice
                        process.standardError = FileHandle.nullDevice
                        try process.run()
                        usleep(UInt32.random(in: 20_000...500_000, using: &generator))
                        kill(process.processIdentifier, SIGKILL)
                        process.waitUntilExit()
                        killed += process.terminationReason == .uncaughtSignal ? 1 : 0
                        // Until it is done, a server of the study is refused.
                        if FileManager.default.fileExists(atPath: folder.formerDatabaseURL.path) {
                            #expect(throws: ServerError.self) { try StudyStores(folder) }
                        }
                    }
                    do {
                        _ = try await StudyUpgrade.run(folder, at: now)
                    } catch let error as ServerError {
                        #expect(error.code == "study-current")
                    }
                    try await requireWhole(folder)
                }
            }
            #expect(killed > 0)
        }

        @Test(arguments: [
            "data/tributary.sqlite.before-upgrade.part", "queue/queue.sqlite.partial", "queue/queue.sqlite",
        ])
        func upgradeStoppedByAFullDiskIsFinishedByTheNext(path: String) async throws {
            try await withStudyOnSmallDisk { folder in
                try await enlarge(folder)
                // As soon as this file exists, the rest of the disk is filled.
                let watched = folder.url.appendingPathComponent(path).path
                let ballast = folder.url.appendingPathComponent("ballast").path
                let filling = Task.detached {
                    while !FileManager.default.fileExists(atPath: watched), !Task.isCancelled { await Task.yield() }
                    fill(ballast)
                }
                var isStopped = false
                do {
                    _ = try await StudyUpgrade.run(folder, at: now)
                } catch let error as StorageError {
                    isStopped = true
                    #expect(error.code == "storage-full")
                }
                filling.cancel()
                await filling.value
                if isStopped {
                    // The stores report that the upgrade is not done; with enough space it is completed.
                    #expect(throws: ServerError.self) { try StudyStores(folder) }
                    unlink(ballast)
                    _ = try await StudyUpgrade.run(folder, at: now)
                }
                unlink(ballast)
                try await requireWhole(folder)
            }
        }

        private func withStudyOnSmallDisk(_ body: (StudyFolder) async throws -> Void) async throws {
            try await withSmallDisk("300m") { disk in
                try await withFormerStudy { made in
                    let target = URL(fileURLWithPath: disk.path).appendingPathComponent("study")
                    try FileManager.default.copyItem(at: made.url, to: target)
                    try await body(StudyFolder(path: target.path))
                }
            }
        }
    #endif
}

#if os(Linux)
    /// Fills all free space.
    private func fill(_ path: String) {
        let descriptor = open(path, O_WRONLY | O_CREAT, 0o600)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var size = 0
        for step in [32 << 20, 1 << 20, 4096] {
            while posix_fallocate(descriptor, size, step) == 0 { size += step }
        }
    }
#endif
