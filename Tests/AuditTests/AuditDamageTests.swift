import Foundation
import Storage
import TestSupport
import Testing

@testable import Audit

/// Every change of stored values is detected (S14: a row is deleted or edited, the tail is cut, rows are reordered).
///
/// `TRIBUTARY_AUDIT_DAMAGE=500` flips that number of bits, and removes, swaps and cuts at each row.
@Suite(.timeLimit(.minutes(20)))
struct AuditDamageTests {
    private static let rows = 200
    private static let flips =
        ProcessInfo.processInfo.environment["TRIBUTARY_AUDIT_DAMAGE"].flatMap { Int($0) } ?? 40
    /// The rows at which the tests remove, swap and cut.
    private static let indexes = Array(stride(from: 1, through: rows, by: flips < 500 ? 17 : 1))

    private func withSealedRows(_ body: (AuditSealFixture, [AuditAnchor]) async throws -> Void) async throws {
        try await withSeals { fixture async throws in
            try await fixture.add(Self.rows)
            try await fixture.sealer().seal()
            let seals = try await fixture.database.read { transaction in
                try transaction.query("SELECT * FROM audit_seal ORDER BY number").map { try AuditSeal($0) }
            }
            let result = try await fixture.verify()
            #expect(result.broken == nil && result.rows == Int64(Self.rows) && result.unsealed == 0)
            try await body(fixture, seals.map(AuditAnchor.init))
        }
    }

    @Test func flippedBitsOfAllColumnsAreDetected() async throws {
        try await withSealedRows { fixture, _ async throws in
            var random = Seeded.fresh()
            var changed: Set<String> = []
            var count = 0
            while count < Self.flips {
                let table = ["audit", "audit_participant", "audit_seal"][Int(random.next() % 3)]
                let (columns, rows) = try await fixture.database.read { transaction in
                    (
                        try transaction.columnNames(of: table).sorted(),
                        try transaction.first("SELECT count(*) AS rows FROM \(table)")?.integer("rows") ?? 0
                    )
                }
                let column = columns[Int(random.next() % UInt64(columns.count))]
                let (row, bit) = (Int64(random.next() % UInt64(rows)), random.next())
                let result = try await fixture.broken { try Self.flip(bit, of: column, row: row, of: table, in: $0) }
                // The engine refuses some changes, and some values are null.
                guard let result else { continue }
                count += 1
                changed.insert("\(table).\(column)")
                #expect(result.broken != nil, "seed \(random.seed): \(table).\(column), row \(row), bit \(bit)")
            }
            #expect(changed.count >= (Self.flips < 500 ? 8 : 20), "\(changed.sorted())")
        }
    }

