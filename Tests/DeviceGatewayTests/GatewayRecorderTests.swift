import AccessPolicy
import Core
import FHIR
import Foundation
import RecordStorage
import Storage
import StorageTestSupport
import TestSupport
import Testing

@testable import DeviceGateway

@Suite struct GatewayRecorderTests {
    private func weight(_ device: String, _ value: Int, minute: Int = 0) -> String {
        #"{"device":"\#(device)","at":"2026-03-01T08:\#(minute < 10 ? "0" : "")\#(minute):00Z","kg":\#(value)}"#
    }

    private func rate(_ device: String, _ value: Int, minute: Int) -> String {
        weight(device, value, minute: minute).replacingOccurrences(of: "kg", with: "hr")
    }

    @Test func repeatedReadingsAreRecognised() async throws {
        try await GatewayFixture.with { fixture in
            try await fixture.register("d", of: "p1")
            for _ in 0..<3 { try await fixture.take([weight("d", 70), weight("d", 71, minute: 1), weight("d", 70)]) }
            try await fixture.work()
            #expect(try await fixture.values() == ["p1 70 final", "p1 71 final"])
            let status = try await fixture.status()
            #expect(status.messages == 2 && status.measurements == 2 && status.pending == 0)
            #expect(Set(fixture.admission.changes).count == 2)
        }
    }

    @Test func laterEventOfTheSameTimeCounts() async throws {
        try await GatewayFixture.with { fixture in
            try await fixture.register("d", of: "p1")
            try await fixture.take([weight("d", 70)])
            try await fixture.work()
            try await fixture.take([weight("d", 72), weight("d", 70)])
            try await fixture.work()
            #expect(try await fixture.values() == ["p1 72 amended"])
        }
    }

    @Test func anObservationOfManyReadingsIsNotWrittenForEach() async throws {
        try await GatewayFixture.with { fixture in
            try await fixture.register("d", of: "p1")
            try await fixture.take((0..<30).map { rate("d", 60 + $0, minute: $0) })
            try await fixture.work()
            let first = fixture.admission.changes.count
            for minute in 30..<40 {
                try await fixture.take([rate("d", 60 + minute, minute: minute)])
                try await fixture.work()
            }
            #expect(fixture.admission.changes.count == first)
            #expect(try await fixture.status().pending == 10)
            fixture.clock.pass(60_001)
            try await fixture.work()
            #expect(fixture.admission.changes.count == first + 1)
            let expected = (0..<40).map { "\(60 + $0)" }.joined(separator: " ")
            #expect(try await fixture.values() == ["p1 \(expected) amended"])
        }
    }

    @Test func readingsAreHeldOrRefusedByConsent() async throws {
        try await GatewayFixture.with { fixture in
            try await fixture.register("d", of: "p1")
            fixture.admission.set(.held(code: "consent-required", sentence: "No contract."), of: "p1")
            try await fixture.take([weight("d", 70)])
            try await fixture.work()
            #expect(try await fixture.status().waiting.map(\.code) == ["consent-required"])
            _ = try await fixture.recorder.release(after: "")
            #expect(try await fixture.status().waiting.count == 1)
            fixture.admission.set(.admitted, of: "p1")
            _ = try await fixture.recorder.release(after: "")
            try await fixture.work()
            #expect(try await fixture.values() == ["p1 70 final"])
            fixture.admission.set(.refused(code: "consent-withdrawn", sentence: "Withdrawn."), of: "p1")
            try await fixture.take([weight("d", 71, minute: 1)])
            try await fixture.work()
            let status = try await fixture.status()
            #expect(status.refused == 1 && status.waiting.isEmpty && status.quarantined.isEmpty)
            #expect(try await fixture.values() == ["p1 70 final"])
            // Refused readings are not kept.
            #expect(try await fixture.database.read { try $0.query("SELECT number FROM gateway_event").count } == 0)
        }
    }

