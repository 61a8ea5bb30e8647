import AccessPolicy
import AccessTestSupport
import Foundation
import Storage
import StorageTestSupport
import TestSupport
import Testing

@testable import Audit

/// The pages of the audit.
@Suite(.timeLimit(.minutes(10)))
struct AuditReaderTests {
    private func numbers(
        _ query: AuditQuery, count: Int, in database: any SQLDatabase
    ) async throws -> [Int64] {
        var (query, numbers) = (query, [Int64]())
        while true {
            let current = query
            let page = try await database.read { try AuditReader().page(current, count: count, in: $0) }
            #expect(page.events.count <= count)
            numbers += page.events.map(\.entry.number)
            guard let next = page.next else { return numbers }
            query.position = next
        }
    }

    @Test func pagesHaveTheRowsOfAComparisonInMemory() async throws {
        try await withSeals { fixture async throws in
            try await fixture.add(60)
            // A clock that was set back.
            fixture.clock.advance(-30)
            try await fixture.add(20)
            let all = try await fixture.access.audit.entries()
            let times = all.map { SQLTimestamp.text($0.at) }.sorted()
            var random = Seeded.fresh()
            for _ in 0..<30 {
                var query = AuditQuery()
                func pick<T>(_ values: [T?]) -> T? { values[Int(random.next() % UInt64(values.count))] }
                query.participant = pick([nil, "anna", "bert", "cora", "dora"])
                query.agent = pick([nil, nil, "staff", "app", "device", "x"])
                query.from = pick([nil, times[Int(random.next() % 80)]])
                query.before = pick([nil, times[Int(random.next() % 80)]])
                let expected = all.filter { entry in
                    let at = SQLTimestamp.text(entry.at)
                    return query.participant.map { entry.participants.contains($0) } ?? true
                        && query.agent.map { entry.actor == $0 || entry.client == $0 } ?? true
                        && query.from.map { at >= $0 } ?? true && query.before.map { at < $0 } ?? true
                }
                let isByNumber = query.participant != nil
                let ordered = expected.sorted {
                    isByNumber ? $0.number > $1.number : ($0.at, $0.number) > ($1.at, $1.number)
                }.map(\.number)
                for count in [1, 7, 100] {
                    let found = try await numbers(query, count: count, in: fixture.database)
                    #expect(found == ordered, "seed \(random.seed): \(query)")
                }
            }
        }
    }

    @Test func eventNamesParticipantsThatCanBeResolved() async throws {
        try await withSeals { fixture async throws in
            try await fixture.add(12)
            try await fixture.database.write { transaction in
                _ = try AuditLog.forget("anna", keepsAudit: false, in: transaction)
            }
            let events = try await fixture.database.read { transaction in
                try (1...12).compactMap { try AuditReader().event(number: $0, about: nil, in: transaction) }
            }
            #expect(events.count == 12)
            // Row 6 showed the three participants; row 1 was about anna.
            #expect(events[5].shown.map(\.id).compactMap { $0 }.sorted() == ["bert", "cora"])
            #expect(events[0].subject?.id == nil && events[0].subject?.pseudonym.isEmpty == false)
            #expect(events[0].entry.client == "app" && events[0].entry.resourceID == nil)
            let ofBert = try await fixture.database.read { transaction in
                try (1...12).compactMap { try AuditReader().event(number: $0, about: "bert", in: transaction) }
            }
            #expect(!ofBert.isEmpty && ofBert.count < 12)
        }
    }

    @Test func queriesUseAnIndex() async throws {
        try await withSeals { fixture async throws in
            try await fixture.add(40)
            try await fixture.database.write { transaction in
                var queries: [(String, [SQLValue])] = [
                    (AuditReader.rowSQL, [1]), (AuditReader.isShownSQL, ["x", 1]), (AuditReader.pseudonymSQL, ["x"]),
                    (AuditReader.resolvedSQL, ["x"]), (AuditReader.numbersSQL, ["x", 1, 2]),
                    (AuditReader.shownNumbersSQL, ["x", 1, 2]), (AuditReader.shownSQL, [1, 2]),
                    (AuditReader.rowsSQL(by: nil, from: true), ["9", 1, "2", 3]),
                ]
                for column in ["actor_id", "client"] {
                    queries.append((AuditReader.rowsSQL(by: column, from: false), ["x", "9", 1, 3]))
                    queries.append((AuditReader.rowsSQL(by: column, from: true), ["x", "9", 1, "2", 3]))
                }
                for (sql, parameters) in queries {
                    let plan = try QueryPlan(sql, parameters, in: transaction)
                    // PostgreSQL sorts the few rows of a small table.
                    let sorts = plan.sorts && transaction.dialect == .sqlite
                    #expect(!plan.readsAll && !sorts, "\(sql)\(plan)")
                }
            }
        }
    }
}
