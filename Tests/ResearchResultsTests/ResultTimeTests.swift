import Core
import ResearchResults
import Testing

/// The times of ResearchKit's serializer.
@Suite struct ResultTimeTests {
    @Test(arguments: [
        ("2019-05-27T00:35:06-0700", "2019-05-27T00:35:06-07:00", "2019-05-27T00:35:06-0700"),
        ("2019-05-27T00:35:06+02:00", "2019-05-27T00:35:06+02:00", "2019-05-27T00:35:06+0200"),
        ("2019-05-27T00:35:06Z", "2019-05-27T00:35:06Z", "2019-05-27T00:35:06+0000"),
        ("2019-05-27T00:35:06.125-0700", "2019-05-27T00:35:06.125-07:00", "2019-05-27T00:35:06-0700"),
    ])
    func timesAreReadAndWritten(text: String, value: String, written: String) throws {
        let time = try #require(ResultTime.dateTime(text))
        #expect(time.text == value && ResultTime.text(time) == written)
    }

    @Test func aTextThatIsNoTimeIsNil() {
        for text in [
            "", "2019", "2019-05-27", "2019-05-27T00:35:06", "2019-05-27T00:35:06-7000", "a-0700",
            String(repeating: "1", count: 1_000_000) + "-0700",
        ] {
            #expect(ResultTime.dateTime(text) == nil, "\(text)")
        }
        #expect(ResultTime.timeOfDay("8:30") == "08:30:00" && ResultTime.timeOfDay("08:30:15") == "08:30:15")
        for text in ["", "8", "24:00", "08:60", "-1:00"] { #expect(ResultTime.timeOfDay(text) == nil, "\(text)") }
    }

    @Test func aTimeOfAnAnswerIsInTheTimeZoneOfTheAnswer() throws {
        let instant = try #require(ResultTime.dateTime("2019-05-27T00:35:06.125-0700"))
        #expect(ResultTime.local(instant, zoneSeconds: 3_600).text == "2019-05-27T08:35:06+01:00")
        #expect(ResultTime.local(instant, zoneSeconds: nil).text == "2019-05-27T00:35:06-07:00")
        #expect(ResultTime.local(instant, zoneSeconds: .max).offsetMinutes == 1_080)
    }
}