    @Test func invalidReadingDoesNotAffectOthers() async throws {
        try await GatewayFixture.with { fixture in
            try await fixture.register("d", of: "p1")
            try await fixture.take([weight("d", 70), weight("d", 666, minute: 1), weight("d", 71, minute: 2)])
            try await fixture.work()
            #expect(try await fixture.values() == ["p1 70 final", "p1 71 final"])
            let status = try await fixture.status()
            #expect(status.quarantined.map(\.code) == ["rule-broken"] && status.quarantined.map(\.device) == ["d"])
            #expect(try await fixture.database.write { try GatewayStatus.retry(nil, in: $0) } == 1)
        }
    }

    @Test func aCorrelationOfAnotherParticipantIsNotTouched() async throws {
        try await GatewayFixture.with { fixture in
            try await fixture.register("d1", of: "p1")
            try await fixture.register("d2", of: "p2")
            func event(_ device: String, _ value: Int) -> String {
                #"{"device":"\#(device)","at":"2026-03-01T08:00:00Z","one":\#(value),"set":"x"}"#
            }
            try await fixture.take([event("d1", 1)])
            try await fixture.work()
            try await fixture.take([event("d2", 2)])
            try await fixture.work()
            #expect(try await fixture.values() == ["p1 1 final"])
            #expect(try await fixture.status().quarantined.map(\.code) == ["subject-not-permitted"])
        }
    }

    @Test func fullHubRefusesEventsAndLosesNothing() async throws {
        try await GatewayFixture.with { fixture in
            try await fixture.take([weight("nobody", 1)])
            _ = try await fixture.database.write { transaction in
                try transaction.execute(
                    "UPDATE gateway_hub SET event_count = ?", [SQLValue(GatewayEvents.limit.events)])
            }
            #expect(try await !fixture.take([weight("nobody", 2, minute: 1)]))
            #expect(try await fixture.status().messages == 1)
        }
    }

    @Test func deviceWrittenByAPhoneHasNoEffect() async throws {
        try await GatewayFixture.with { fixture in
            let registration = try DeviceRegistration(device: "d", participant: "p2")
            let id = MeasurementGroup.id(of: "d")
            try await fixture.put(registration.resource(id: id), id: id)
            try await fixture.take([weight("d", 70)])
            try await fixture.work()
            #expect(try await fixture.status().waiting.map(\.code) == ["device-unknown"])
            // It does not conflict: the id of the server's Device cannot be guessed.
            try await fixture.register("d", of: "p1")
            try await fixture.work()
            #expect(try await fixture.status().measurements == 1)
        }
    }

    @Test func deviceIsRegisteredOnlyForAParticipantWithRecords() async throws {
        try await GatewayFixture.with { fixture in
            try await fixture.register("d", of: "p1")
            let (audit, now) = (fixture.audit, fixture.clock.now)
            for (participant, code) in [("p1", nil), ("p2", "participant-unknown")] {
                let registration = try DeviceRegistration(device: "e", participant: participant)
                let refused: GatewayError? = try await fixture.database.write { transaction in
                    do {
                        try registration.register(
                            by: Actor(id: "a", role: .site), audit: audit, submissionID: "r", at: now, in: transaction
                        )
                        return nil
                    } catch let error as GatewayError { return error }
                }
                #expect(refused?.code == code)
            }
        }
    }

    /// More than one batch: a later batch is applied to an Observation after the earlier one.
    @Test func consecutiveBatchesHaveTheResultOfOne() async throws {
        try await GatewayFixture.with { fixture in
            try await fixture.register("d", of: "p1")
            func weight(_ value: Int, _ time: Int) -> String {
                let (hour, minute, second) = (time / 3_600, time / 60 % 60, time % 60)
                func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
                return
                    #"{"device":"d","at":"2026-03-01T\#(two(hour)):\#(two(minute)):\#(two(second))Z","kg":\#(value)}"#
            }
            // The next batch corrects the first reading of each batch, and one window spans all of them.
            var values: [Int: Int] = [:]
            var events: [String] = []
            for number in 0..<1_300 {
                let time = number >= 500 && number < 600 ? number - 500 : number
                values[time] = 1_000 + number
                events.append(weight(1_000 + number, time))
                if number % 100 == 0 { events.append(rate("d", 60 + number / 100, minute: number / 100)) }
            }
            try await fixture.take(events)
            try await fixture.work()
            fixture.clock.pass(120_000)
            try await fixture.work()
            let stored = try await fixture.database.read { transaction in
                try RecordStore().present(after: 0, limit: 5_000, in: transaction).compactMap { record -> String? in
                    guard record.record.type == "Observation" else { return nil }
                    switch Observation(try Resource(record.record.content).object).value {
                    case .quantity(let quantity): return quantity.value?.text
                    case .sampledData(let data): return data.data
                    default: return nil
                    }
                }
            }
            let windows = stored.filter { $0.contains(" ") }
            let singles = stored.filter { !$0.contains(" ") }.sorted()
            let isWhole = singles == values.values.map(String.init).sorted()
            #expect(isWhole, "\(singles.count) of \(values.count)")
            #expect(windows.count == 1 && windows[0].hasPrefix("60 61 62 63 64 65 66 67 68 69 70 71 72"))
            let status = try await fixture.status()
            #expect(status.waiting.isEmpty && status.quarantined.isEmpty, "\(status)")
        }
    }

