import ResearchResults
import Testing

/// CMHealth's error numbers.
@Suite struct CMHealthErrorTests {
    @Test func theNumbersAreThoseOfCMHealth() {
        #expect(CMHealthError.allCases.map(\.number) == Array(700...714) + Array(800...806) + [900])
    }

    @Test func eachErrorHasACodeOfItsOwnAndASentence() {
        let errors = CMHealthError.allCases
        #expect(Set(errors.map(\.code)).count == errors.count)
        for error in errors {
            #expect(CMHealthError(code: error.code) == error && CMHealthError(rawValue: error.number) == error)
            #expect(error.message.hasSuffix(".") && error.description == "\(error.code): \(error.message)")
            #expect(error.code.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x2D })
        }
        #expect(CMHealthError(code: "no-such-code") == nil && CMHealthError(rawValue: 715) == nil)
    }

    @Test func otherErrorsHaveANumberToo() {
        #expect(CMHealthError.duplicateAccount.cmhealth.number == 711)
        #expect(ResearchResultError(.uuidMissing, at: "$").cmhealth.number == 804)
        #expect(ResultFilterError(.malformed).cmhealth.number == 804)
    }
}
