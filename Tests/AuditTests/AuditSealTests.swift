import AccessPolicy
import AccessTestSupport
import Foundation
import Storage
import StorageTestSupport
import Synchronization
import Testing

@testable import Audit

@Suite(.timeLimit(.minutes(10)))
struct AuditSealTests {
    private func seals(_ database: any SQLDatabase) async throws -> [AuditSeal] {
        try await database.read { transaction in
            try transaction.query("SELECT * FROM audit_seal ORDER BY number").map { try AuditSeal($0) }
        }
    }

    @Test func sealsCoverAllRowsOnceInBoundedParts() async throws {
        try await withSeals { fixture async throws in
            #expect(try await fixture.sealer().seal() == nil)
            try await fixture.add(40)
            let last = try await fixture.sealer().seal()
            let seals = try await seals(fixture.database)
            #expect(seals.map(\.firstRow) == [1, 17, 33] && seals.map(\.lastRow) == [16, 32, 40])
            #expect(seals.map(\.amount) == [16, 16, 8] && seals.last == last)
            #expect(zip(seals.dropFirst(), seals).allSatisfy { $0.previous == $1.head })
            // Nothing new: no seal.
            #expect(try await fixture.sealer().seal() == last)
            try await fixture.add(1)
            #expect(try await fixture.sealer().seal()?.number == 4)
            let result = try await fixture.verify()
            #expect(result.broken == nil && result.rows == 41 && result.restored.isEmpty)
        }
    }

    @Test func sealEndsAfterManyShownParticipants() async throws {
        try await withSeals { fixture async throws in
            try await fixture.add(40)
            try await fixture.sealer(rows: 5_000, shown: 4).seal()
            let seals = try await seals(fixture.database)
            #expect(seals.count > 3 && seals.last?.lastRow == 40)
            #expect(try await fixture.verify().broken == nil)
        }
    }

