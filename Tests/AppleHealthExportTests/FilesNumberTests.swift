import Testing

@testable import AppleHealthExport

@Suite struct FilesNumberTests {
    @Test(
        arguments: [
            ("57,992", nil, "57.992", "57992"), ("-199,83", .comma, "-199.83", nil), ("1.234,5", .comma, "1234.5", nil),
            ("1,234.5", .point, nil, "1234.5"), ("1.234.567", .comma, "1234567", nil), ("0,123", .comma, "0.123", nil),
            ("1234,567", .comma, "1234.567", nil), ("12", nil, "12", "12"), ("−3,5", .comma, "-3.5", nil),
            ("+3.5", .point, nil, "3.5"), ("1 234,56", .comma, "1234.56", nil), ("1’234.56", .point, nil, "1234.56"),
            ("١٢٫٥", .comma, "12.5", nil), ("007,5", .comma, "7.5", nil), (",5", .comma, "0.5", nil),
            ("5,", .comma, "5", nil), ("\"57,92\"", .comma, "57.92", nil), ("12,34,567.8", .point, nil, nil),
        ] as [(String, LocalNumber.Mark?, String?, String?)])
    func numbersAndTheirCertainDecimalMarks(text: String, mark: LocalNumber.Mark?, comma: String?, point: String?)
        throws
    {
        let number = try #require(LocalNumber(text.unicodeScalars))
        #expect(number.certainMark == mark)
        #expect(number.json(.comma) == comma)
        #expect(number.json(.point) == point)
    }

    @Test(arguments: ["", "-", "+", ".", "NaN", "1e5", "--1", "1-2", "0x1", "12a", "1234567890123456789012345"])
    func invalidNumbersAreRefused(text: String) { #expect(LocalNumber(text.unicodeScalars) == nil) }
}