    private static func flip(
        _ bit: UInt64, of column: String, row: Int64, of table: String, in transaction: any SQLTransaction
    ) throws {
        let key = table == "audit_participant" ? "number, pseudonym" : "number"
        let found = try #require(
            try transaction.first("SELECT * FROM \(table) ORDER BY \(key) LIMIT 1 OFFSET ?", [SQLValue(row)]))
        let unchanged = StorageError(code: "unchanged", message: "The value cannot be changed.")
        let value: SQLValue
        switch found[column] {
        case .integer(let number): value = .integer(number ^ (1 << Int64(bit % 63)))
        case .text(let text):
            var bytes = Array(text.utf8)
            guard !bytes.isEmpty else { throw unchanged }
            bytes[Int(bit / 7 % UInt64(bytes.count))] ^= 1 << UInt8(bit % 7)
            guard !bytes.contains(0), let changed = String(bytes: bytes, encoding: .utf8) else { throw unchanged }
            value = .text(changed)
        case .blob(var data):
            guard !data.isEmpty else { throw unchanged }
            data[data.startIndex + Int(bit / 8 % UInt64(data.count))] ^= 1 << UInt8(bit % 8)
            value = .blob(data)
        case .null, .real: throw unchanged
        }
        var condition = "number = ?"
        var parameters = [value, found["number"]]
        if table == "audit_participant" {
            condition += " AND pseudonym = ?"
            parameters.append(found["pseudonym"])
        }
        guard try transaction.execute("UPDATE \(table) SET \(column) = ? WHERE \(condition)", parameters) == 1 else {
            throw unchanged
        }
    }

    @Test func removedRowsAreDetected() async throws {
        try await withSealedRows { fixture, _ async throws in
            for index in Self.indexes {
                let result = try await fixture.broken { transaction in
                    try transaction.execute("DELETE FROM audit_participant WHERE number = ?", [SQLValue(index)])
                    try transaction.execute("DELETE FROM audit WHERE number = ?", [SQLValue(index)])
                }
                let broken = try #require(result?.broken, "row \(index)")
                #expect(broken.from <= index && index <= broken.to && broken.why == .rowsChanged)
            }
        }
    }

    @Test func removedParticipantsAreDetected() async throws {
        try await withSealedRows { fixture, _ async throws in
            let result = try await fixture.broken { transaction in
                let last = try #require(try transaction.first("SELECT max(number) AS n FROM audit_participant"))
                try transaction.execute("DELETE FROM audit_participant WHERE number = ?", [last["n"]])
            }
            #expect(result?.broken?.why == .rowsChanged)
        }
    }

    @Test func swappedNeighboursAreDetected() async throws {
        try await withSealedRows { fixture, _ async throws in
            let columns = try await fixture.database.read { transaction in
                try transaction.columnNames(of: "audit").filter { $0 != "number" }
            }
            for index in Self.indexes where index < Self.rows {
                let result = try await fixture.broken { transaction in
                    let pair = try transaction.query(
                        "SELECT * FROM audit WHERE number IN (?, ?) ORDER BY number",
                        [SQLValue(index), SQLValue(index + 1)])
                    for (row, other) in zip(pair, pair.reversed()) {
                        try transaction.execute(
                            "UPDATE audit SET \(columns.map { "\($0) = ?" }.joined(separator: ", ")) WHERE number = ?",
                            columns.map { other[$0] } + [row["number"]])
                    }
                }
                let broken = try #require(result?.broken, "row \(index)")
                #expect(broken.from <= index + 1 && index <= broken.to)
            }
        }
    }

    @Test func insertedRowsAreDetected() async throws {
        try await withSealedRows { fixture, _ async throws in
            for number in [0, -5] {
                let result = try await fixture.broken { transaction in
                    try transaction.execute(
                        "INSERT INTO audit (number, at, action, allowed, reason) VALUES (?, '2026', 'x', 1, 'y')",
                        [SQLValue(number)])
                }
                #expect(result?.broken?.why == .rowBeforeFirst)
            }
        }
    }

    /// Cuts the rows after an index.
    @Sendable private static func cut(after index: Int, seals: Bool, in transaction: any SQLTransaction) throws {
        let number = [SQLValue(index)]
        try transaction.execute("DELETE FROM audit_participant WHERE number > ?", number)
        try transaction.execute("DELETE FROM audit WHERE number > ?", number)
        if seals { try transaction.execute("DELETE FROM audit_seal WHERE last_row > ?", number) }
    }

    @Test func cutTailsAreDetected() async throws {
        try await withSealedRows { fixture, anchors async throws in
            for index in Self.indexes where index < Self.rows {
                // 1. Rows alone.
                let rows = try await fixture.broken { try Self.cut(after: index, seals: false, in: $0) }
                #expect(rows?.broken?.why == .rowsChanged, "row \(index)")
                // 2. Rows and seals: only a head elsewhere reveals it.
                let unknown = try await fixture.broken { try Self.cut(after: index, seals: true, in: $0) }
                #expect(unknown?.broken == nil)
                let both = try await fixture.broken(anchors: anchors) {
                    try Self.cut(after: index, seals: true, in: $0)
                }
                #expect(both?.broken?.why == .endMissing && both?.broken?.to == Int64(Self.rows), "row \(index)")
                let newest = try await fixture.broken(anchors: anchors.suffix(1)) {
                    try Self.cut(after: index, seals: true, in: $0)
                }
                #expect(newest?.broken?.why == .endMissing)
            }
            #expect(try await fixture.verify(anchors: anchors).broken == nil)
        }
    }

    @Test func rowsThatWereReplacedAndSealedAgainAreDetected() async throws {
        try await withSealedRows { fixture, anchors async throws in
            try await fixture.database.write { try Self.cut(after: 100, seals: true, in: $0) }
            try await fixture.add(150)
            try await fixture.sealer().seal()
            #expect(try await fixture.verify().broken == nil)
            let result = try await fixture.verify(anchors: anchors)
            #expect(result.broken?.why == .headUnknown && result.broken?.from == 97)
            let digits = try await AuditVerifier(database: fixture.database).verify(head: anchors.last?.head)
            #expect(digits.broken?.why == .headUnknown)
            let known = try await AuditVerifier(database: fixture.database).verify(head: anchors.first?.head)
            #expect(known.broken == nil)
        }
    }
}