    @Test func sealDependsOnlyOnContents() throws {
        // The head of known rows, so that no later version or engine computes another one.
        let columns = [
            "number", "at", "actor_id", "client", "role", "action", "resource_type", "resource_id", "id_salt",
            "id_digest", "subject", "allowed", "reason", "amount",
        ]
        #expect(Set(SealedRow.columns).isSubset(of: columns))
        var encoding = CanonicalEncoding("d")
        for value: SQLValue in [.null, 12, "aé", .blob(Data([0, 255])), .real(1)] { encoding.append(value) }
        #expect(
            encoding.bytes == Array("t1:dn0:i2:12t3:aéb2:".utf8) + [0, 255] + Array("r19:4607182418800017408".utf8))
    }

    @Test func concurrentSealersSealEachRowOnce() async throws {
        try await withSeals { fixture async throws in
            try await fixture.add(60)
            let sealers = (0..<4).map { _ in fixture.sealer(rows: 3) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for sealer in sealers { group.addTask { try await sealer.seal() } }
                try await group.waitForAll()
            }
            let seals = try await seals(fixture.database)
            #expect(seals.map(\.amount).reduce(0, +) == 60 && seals.count == 20)
            #expect(try await fixture.verify().broken == nil)
        }
    }

    @Test func fullStoreDelaysSealsAndLosesNone() async throws {
        try await withSeals { fixture async throws in
            try await fixture.add(20)
            let failing = FullDatabase(fixture.database)
            for failures in [1, 2] {
                failing.fail(failures)
                let error = await #expect(throws: StorageError.self) {
                    try await fixture.sealer(rows: 8, on: failing).seal()
                }
                #expect(error?.code == "storage-full")
                #expect(try await fixture.verify().broken == nil)
                failing.fail(0)
            }
            try await fixture.add(4)
            try await fixture.sealer(rows: 8, on: failing).seal()
            let result = try await fixture.verify()
            #expect(result.broken == nil && result.rows == 24 && result.unsealed == 0)
        }
    }

    @Test func deletionOfAParticipantKeepsTheSealsValid() async throws {
        try await withSeals { fixture async throws in
            try await fixture.add(40)
            try await fixture.sealer().seal()
            try await fixture.add(7)
            let head = try await fixture.verify().head
            try await fixture.database.write { transaction in
                _ = try AuditLog.forget("bert", keepsAudit: false, in: transaction)
            }
            #expect(try await fixture.verify().broken == nil)
            try await fixture.sealer().seal()
            let result = try await fixture.verify()
            #expect(result.broken == nil && result.rows == 47 && result.head != head)
            let left = try await fixture.database.read { transaction in
                try transaction.query(
                    """
                    SELECT resource_id, id_salt FROM audit WHERE id_digest IS NOT NULL AND resource_id IS NULL
                    """)
            }
            #expect(!left.isEmpty && left.allSatisfy { $0["id_salt"] == .null })
            // Other participants' ids remain.
            let entries = try await fixture.access.audit.entries(participant: "anna")
            #expect(entries.contains { $0.resourceID?.hasPrefix("o") == true })
        }
    }

    @Test(arguments: ["id_salt = NULL, resource_id = NULL", "resource_id = NULL", "id_salt = NULL"])
    func removedIDWithoutADeletionIsReported(change: String) async throws {
        try await withSeals { fixture async throws in
            try await fixture.add(20)
            try await fixture.sealer().seal()
            for number in [9, 8] {
                // Row 9 is about a participant, row 8 about no one.
                let result = try await fixture.broken { transaction in
                    try transaction.execute("UPDATE audit SET \(change) WHERE number = ?", [SQLValue(number)])
                }
                #expect(result?.broken == .init(from: Int64(number), to: Int64(number), why: .idRemoved))
            }
        }
    }

    @Test func restorationExplainsNewerHeads() async throws {
        try await withSeals { fixture async throws in
            try await fixture.add(32)
            try await fixture.sealer().seal()
            try await fixture.add(8)
            try await fixture.sealer().seal()
            let former = try await seals(fixture.database).map(AuditAnchor.init)
            // The backup has the first two seals, and rows that were not sealed yet.
            try await fixture.database.write { transaction in
                try transaction.execute("DELETE FROM audit_participant WHERE number > 36")
                try transaction.execute("DELETE FROM audit WHERE number > 36")
                try transaction.execute("DELETE FROM audit_seal WHERE number > 2")
            }
            #expect(try await fixture.verify(anchors: former).broken?.why == .endMissing)
            fixture.clock.advance(-1_000)
            let newest = former.map(\.at).max().flatMap(SQLTimestamp.date)
            try await fixture.sealer().recordRestoration(notBefore: newest)
            let restored = try await fixture.verify(anchors: former)
            #expect(restored.broken == nil && restored.rows == 36)
            #expect(restored.restored.map(\.lastRow) == [32])
            // A head after the restoration is not explained by it.
            fixture.clock.advance(2_000)
            try await fixture.add(8)
            try await fixture.sealer().seal()
            let later = try await seals(fixture.database).map(AuditAnchor.init)
            #expect(try await fixture.verify(anchors: former + later).broken == nil)
            let cut = try await fixture.broken(anchors: former + later) { transaction in
                try transaction.execute("DELETE FROM audit_participant WHERE number > 36")
                try transaction.execute("DELETE FROM audit WHERE number > 36")
                try transaction.execute("DELETE FROM audit_seal WHERE last_row > 36")
            }
            #expect(cut?.broken?.why == .endMissing)
        }
    }

    @Test func queriesOfSealsUseAnIndex() async throws {
        try await withSeals { fixture async throws in
            try await fixture.add(40)
            try await fixture.database.write { transaction in
                for (sql, parameters) in [
                    (SealedRow.nextSQL, [1, 2]), (SealedRow.rangeSQL, [1, 2, 3]), (SealedRow.shownSQL, [1, 2]),
                    (VerifierState.sealsSQL, [1, 2]), (VerifierState.unsealedSQL, [1]),
                    (VerifierState.resolvedSQL, ["x"]), (AuditAnchorFolder.headSQL, [1, "x"]),
                    ("SELECT * FROM audit_seal ORDER BY number DESC LIMIT 1", []),
                ] as [(String, [SQLValue])] {
                    let plan = try QueryPlan(sql, parameters, in: transaction)
                    #expect(!plan.readsAll || sql.hasPrefix("SELECT * FROM audit_seal ORDER"), "\(sql)\(plan)")
                    // PostgreSQL sorts the few rows of a small table.
                    #expect(!plan.sorts || transaction.dialect == .postgresql, "\(sql)\(plan)")
                }
            }
        }
    }
}

/// A database whose writes fail as on a full disk, for a number of times that a test sets.
private final class FullDatabase: SQLDatabase {
    private let database: any SQLDatabase
    private let failures = Mutex(0)

    init(_ database: any SQLDatabase) { self.database = database }

    /// - Parameter count: number of the write that fails first; 0 for none.
    func fail(_ count: Int) { failures.withLock { $0 = count } }

    func read<T: Sendable>(_ body: @escaping @Sendable (any SQLTransaction) throws -> T) async throws -> T {
        try await database.read(body)
    }

    func write<T: Sendable>(_ body: @escaping @Sendable (any SQLTransaction) throws -> T) async throws -> T {
        let fails = failures.withLock { failures in
            defer { if failures > 1 { failures -= 1 } }
            return failures == 1
        }
        if fails { throw StorageError(code: "storage-full", message: "Full.") }
        return try await database.write(body)
    }

    func close() async throws { try await database.close() }
}
