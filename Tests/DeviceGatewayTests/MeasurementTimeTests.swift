import Core
import JSONQuery
import TestSupport
import Testing

@testable import DeviceGateway

/// The times of events.
@Suite struct MeasurementTimeTests {
    /// The times that the connector's functions write are read.
    @Test(arguments: [
        ("2021-07-07T17:00:00+0", "2021-07-07T17:00:00Z"), ("2021-07-20T16:38:00.123+0", "2021-07-20T16:38:00.123Z"),
        ("1969-12-31T23:59:59+0", "1969-12-31T23:59:59Z"), ("0001-01-01T00:00:00+0", "0001-01-01T00:00:00Z"),
        ("9999-12-31T23:59:59+0", "9999-12-31T23:59:59Z"), ("2026-03-01T06:00:00-5", "2026-03-01T11:00:00Z"),
        ("2026-03-01T06:00:00+02", "2026-03-01T04:00:00Z"), ("2026-03-01T06:00:00+0130", "2026-03-01T04:30:00Z"),
        ("2026-03-01T06:00:00+02:00", "2026-03-01T04:00:00Z"), ("2026-03-01T06:00:00", "2026-03-01T06:00:00Z"),
    ])
    func aTimeWithAnyOffsetIsRead(text: String, time: String) {
        #expect(MeasurementTime(text)?.description == time)
    }

    @Test(arguments: ["2026-03-01+0", "2026-03-01", "2026-03-01T06:00:00+99", "2026-03-01T06:00:00+", "T+0", "+0"])
    func otherTextIsNotATime(text: String) {
        #expect(MeasurementTime(text) == nil)
    }

    /// The gateway reads each time that the functions write as the same instant.
    @Test func everyTimeOfTheConnectorsFunctionsIsRead() throws {
        var random = Seeded.fresh()
        for _ in 0..<500 {
            let milliseconds = Int64.random(in: -62_135_596_800_000..<253_402_300_800_000, using: &random)
            for (function, unit) in [("fromUnixTimestamp", Int64(1_000)), ("fromUnixTimestampMs", 1)] {
                let number = milliseconds / unit
                let text = try JMESPath("\(function)(`\(number)`)").evaluate(on: .null)
                let time = try #require(text.string.flatMap { MeasurementTime($0) }, "\(text)")
                #expect(time.ticks == number * unit * 10_000, "\(text)")
            }
        }
    }
}
