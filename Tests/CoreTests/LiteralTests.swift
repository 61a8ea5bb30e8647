import Core
import Foundation
import Testing

@Suite struct LiteralTests {
    @Test func numbersOfLiteralsHaveTheShortestDigits() {
        let numbers: [JSONNumber] = [3, -7, 0, 2.5, 7.50, 2.0, -0.1, 0.0001, 1e20, 1e-7]
        #expect(
            numbers.map(\.text) == ["3", "-7", "0", "2.5", "7.5", "2", "-0.1", "0.0001", "1e+20", "1e-07"])
        #expect(numbers.allSatisfy { JSONNumber(text: $0.text) == $0 })
        #expect(JSONNumber(72) == JSONNumber(text: "72") && JSONNumber(text: "7.50") != 7.50)
        #expect(JSONNumber(Int64.max).text == "9223372036854775807")
    }

    @Test func valuesOfDecimalKeepTheirInitialiser() {
        let decimal = Decimal(15) / 10
        #expect(JSONNumber(decimal)?.text == "1.5" && JSONNumber(Decimal.nan) == nil)
    }

    @Test func literalOfADateIsTheDate() {
        let day: DateTime = "1990-05"
        #expect(day == DateTime.init("1990-05") && day.precision == .month)
        let optional: DateTime? = "2026-11-22T08:00:00+01:00"
        #expect(optional?.offsetMinutes == 60)
    }

    @Test func textsAndExplicitInitialisersAreStillRefusedWithoutATrap() {
        let text = "22.11.2026"
        #expect(DateTime(text) == nil && DateTime.init("22.11.2026") == nil && DateTime("\(text)") == nil)
        #expect(["2026", text].compactMap { DateTime($0) }.count == 1)
    }

    @Test func literalThatIsNoDateStopsTheProgram() async {
        await #expect(processExitsWith: .failure) {
            let day: DateTime = "22.11.2026"
            print(day)
        }
    }
}