    /// A window is not written for each reading, and the recorder waits only until the deferred ones are due.
    @Test func deferredReadingsReportTheirDueTime() async throws {
        try await GatewayFixture.with { fixture in
            try await fixture.register("d", of: "p1")
            try await fixture.take((0..<20).map { rate("d", 60 + $0, minute: $0) })
            try await fixture.work()
            #expect(try await fixture.recorder.untilNextDue() == nil)
            try await fixture.take([rate("d", 80, minute: 20)])
            try await fixture.work()
            #expect(try await fixture.recorder.untilNextDue() == .milliseconds(1_000))
            fixture.clock.pass(400)
            #expect(try await fixture.recorder.untilNextDue() == .milliseconds(600))
            fixture.clock.pass(600)
            #expect(try await fixture.recorder.untilNextDue() == nil)
            try await fixture.work()
            #expect(try await fixture.status().measurements == 21)
        }
    }

    @Test func idUsedMeanwhileIsNotOverwritten() async throws {
        try await GatewayFixture.with { fixture in
            try await fixture.register("d", of: "p1")
            // The stored result is written once, and not a second version of another writer's.
            try await fixture.take([weight("d", 70)])
            try await fixture.work()
            let id = try #require(fixture.admission.changes.first)
            let content = try await fixture.database.read { transaction in
                try #require(try RecordStore().read(type: "Observation", id: id, in: transaction)).content
            }
            let secret = try await fixture.database.read { transaction in
                try #require(try transaction.first("SELECT secret FROM gateway_secret")).blob("secret")
            }
            try await GatewayFixture.with { second in
                // With the same secret the second gateway gives the same id to the same Observation.
                try await second.database.write { transaction in
                    _ = try transaction.execute(
                        "INSERT INTO gateway_secret (id, secret) VALUES (1, ?)", [.blob(secret)])
                }
                try await second.register("d", of: "p1")
                try await second.take([weight("d", 70), weight("d", 71, minute: 1)])
                let now = second.clock.now
                second.admission.interrupt { transaction in
                    _ = try RecordStore().put(
                        try Resource(content), content: content + [0x20], original: nil, id: id,
                        provenance: RecordProvenance(submissionID: "o", clientID: "c", keyID: nil, receivedAt: now),
                        at: now, in: transaction)
                }
                try await second.work()
                #expect(try await second.values() == ["p1 70 final", "p1 71 final"])
                // The transaction that found the conflict wrote nothing: no change was reported, and there is one
                // version.
                #expect(second.admission.changes.count == 2)
                let versions = try await second.database.read { transaction in
                    try transaction.first(
                        "SELECT count(*) AS n FROM record_version v JOIN record r ON r.number = v.number WHERE r.id = ?",
                        [SQLValue(id)])?.integer("n")
                }
                #expect(versions == 1)
                #expect(try await second.status().measurements == 2)
            }
        }
    }

    @Test func digestsOfEventsOfOneHourShareTheirPrefix() {
        func digest(_ text: String) -> [UInt8] { Array(EventDigest.digest(of: Data(text.utf8))) }
        let first = #"{"at":"2026-03-01T08:00:00Z","kg":70}"#
        #expect(digest(first).count == 16 && digest(first) == digest(first))
        #expect(digest(first) != digest(first.replacingOccurrences(of: "70", with: "71")))
        #expect(digest(first).prefix(4) == digest(#"{"kg":71,"at":"2026-03-01 08:59"}"#).prefix(4))
        // A text without a time has a digest too.
        for text in ["", "2026", "2026-03-01T0", "x2026-3-1T08", "99999999999999999999"] {
            #expect(digest(text).count == 16 && digest(text).prefix(4) == [0, 0, 0, 0], "\(text)")
        }
    }

