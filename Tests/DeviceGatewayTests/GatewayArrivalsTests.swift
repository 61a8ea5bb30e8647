import Foundation
import Storage
import TestSupport
import Testing

@testable import DeviceGateway

/// Events that are stored in one row with those of the same request.
@Suite struct GatewayArrivalsTests {
    private func weight(_ device: String, _ value: Int, second: Int = 0) -> String {
        let at = Date(timeIntervalSince1970: 1_790_000_000 + Double(second))
        return #"{"device":"\#(device)","at":"\#(at.formatted(.iso8601))","kg":\#(value)}"#
    }

    private func rows(_ fixture: GatewayFixture) async throws -> [String] {
        try await fixture.database.read { transaction in
            try transaction.query("SELECT first, event_count FROM gateway_arrival ORDER BY first").map {
                "\(try $0.integer("first")) \(try $0.integer("event_count"))"
            }
        }
    }

    private func load(_ fixture: GatewayFixture) async throws -> [Int64] {
        try await fixture.database.read { transaction in
            let row = try transaction.first("SELECT event_count, byte_count FROM gateway_hub")
            return [try row?.integer("event_count") ?? -1, try row?.integer("byte_count") ?? -1]
        }
    }

    /// Each event of a request has the same result as if it came alone, and the load of the hub is that of the
    /// remaining events.
    @Test func unfinishedEventsAreSplitFromTheirArrival() async throws {
        try await GatewayFixture.with { fixture in
            try await fixture.register("d", of: "p1")
            try await fixture.take([
                weight("d", 70), weight("new", 71), #"{"device":"d"}"#, weight("d", 72, second: 60),
            ])
            #expect(try await rows(fixture) == ["1 4"])
            #expect(try await fixture.status().pending == 4)
            let before = try await load(fixture)
            try await fixture.work()
            #expect(try await rows(fixture) == [])
            #expect(try await fixture.values() == ["p1 70 final", "p1 72 final"])
            let status = try await fixture.status()
            #expect(status.pending == 0 && status.measurements == 2)
            #expect(status.waiting.map(\.id) == [2] && status.waiting.map(\.device) == ["new"])
            #expect(status.quarantined.map(\.id) == [3])
            #expect(status.waiting.map(\.received) == [fixture.clock.now])
            let after = try await load(fixture)
            #expect(before[0] == 4 && after[0] == 2 && after[1] > 0 && after[1] < before[1])
            try await fixture.register("new", of: "p2")
            try await fixture.work()
            #expect(try await fixture.values().sorted() == ["p1 70 final", "p1 72 final", "p2 71 final"])
            #expect(try await load(fixture)[0] == 1)
        }
    }

    /// Large requests are processed in parts, small ones together.
    @Test func arrivalsAreProcessedInBatchesOfOneSize() async throws {
        try await GatewayFixture.with { fixture in
            try await fixture.register("d", of: "p1")
            try await fixture.take((0..<2_100).map { weight("d", 60, second: $0) })
            for second in 2_100..<2_110 { try await fixture.take([weight("d", 60, second: second)]) }
            let stored = try await rows(fixture)
            #expect(stored.prefix(4) == ["1 500", "501 500", "1001 500", "1501 500"])
            #expect(stored.dropFirst(4).prefix(2) == ["2001 100", "2101 1"] && stored.count == 15)
            try await fixture.work()
            let status = try await fixture.status()
            #expect(status.measurements == 2_110 && status.pending == 0)
            #expect(try await load(fixture) == [0, 0])
            // Each batch is a transaction of its own: 500, then 1,000, and the rest.
            let submissions = try await fixture.database.read {
                try $0.first("SELECT count(*) AS n FROM record_source WHERE submission_id LIKE 'gateway:%'")?.integer(
                    "n")
            }
            #expect(submissions == 3)
        }
    }

    /// Each window is written once, also if a batch ends within it, and there are no empty batches: each is a
    /// submission.
    @Test func windowsOfSeveralBatchesAreWrittenOnce() async throws {
        try await GatewayFixture.with { fixture in
            try await fixture.register("d", of: "p1")
            let start = 1_790_002_800
            try await fixture.take(
                (0..<5_000).map { minute in
                    let at = Date(timeIntervalSince1970: Double(start + 60 * minute)).formatted(.iso8601)
                    return #"{"device":"d","at":"\#(at)","hr":\#(60 + minute % 40)}"#
                })
            try await fixture.work()
            let status = try await fixture.status()
            #expect(status.measurements == 5_000 && status.pending == 0)
            #expect(try await load(fixture) == [0, 0])
            let (versions, submissions) = try await fixture.database.read { transaction in
                (
                    try transaction.query("SELECT version FROM record WHERE type = 'Observation'").map {
                        try $0.integer("version")
                    },
                    try transaction.first(
                        "SELECT count(*) AS n FROM record_source WHERE submission_id LIKE 'gateway:%'")?.integer("n")
                )
            }
            #expect(versions.count == 84 && versions.allSatisfy { $0 == 1 })
            // 500, 1,000, 2,000, and the rest together with earlier leftovers.
            #expect(submissions == 4)
        }
    }

    /// For any number of large events that a device sent before it was registered.
    @Test func largeWaitingEventsAreProcessedInParts() async throws {
        try await GatewayFixture.with { fixture in
            let padding = String(repeating: "x", count: 900_000)
            for second in 0..<10 {
                let event = weight("new", 60, second: second).dropLast() + #","padding":"\#(padding)"}"#
                try await fixture.take([String(event)])
            }
            try await fixture.work()
            #expect(try await fixture.status().waiting.count == 10)
            let counts = try await fixture.database.write { transaction in
                try GatewayEvents(transaction: transaction).release(device: "new")
                var counts: [Int] = []
                var cursor: GatewayEvents.Cursor?
                while let part = try GatewayEvents.due(
                    after: cursor, limit: 1_000, bytes: 4 << 20, at: 0, in: transaction)
                {
                    counts.append(part.events.count)
                    cursor = part.last
                }
                return counts
            }
            #expect(counts == [4, 4, 2])
            try await fixture.register("new", of: "p1")
            try await fixture.work()
            #expect(try await fixture.values().count == 10)
        }
    }

    @Test func bodiesAreReadBackAndDamagedOnesAreNot() throws {
        var random = Seeded.fresh()
        for _ in 0..<300 {
            let bodies = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                Data(
                    (0..<Int.random(in: 0...700, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
                )
            }
            let packed = GatewayArrivals.packed(bodies)
            #expect(try GatewayArrivals.unpacked(packed) == bodies, "seed \(random.seed)")
            guard !packed.isEmpty else { continue }
            let cut = packed.prefix(Int.random(in: 0..<packed.count, using: &random))
            let read = try? GatewayArrivals.unpacked(Data(cut))
            #expect(read.map { bodies.starts(with: $0) && $0.count < bodies.count } ?? true, "seed \(random.seed)")
        }
        #expect(throws: StorageError.self) { try GatewayArrivals.unpacked(Data([0, 0, 0, 2, 1])) }
        #expect(throws: StorageError.self) { try GatewayArrivals.unpacked(Data([255, 255, 255, 255, 1])) }
    }
}
