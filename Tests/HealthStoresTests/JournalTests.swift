import Core
import Foundation
import HealthData
import HealthStores
import HealthSync
import TestSupport
import Testing

@Suite struct JournalTests {
    private static let heartRate = WrittenJournal.heartRate

    private func code(_ body: () async throws -> Void) async -> String? {
        do {
            try await body()
            return nil
        } catch { return (error as? any CodedError)?.code ?? "\(error)" }
    }

    @Test func changesComeInTheirOrderInBatches() async throws {
        let folder = try TemporaryFolder()
        var written = try WrittenJournal(in: folder)
        let journal = HealthJournal(written.url)
        #expect(try await journal.changes(of: Self.heartRate, after: nil, limit: 5).anchor == nil)
        var uuids: [UUID] = []
        for number in 0..<7 {
            uuids.append(try written.add(Self.heartRate, 60 + number, minute: number))
            try written.add(WrittenJournal.steps, number, minute: number)
        }
        try written.delete(uuids[0], Self.heartRate)
        let first = try await journal.changes(of: Self.heartRate, after: nil, limit: 5)
        #expect(first.added.map(\.uuid) == Array(uuids[..<5]) && first.deleted.isEmpty && first.hasMore)
        let rest = try await journal.changes(of: Self.heartRate, after: first.anchor, limit: 5)
        #expect(rest.added.map(\.uuid) == Array(uuids[5...]) && rest.deleted == [uuids[0]] && !rest.hasMore)
        let none = try await journal.changes(of: Self.heartRate, after: rest.anchor, limit: 5)
        #expect(none.added.isEmpty && none.deleted.isEmpty && !none.hasMore && none.anchor == rest.anchor)
        #expect(await journal.position(of: Self.heartRate) == nil)
        #expect(try await journal.survey().types == [Self.heartRate, WrittenJournal.steps])
        // Another process continues at the anchor, and a sample that is added again comes after its deletion.
        try written.add(Self.heartRate, 60, minute: 0, uuid: uuids[0])
        let later = HealthJournal(written.url)
        #expect(
            try await later.changes(of: Self.heartRate, after: rest.anchor, limit: 5).added.map(\.uuid) == [uuids[0]])
        let both = try await later.changes(of: Self.heartRate, after: first.anchor, limit: 50)
        #expect(both.deleted == [uuids[0]] && both.hasMore && !both.added.map(\.uuid).contains(uuids[0]))
        #expect(try await later.samples(of: Self.heartRate, [uuids[0], UUID()]).map(\.uuid) == [uuids[0]])
    }

    @Test func journalTruncatedOrRewrittenBeforeAnAnchorIsDetected() async throws {
        var random = Seeded.fresh()
        let folder = try TemporaryFolder()
        var written = try WrittenJournal(in: folder)
        // More than one block of a read.
        for number in 0..<400 { try written.add(Self.heartRate, number, minute: number % 60) }
        let whole = try Data(contentsOf: written.url)
        let anchor = try await HealthJournal(written.url).changes(of: Self.heartRate, after: nil, limit: 390).anchor
        #expect(whole.count > 70_000)
        func code(_ content: Data) async throws -> String? {
            try content.write(to: written.url)
            return await self.code {
                _ = try await HealthJournal(written.url).changes(of: Self.heartRate, after: anchor, limit: 5)
            }
        }
        #expect(try await code(whole) == nil)
        #expect(try await code(whole + Data("{}\n".utf8)) == nil)
        let offset = Int(String(decoding: anchor?.bytes ?? [], as: UTF8.self).prefix { $0 != "-" }) ?? 0
        for _ in 0..<40 {
            var changed = whole
            changed[Int.random(in: 0..<offset, using: &random)] ^= 1
            #expect(try await code(changed) == "health-anchor-invalid")
            let cut = Data(whole.prefix(Int.random(in: 0..<offset, using: &random)))
            #expect(try await code(cut) == "health-anchor-invalid")
        }
        try FileManager.default.removeItem(at: written.url)
        let absent = await self.code {
            _ = try await HealthJournal(written.url).changes(of: "x", after: nil, limit: 1)
        }
        #expect(absent == "health-unavailable")
        let foreign = HealthAnchor("garbage".utf8)
        try whole.write(to: written.url)
        let strange = await self.code {
            _ = try await HealthJournal(written.url).changes(of: "x", after: foreign, limit: 1)
        }
        #expect(strange == "health-anchor-invalid")
    }

    /// The next batch is read early. Its content is that of a batch that is read on request.
    @Test func batchesReadEarlyAreThoseOfTheFileAtTheTimeOfTheRequest() async throws {
        var random = Seeded.fresh()
        let folder = try TemporaryFolder()
        var written = try WrittenJournal(in: folder)
        for _ in 0..<200 { try written.change(&random) }
        let types = [WrittenJournal.heartRate, WrittenJournal.steps, WrittenJournal.sleep]
        let journal = HealthJournal(written.url)
        var anchors: [String: HealthAnchor] = [:]
        for _ in 0..<400 {
            let type = try #require(types.randomElement(using: &random))
            let limit = Int.random(in: 1...4, using: &random)
            let known = try await journal.changes(of: type, after: anchors[type], limit: limit)
            let fresh = try await HealthJournal(written.url).changes(of: type, after: anchors[type], limit: limit)
            #expect(known.added.map(\.uuid) == fresh.added.map(\.uuid) && known.deleted == fresh.deleted)
            #expect(known.anchor == fresh.anchor && known.hasMore == fresh.hasMore)
            anchors[type] = known.anchor
            if Bool.random(using: &random) { await Task.yield() }
            if Int.random(in: 0..<8, using: &random) == 0 { try written.change(&random) }
        }
        await journal.stopObserving()
        for type in types { anchors[type] = try await journal.changes(of: type, after: nil, limit: 1).anchor }
        try Data().write(to: written.url)
        for type in types {
            let code = await code { _ = try await journal.changes(of: type, after: anchors[type], limit: 1) }
            #expect(code == "health-anchor-invalid")
        }
    }

    @Test func damagedLineIsAnUnreadableSampleAndDoesNotStopTheOthers() async throws {
        let folder = try TemporaryFolder()
        var written = try WrittenJournal(in: folder)
        let first = try written.add(Self.heartRate, 60, minute: 0)
        let visible = UUID()
        try written.write(#"{"add":{"uuid":"\#(visible.uuidString)","type":"\#(Self.heartRate)","value":7"#)
        try written.write(#"{"add":{"type":"\#(Self.heartRate)"}}"#)
        try written.write("no json, no type")
        try written.write("")
        try written.write(
            #"{"add":{"uuid":"\#(UUID().uuidString)","type":"\#(Self.heartRate)","note":""#
                + String(repeating: "x", count: 1_100_000) + #""}}"#)
        let undated = UUID()
        try written.write(
            #"{"add":{"uuid":"\#(undated.uuidString)","type":"\#(Self.heartRate)","value":7,"unit":"count/min"}}"#)
        let unit = UUID()
        let content = WrittenJournal.content(Self.heartRate, 7, minute: 1)
        try written.write(
            #"{"add":{"uuid":"\#(unit.uuidString)",\#(content.replacingOccurrences(of: "count/min", with: "kg"))}}"#)
        let last = try written.add(Self.heartRate, 61, minute: 2)
        // The line that is being written.
        let handle = try FileHandle(forWritingTo: written.url)
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(#"{"add":{"uuid":""#.utf8))
        try handle.close()

        let journal = HealthJournal(written.url)
        let survey = try await journal.survey()
        #expect(survey.types == [Self.heartRate] && survey.unreadable == 1)
        let changes = try await journal.changes(of: Self.heartRate, after: nil, limit: 50)
        func reason(_ reading: HealthReading) -> String {
            switch reading.content {
            case .unreadable(let reason): reason.code
            case .sample: "sample"
            default: "other"
            }
        }
        #expect(
            changes.added.map(reason) == [
                "sample", "cut-off", "cut-off", "cut-off", "date-missing", "unknown-unit", "sample",
            ])
        #expect(changes.added.first?.uuid == first && changes.added.last?.uuid == last)
        #expect(changes.added[1].uuid == visible && changes.added[4].uuid == undated && changes.added[5].uuid == unit)
        #expect(Set(changes.added.map(\.uuid)).count == changes.added.count)
        // The same each time: quarantined samples are recognised.
        let again = try await HealthJournal(written.url).changes(of: Self.heartRate, after: nil, limit: 50)
        #expect(again.added.map(\.uuid) == changes.added.map(\.uuid))
    }

    @Test func everyKindOfValueIsRead() async throws {
        let folder = try TemporaryFolder()
        let written = try WrittenJournal(in: folder)
        let times =
            #""start":"2026-03-01T08:00:00+01:00","end":"2026-03-01T08:30:00+01:00","source":{"name":"Kim’s iPhone"}"#
        let pressure = "HKCorrelationTypeIdentifierBloodPressure"
        try written.write(
            #"{"add":{"uuid":"\#(UUID())","type":"\#(WrittenJournal.sleep)","value":3,\#(times),"metadata":{"HKTimeZone":"America/New_York","HKWasUserEntered":true,"Secret":"Kim"}}}"#
        )
        try written.write(
            #"{"add":{"uuid":"\#(UUID())","type":"\#(pressure)",\#(times),"members":[{"type":"HKQuantityTypeIdentifierBloodPressureSystolic","value":120,"unit":"mmHg"},{"type":"HKQuantityTypeIdentifierBloodPressureDiastolic","value":80,"unit":"mmHg"}]}}"#
        )
        try written.write(
            #"{"add":{"uuid":"\#(UUID())","type":"HKWorkoutTypeIdentifier","value":37,\#(times),"members":[{"type":"HKQuantityTypeIdentifierActiveEnergyBurned","value":250,"unit":"kcal"}]}}"#
        )
        try written.write(
            #"{"add":{"uuid":"\#(UUID())","type":"HKQuantityTypeIdentifierOxygenSaturation","value":0.97,"unit":"%",\#(times)}}"#
        )
        let journal = HealthJournal(written.url)
        func sample(_ type: String) async throws -> HealthSample {
            let read = try await journal.changes(of: type, after: nil, limit: 9).added
            let reading = try #require(read.first)
            guard case .sample(let sample) = reading.content else {
                throw SkipReason.unsupportedType
            }
            return sample
        }
        let sleep = try await sample(WrittenJournal.sleep)
        guard case .option(let stage) = sleep.value else { throw SkipReason.unknownValue }
        #expect(stage.code == "HKCategoryValueSleepAnalysisAsleepCore" && sleep.context.wasUserEntered == true)
        #expect(sleep.start.offsetMinutes == -300 && sleep.source.product == .iPhone && sleep.source.device == nil)
        guard case .bloodPressure(let systolic, let diastolic) = try await sample(pressure).value else {
            throw SkipReason.unknownValue
        }
        #expect(systolic?.written == "120" && diastolic?.written == "80")
        guard case .workout(let workout) = try await sample("HKWorkoutTypeIdentifier").value else {
            throw SkipReason.unknownValue
        }
        #expect(workout.activity.code == "HKWorkoutActivityTypeRunning" && workout.has("workout-duration"))
        #expect(workout.has("HKQuantityTypeIdentifierActiveEnergyBurned"))
        guard case .quantity(let oxygen) = try await sample("HKQuantityTypeIdentifierOxygenSaturation").value else {
            throw SkipReason.unknownValue
        }
        #expect(oxygen.number.text == "97" && oxygen.written == "0.97")
    }
}
