import Core
import ResearchResults
import Testing

/// The profile of an account.
@Suite struct AccountProfileTests {
    private func location(_ json: JSON) -> String? {
        do throws(ResearchResultError) {
            _ = try AccountProfile(json: json)
            return nil
        } catch { return error.code == "profile-invalid" ? error.location : error.code }
    }

    @Test func unknownMembersAndTheirOrderArePreserved() throws {
        let text = #"{"z":[1.50,{"é":null}],"familyName":"Example","isAdmin":true,"gender":null,"a":1e2}"#
        var profile = try AccountProfile(json: JSON(parsing: text))
        #expect(profile.json.text() == text)
        profile.familyName = "Other"
        profile["a"] = nil
        #expect(profile.json.text() == #"{"z":[1.50,{"é":null}],"familyName":"Other","isAdmin":true,"gender":null}"#)
    }

    @Test func noMemberIsARight() throws {
        let profile = try AccountProfile(json: ["isAdmin": true, "givenName": "Ann", "role": "study-team"])
        #expect(Mirror(reflecting: profile).children.map(\.label) == ["object"])
        #expect(profile["isAdmin"] == true && profile.givenName == "Ann")
    }

    @Test func namesAreFilledFromARegistrationOnlyWhereTheyAreMissing() throws {
        let registration = try AccountRegistration(in: Results.step(Results.registration()))
        #expect(
            AccountProfile(registration).json.text()
                == #"{"givenName":"Ann","familyName":"Example","gender":"female","dateOfBirth":"1980-02-29"}"#)
        var profile = try AccountProfile(json: ["givenName": "Bea", "gender": "other"])
        profile.fill(from: registration)
        #expect(profile.json == ["givenName": "Bea", "gender": "other", "dateOfBirth": "1980-02-29"])
    }

    @Test(
        arguments: [
            ([:], true), (["givenName": " ", "familyName": nil], true), (["givenName": "Bea"], false),
            (["familyName": "Other"], false),
        ] as [(JSON, Bool)])
    func aProfileWithoutNamesGetsThoseOfASignature(json: JSON, isFilled: Bool) throws {
        var profile = try AccountProfile(json: json)
        #expect(profile.hasName != isFilled)
        let signature = try ConsentSignature(in: Results.task([Results.signature()]))
        #expect(profile.fill(from: signature) == isFilled)
        #expect(isFilled ? profile.givenName == "Ann" && profile.familyName == "Example" : profile.json == json)
    }

    @Test func aSignatureWithoutNamesChangesNothing() throws {
        var profile = AccountProfile()
        let signature = try ConsentSignature(in: Results.task([Results.signature(signature: ["givenName": "  "])]))
        #expect(!profile.fill(from: signature) && profile.json == [:])
    }

    @Test(
        arguments: [
            (["givenName": 7], "$.givenName"), (["familyName": ["x"]], "$.familyName"), (["gender": true], "$.gender"),
            (["dateOfBirth": "29.2.1980"], "$.dateOfBirth"), (["dateOfBirth": "1981-02-29"], "$.dateOfBirth"),
            (["dateOfBirth": 1980], "$.dateOfBirth"), ([], "$"), (nil, "$"), ("Ann", "$"),
            (["x": .string(String(repeating: "x", count: 65_536))], "$"),
        ] as [(JSON, String)])
    func aBadProfileIsReportedWithTheLocation(json: JSON, expected: String) {
        #expect(location(json) == expected)
    }

    @Test func aDateOfBirthMayBeIncompleteOrNull() {
        for json in [["dateOfBirth": "1980"], ["dateOfBirth": "1980-02"], ["dateOfBirth": nil, "givenName": nil]]
            as [JSON]
        {
            #expect(location(json) == nil)
        }
    }
}