    @Test func deletionOfAParticipantDeletesTheirReadings() async throws {
        try await GatewayFixture.with { fixture in
            try await fixture.register("d", of: "p1")
            try await fixture.register("e", of: "p2")
            try await fixture.take(
                [weight("d", 70), weight("e", 80)] + (0..<3).map { rate("d", 60 + $0, minute: $0) }
                    + [rate("e", 90, minute: 1)])
            try await fixture.work()
            let removed = try await fixture.database.write { transaction in
                let others = try GatewayDeletion.delete(participant: "p1", in: transaction)
                return try RecordStore().delete(about: "p1", keeping: [], in: transaction).removed.merging(others) {
                    $1
                }
            }
            #expect(removed["gateway_observation"]?.count == 2 && removed["gateway_measurement"]?.count == 4)
            let left = try await fixture.database.read { transaction in
                try ["gateway_observation", "gateway_measurement"].map { try transaction.rowTexts(of: $0).count }
            }
            #expect(left == [2, 2])
            let values = try await fixture.values()
            #expect(values.count == 2 && values.allSatisfy { $0.hasPrefix("p2 ") }, "\(values)")
        }
    }

    @Test func queriesOfGrowingTablesUseIndexes() async throws {
        let theirs = RecordStore.numbers(of: "p", Observation.resourceType)
        try await GatewayFixture.with { fixture in
            let plans = try await fixture.database.write { transaction in
                try [
                    (GatewayEvents.dueSQL, [1, -1, 0, 2] as [SQLValue]),
                    (GatewayArrivals.nextSQL, [0, 2]), (GatewayArrivals.bodiesSQL, [1]),
                    (GatewayEvents.waitingSQL, ["", 3]), (GatewayEvents.nextDueSQL, [1]),
                    (GatewayMeasurements.readingsSQL, [1]),
                    (GatewayMeasurements.groupSQL, [RecordKey.value(type: "Observation", id: "x")]),
                    ("DELETE FROM gateway_measurement WHERE observation IN (\(theirs.sql))", theirs.parameters),
                    ("DELETE FROM gateway_observation WHERE number IN (\(theirs.sql))", theirs.parameters),
                    ("DELETE FROM gateway_device WHERE participant = ?", ["p"]),
                ].map { try QueryPlan($0.0, $0.1, in: transaction) }
            }
            for plan in plans { #expect(!plan.readsAll, "\(plan)") }
        }
    }

    @Test func seededOrdersEndTheSame() async throws {
        var random = Seeded.fresh()
        for _ in 0..<10 {
            let events = (0..<20).map { number in
                number % 2 == 0
                    ? weight("d", 60 + number, minute: number) : rate("d", 60 + number, minute: number)
            }
            let shuffled = events.shuffled(using: &random)
            let sizes = (0..<20).map { _ in Int.random(in: 1...6, using: &random) }
            try await GatewayFixture.with { fixture in
                try await fixture.register("d", of: "p1")
                var rest = shuffled[...]
                for size in sizes where !rest.isEmpty {
                    try await fixture.take(Array(rest.prefix(size)))
                    rest = rest.dropFirst(size)
                    try await fixture.work()
                    fixture.clock.pass(60_001)
                }
                try await fixture.take(events)
                try await fixture.work()
                let values = try await fixture.values().map {
                    $0.split(separator: " ").dropLast().joined(separator: " ")
                }
                let rates = (0..<20).filter { $0 % 2 == 1 }.map { "\(60 + $0)" }.joined(separator: " ")
                let weights = (0..<20).filter { $0 % 2 == 0 }.map { "p1 \(60 + $0)" }
                // The hour begins with an empty slot.
                #expect(values.sorted() == (weights + ["p1 E \(rates)"]).sorted())
            }
        }
    }
}
