import Core
import Testing

@Suite struct HTTPDateTests {
    @Test(arguments: [
        ("1994-11-06T08:49:37Z", "Sun, 06 Nov 1994 08:49:37 GMT"),
        ("1970-01-01T00:00:00Z", "Thu, 01 Jan 1970 00:00:00 GMT"),
        ("1969-12-31T23:59:59Z", "Wed, 31 Dec 1969 23:59:59 GMT"),
        ("2024-02-29T12:00:00Z", "Thu, 29 Feb 2024 12:00:00 GMT"),
    ])
    func datesAreWrittenAsHTTPDoes(instant: String, text: String) throws {
        let date = try #require(DateTime(instant)?.start())
        #expect(HTTPDate.text(date) == text)
        #expect(HTTPDate.date(text) == date)
    }

    @Test(arguments: ["", "1994-11-06T08:49:37Z", "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 31 Feb 2020 08:49:37 GMT"])
    func invalidDateIsRefused(text: String) {
        #expect(HTTPDate.date(text) == nil)
    }
}
