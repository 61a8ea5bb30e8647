import FHIR
import HealthTypes
import Testing

@Suite struct FollowedHealthDataTests {
    @Test func missingMembersHaveDefaults() throws {
        let settings = try FollowedHealthData(JSON(parsing: "{}"), table: .standard)
        #expect(settings == FollowedHealthData())
        #expect(settings.types == nil && settings.lookBackDays == 30 && settings.expectHours == [:])
    }

    @Test func membersOfTheFileAreUsed() throws {
        let json = try JSON(
            parsing: """
                {"types":["HKQuantityTypeIdentifierHeartRate"],"lookBackDays":0,
                "expectHours":{"HKQuantityTypeIdentifierStepCount":48}}
                """)
        let settings = try FollowedHealthData(json, table: .standard)
        #expect(settings.types == ["HKQuantityTypeIdentifierHeartRate"])
        #expect(settings.lookBackDays == 0)
        #expect(settings.expectHours == ["HKQuantityTypeIdentifierStepCount": 48])
    }

    @Test func theStudysOwnTypesMayBeNamed() throws {
        let supplement = try JSON(
            parsing: """
                {"types":[{"identifier":"org.example.mood","kind":"category","title":"Mood","codings":[
                {"system":"https://example.org/codes","code":"mood","display":"Mood"}]}]}
                """)
        let json = try JSON(parsing: #"{"types":["org.example.mood"]}"#)
        #expect(throws: HealthTypeTableError.self) { try FollowedHealthData(json, table: .standard) }
        let table = try HealthTypeTable.standard.applying(supplement: supplement)
        #expect(try FollowedHealthData(json, table: table).types == ["org.example.mood"])
    }

    @Test(arguments: [
        ("[]", "supplement-not-an-object", ""), (#"{"type":[]}"#, "supplement-member-unknown", "type"),
        (#"{"types":{}}"#, "supplement-value-invalid", "types"),
        (#"{"types":["HKNoSuchType"]}"#, "supplement-value-invalid", "types[0]"),
        (
            #"{"types":["HKQuantityTypeIdentifierStepCount","HKQuantityTypeIdentifierStepCount"]}"#,
            "supplement-identifier-repeated", "types[1]"
        ),
        (#"{"lookBackDays":-1}"#, "supplement-value-invalid", "lookBackDays"),
        (#"{"lookBackDays":1.5}"#, "supplement-value-invalid", "lookBackDays"),
        (#"{"lookBackDays":3651}"#, "supplement-value-invalid", "lookBackDays"),
        (#"{"lookBackDays":1e309}"#, "supplement-value-invalid", "lookBackDays"),
        (#"{"expectHours":{"HKNoSuchType":1}}"#, "supplement-member-unknown", "expectHours.HKNoSuchType"),
        (
            #"{"expectHours":{"HKQuantityTypeIdentifierStepCount":0}}"#, "supplement-value-invalid",
            "expectHours.HKQuantityTypeIdentifierStepCount"
        ),
    ])
    func errorIsNamedWithItsPath(text: String, code: String, path: String) throws {
        let json = try JSON(parsing: text)
        let error = #expect(throws: HealthTypeTableError.self) { try FollowedHealthData(json, table: .standard) }
        #expect(error?.code == code && error?.path == path)
        #expect((error?.message.utf8.count ?? 0) < 300)
    }
}
