#if canImport(HealthKit)
    import FHIR
    import Foundation
    import HealthData
    import HealthKit
    import HealthSync

    /// The daily summaries as a stream of changes.
    ///
    /// HealthKit has no samples, anchors and observers for them. Here each past day is a sample, whose identifier is
    /// derived from the day. Its rings still change while watches deliver their measurements: the last ``lateDays``
    /// days are compared with their earlier values, and are returned again if they differ. An absent summary is not a
    /// deletion: the person may have withdrawn the permission.
    struct ActivitySummaryReader: Sendable {
        let store: HKHealthStore
        let zone: TimeZone
        let clock: @Sendable () -> Date

        /// Number of past days that are compared again.
        static let lateDays = 14

        /// Returns the anchor after all past days.
        func position() async throws -> HealthAnchor {
            let last = yesterday
            var cursor = SummaryCursor(last: last)
            for day in try await days(from: last - Self.lateDays + 1, to: last) { cursor.record(day) }
            return cursor.anchor
        }

        func changes(after anchor: HealthAnchor?, limit: Int) async throws -> HealthChanges {
            let last = yesterday
            var cursor = try anchor.map { try SummaryCursor($0) } ?? SummaryCursor(last: nil)
            let found = try await days(from: cursor.last.map { $0 - Self.lateDays + 1 }, to: last)
            let changed = found.filter { !cursor.contains($0) }
            for day in changed.prefix(limit) { cursor.record(day) }
            return HealthChanges(
                added: changed.prefix(limit).map(\.reading), anchor: changed.isEmpty ? anchor : cursor.anchor,
                hasMore: changed.count > limit)
        }

        func history(since: Double?, upTo: Double?, limit: Int) async throws -> HealthPage {
            var last = yesterday
            if let upTo { last = min(last, SummaryDay.number(of: Date(timeIntervalSince1970: upTo), calendar)) }
            let first = since.map { SummaryDay.number(of: Date(timeIntervalSince1970: $0), calendar) - 1 }
            let found = try await days(from: first, to: last)
                .filter { $0.reading.end <= upTo ?? .infinity && $0.reading.end >= since ?? -.infinity }
                .reversed()
            return HealthPage(found.prefix(limit).map(\.reading), hasMore: found.count > limit)
        }

        func readings(of uuids: [UUID]) async throws -> [HealthReading] {
            let wanted = Set(uuids.compactMap(SummaryDay.number(in:)))
            guard let first = wanted.min(), let last = wanted.max() else { return [] }
            return try await days(from: first, to: last).filter { wanted.contains($0.number) }.map(\.reading)
        }

        private var yesterday: Int { SummaryDay.number(of: clock(), calendar) - 1 }

        private var calendar: Calendar {
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = zone
            return calendar
        }

        /// Returns the summaries of days, the oldest first.
        ///
        /// - Parameter first: the first day; nil for all days.
        private func days(from first: Int?, to last: Int) async throws -> [SummaryDay] {
            let calendar = calendar
            let range = (first.map { min($0, last) } ?? 0, last)
            let predicate = HKQuery.predicate(
                forActivitySummariesBetweenStart: SummaryDay.components(range.0, calendar),
                end: SummaryDay.components(range.1, calendar))
            let summaries: [HKActivitySummary] = try await store.answer { continuation in
                HKActivitySummaryQuery(predicate: predicate) { _, summaries, error in
                    if let error { return continuation.finish(throwing: error) }
                    continuation.yield(summaries ?? [])
                    continuation.finish()
                }
            }
            guard !summaries.isEmpty else { return [] }
            let energy = HKQuantityType(.init(rawValue: "HKQuantityTypeIdentifierActiveEnergyBurned"))
            let unit = await store.units(of: [energy])[energy] ?? HKUnit(from: "kcal")
            return summaries.compactMap { SummaryDay($0, calendar, energy: unit) }
                .filter { (range.0...range.1).contains($0.number) }
                .sorted { $0.number < $1.number }
        }
    }

    /// A day and its summary.
    struct SummaryDay {
        /// The number of days since 1970-01-01 in the calendar.
        let number: Int
        let reading: HealthReading
        /// The fingerprint of its content; empty if the summary cannot be read.
        let digest: String

        init?(_ summary: HKActivitySummary, _ calendar: Calendar, energy: HKUnit) {
            let components = summary.dateComponents(for: calendar)
            guard let year = components.year, let month = components.month, let day = components.day,
                (1...9_999).contains(year), (1...12).contains(month), (1...31).contains(day)
            else { return nil }
            let number = CivilDate.days(year: year, month: month, day: day)
            guard let midnight = calendar.date(from: Self.components(number + 1, calendar)) else { return nil }
            func figure(_ quantity: HKQuantity?, unit: HKUnit, measure: SpecialMeasure) -> SpecialQuantity? {
                guard let quantity, quantity.is(compatibleWith: unit) else { return nil }
                let value = quantity.doubleValue(for: unit)
                guard value.isFinite, value >= 0 else { return nil }
                return try? measure.read(Self.text(value), unit: unit.unitString)
            }
            let (minute, count) = (HKUnit(from: "min"), HKUnit(from: "count"))
            let rings = ActivitySummary(
                day: String(format: "%04d-%02d-%02d", year, month, day),
                energy: .init(
                    value: figure(summary.activeEnergyBurned, unit: energy, measure: .energy),
                    goal: figure(summary.activeEnergyBurnedGoal, unit: energy, measure: .energy)),
                moveTime: .init(
                    value: figure(summary.appleMoveTime, unit: minute, measure: .minutes),
                    goal: figure(summary.appleMoveTimeGoal, unit: minute, measure: .minutes)),
                exerciseTime: .init(
                    value: figure(summary.appleExerciseTime, unit: minute, measure: .minutes),
                    goal: figure(summary.exerciseTimeGoal, unit: minute, measure: .minutes)),
                standHours: .init(
                    value: figure(summary.appleStandHours, unit: count, measure: .hours),
                    goal: figure(summary.standHoursGoal, unit: count, measure: .hours)))
            self.number = number
            let content: HealthReading.Content = rings.map { .special($0) } ?? .unreadable(.valueMissing)
            reading = HealthReading(uuid: Self.uuid(number), end: midnight.timeIntervalSince1970, content)
            digest = rings.map { String($0.fingerprint.resourceID(subject: nil).suffix(16)) } ?? ""
        }

        /// Returns the rings' value with six significant digits, as in exports.
        private static func text(_ value: Double) -> String {
            ExactDecimal.text(Double(String(format: "%.6g", value)) ?? value)
        }

        // MARK: - Days as numbers

        static func number(of date: Date, _ calendar: Calendar) -> Int {
            let parts = calendar.dateComponents([.year, .month, .day], from: date)
            return CivilDate.days(year: parts.year ?? 1970, month: parts.month ?? 1, day: parts.day ?? 1)
        }

        /// Returns the components of a day's date. HealthKit raises an exception if they do not name their calendar.
        static func components(_ number: Int, _ calendar: Calendar) -> DateComponents {
            let date = CivilDate.date(days: number)
            return DateComponents(calendar: calendar, year: date.year, month: date.month, day: date.day)
        }

        // MARK: - Days as identifiers

        /// Returns a version 8 identifier (<https://www.rfc-editor.org/rfc/rfc9562#section-5.8>) that ends with the
        /// day.
        static func uuid(_ number: Int) -> UUID {
            let day = withUnsafeBytes(of: Int32(clamping: number).bigEndian) { Array($0) }
            return UUID(
                uuid: (
                    0x41, 0x63, 0x74, 0x69, 0x76, 0x69, 0x80, 0x74, 0x80, 0x79, 0x53, 0x75, day[0], day[1], day[2],
                    day[3]
                ))
        }

        /// Returns the day of an identifier; nil for an identifier of another kind.
        static func number(in uuid: UUID) -> Int? {
            let bytes = uuid.uuid
            let number = [bytes.12, bytes.13, bytes.14, bytes.15].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            let day = Int(Int32(bitPattern: number))
            return self.uuid(day) == uuid ? day : nil
        }
    }

    /// The position in the stream of summaries: the last day that was returned, and the fingerprints of the latest
    /// days.
    private struct SummaryCursor {
        private(set) var last: Int?
        private var digests: [Int: String] = [:]

        init(last: Int?) { self.last = last }

        init(_ anchor: HealthAnchor) throws {
            guard let json = JSON(reading: anchor.bytes), let days = json["days"]?.object else {
                throw HealthSourceError(.anchorInvalid)
            }
            last = json["last"]?.number?.integer
            for member in days.members.prefix(ActivitySummaryReader.lateDays) {
                if let day = Int(member.key) { digests[day] = member.value.string }
            }
        }

        /// Returns whether a day was returned with its present content.
        func contains(_ day: SummaryDay) -> Bool { digests[day.number] == day.digest }

        mutating func record(_ day: SummaryDay) {
            digests[day.number] = day.digest
            last = max(last ?? day.number, day.number)
            digests = digests.filter { $0.key > (last ?? 0) - ActivitySummaryReader.lateDays }
        }

        var anchor: HealthAnchor {
            var days = JSONObject()
            for (day, digest) in digests.sorted(by: { $0.key < $1.key }) { days[String(day)] = .string(digest) }
            let json: JSON = [
                "last": last.map { .number(JSONNumber($0)) } ?? .null, "days": .object(days),
            ]
            return HealthAnchor(json.bytes())
        }
    }
#endif
