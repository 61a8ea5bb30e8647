#if canImport(CoreMotion)
    import CoreMotion
    import Foundation
    import Testing

    @testable import MotionAdapter

    /// The reader against a stand-in for Core Motion.
    @Suite struct MotionReaderTests {
        private let zone = TimeZone(secondsFromGMT: 3_600) ?? .gmt
        private let today = Date(timeIntervalSince1970: 1_767_222_000)  // 2026-01-01T00:00:00+01:00

        private func day(_ number: Int, _ seconds: Double = 0) -> Date {
            today.addingTimeInterval(Double(number) * 86_400 + seconds)
        }

        private func reader(_ records: [(start: Date, kinds: Set<String>)], error: NSError? = nil) -> MotionReader {
            let now = day(0, 36_000)
            return MotionReader(CMMotionActivityManager(records: records, error: error), zone: zone) { now }
        }

        @Test func completedDaysAreReadInTheirOrder() async throws {
            let records: [(start: Date, kinds: Set<String>)] = [
                (day(-3, -3_600), ["stationary"]), (day(-3, 30_000), ["walking"]), (day(-3, 33_600), ["unknown"]),
                (day(-3, 34_200), ["stationary"]), (day(-1, 40_000), ["automotive", "stationary"]),
                (day(-1, 43_600), ["cycling"]), (day(-1, 47_200), ["running"]), (day(0, 10), ["walking"]),
            ]
            let days = try await reader(records).days()
            #expect(
                days.map(\.start) == [day(-3), day(-2), day(-1)]
                    || days.map(\.start) == [day(-4), day(-3), day(-2), day(-1)])
            let third = try #require(days.first { $0.start == day(-3) })
            #expect(third.minutes(.walking) == 70 && third.minutes(.sleeping) == 500 + 870)
            #expect(days.first { $0.start == day(-2) }?.minutes(.sleeping) == 1_440)
            let last = try #require(days.last)
            #expect(last.minutes(.driving) == 60 && last.minutes(.cycling) == 60)
            #expect(last.minutes(.running) == (86_400 - 47_200) / 60)
            #expect(last.end == today)
        }

        @Test func daysThatWereSentAreOmitted() async throws {
            let records: [(start: Date, kinds: Set<String>)] = (-7...0).map { (day($0, 3_600), ["walking"]) }
            let source = reader(records)
            let all = try await source.days()
            #expect(all.map(\.start) == (-6...(-1)).map { day($0) }, "six days are whole")
            #expect(try await source.days(since: all[3].end).map(\.start) == [day(-2), day(-1)])
            #expect(try await source.days(since: all[5].end).isEmpty)
        }

        @Test(arguments: [
            (105, MotionError.denied), (111, .denied), (104, .unavailable), (109, .unavailable), (103, .failed),
        ])
        func errorsOfTheSystemHaveTheirReasons(code: Int, expected: MotionError) async {
            let source = reader([], error: NSError(domain: "CMErrorDomain", code: code))
            await #expect(throws: expected) { try await source.days() }
        }

        @Test func phoneWithoutRecordsHasNoDays() async throws {
            #expect(try await reader([]).days().isEmpty)
            for error in MotionError.allCases {
                #expect(error.code.hasPrefix("motion-") && error.message.hasSuffix("."))
            }
        }
    }
#endif
