import Core
import ResearchResults
import Testing

/// The registration in a task result.
@Suite struct AccountRegistrationTests {
    @Test(arguments: [0, 1, 2, 40])
    func aRegistrationIsFoundAtAnyDepth(levels: Int) throws {
        let result = Results.task([
            Results.nested(Results.step(Results.registration(), identifier: "registration"), levels: levels)
        ])
        let registration = try AccountRegistration(in: result)
        #expect(registration.email == "Ann@Example.org" && registration.password == "correct horse")
        #expect(registration.givenName == "Ann" && registration.familyName == "Example")
        #expect(registration.gender == "female")
        #expect(registration.dateOfBirth == "1980-02-29")
    }

    @Test func aRegistrationStepAloneIsFound() throws {
        #expect(try AccountRegistration(in: Results.step(Results.registration())).email == "Ann@Example.org")
    }

    @Test func itemsWithoutAnswerAreNotInTheProfile() throws {
        let result = Results.task([Results.step(Array(Results.registration().prefix(2)))])
        let registration = try AccountRegistration(in: result)
        #expect(registration.givenName == nil && registration.familyName == nil)
        #expect(registration.gender == nil && registration.dateOfBirth == nil)
        #expect(AccountProfile(registration).json == [:])
    }

    @Test(
        arguments: [
            [], [Results.step([])], [Results.step(Results.registration(email: nil))],
            [Results.step(Results.registration(email: ""))], [Results.step(Results.registration(password: nil))],
            [Results.step(Results.registration(password: ""))], [Results.step([Results.registration()[0]])],
            // E-mail address and password of different steps.
            [Results.step([Results.registration()[0]]), Results.step([Results.registration()[1]])],
            [["_class": "ORKTextQuestionResult", "identifier": 7], 3, "x", nil, [[]]],
            [
                Results.step([
                    ["identifier": "ORKRegistrationFormItemEmail", "textAnswer": 7], Results.registration()[1],
                ])
            ],
        ] as [[JSON]])
    func aMissingRegistrationIsError701(results: [JSON]) {
        #expect(throws: CMHealthError.userMissingRegistration) {
            _ = try AccountRegistration(in: Results.task(results))
        }
    }

    @Test(
        arguments: [
            ("1980-02-28T23:30:00-0700", nil, "1980-02-28"), ("1980-02-28T23:30:00-0700", 3_600, "1980-02-29"),
            ("1980-02-28T23:30:00Z", -28_800, "1980-02-28"), ("1980-02-28T23:30:00Z", Int.max, "1980-02-29"),
        ] as [(String, Int?, String)])
    func aDateOfBirthIsADayInTheTimeZoneOfTheAnswer(text: String, zone: Int?, day: String) throws {
        var items = Results.registration()
        items[6]["dateAnswer"] = .string(text)
        items[6]["timeZone"] = zone.map { .number(JSONNumber($0)) }
        #expect(try AccountRegistration(in: Results.step(items)).dateOfBirth == day)
    }

    @Test func membersOfOtherTypesAreNoAnswers() throws {
        var items = Results.registration()
        items[3]["textAnswer"] = 7
        items[4]["textAnswer"] = " "
        items[5]["choiceAnswers"] = "female"
        items[6]["dateAnswer"] = "yesterday"
        let registration = try AccountRegistration(in: Results.step(items))
        #expect(registration.givenName == nil && registration.familyName == nil)
        #expect(registration.gender == nil && registration.dateOfBirth == nil)
    }
}
