import FHIR
import Foundation
import ResearchKit
import ResearchKitForms
import ResearchKit_Private
import ResearchResults
import Testing

@testable import ResearchKitAdapter

/// The scenarios of CMHealth's tests about results: CMHResultTests, CMHCocoaCategoryTests and CMHIntegrationTests.
@Suite struct ResultScenarioTests {
    /// The task result of CMHealth's tests.
    private static func taskResult() -> ORKTaskResult {
        let text = ORKTextQuestionResult(identifier: "")
        text.textAnswer = "TestAnswer"
        let scale = ORKScaleQuestionResult(identifier: "")
        scale.scaleAnswer = NSNumber(value: Float(1.16))
        let step = ORKStepResult(stepIdentifier: "CMHTestStepIdentifier", results: [text, scale])
        let task = ORKTaskResult(taskIdentifier: "CMHTestIdentifier", taskRun: UUID(), outputDirectory: nil)
        task.results = [step]
        return task
    }

    /// Returns the object after the way to a server and back: JSON, the checks of the server, JSON.
    private func fetched(_ task: ORKTaskResult, descriptor: String? = nil) throws -> RestoredResult {
        let saved = try task.serialized().researchResult(descriptor: descriptor)
        return try RestoredResult(try ResearchResult(saved.json.data(), descriptor: saved.descriptor).json.data())
    }

    private func fetched<Answer: ORKResult>(_ answer: Answer) throws -> Answer {
        let task = ORKTaskResult(taskIdentifier: "t", taskRun: UUID(), outputDirectory: nil)
        let step = ORKStepResult(stepIdentifier: "s", results: nil)
        step.results = [answer]
        task.results = [step]
        let step2 = try #require(try fetched(task).task?.stepResult(forStepIdentifier: "s"))
        return try #require(step2.results?.first as? Answer)
    }

    // MARK: CMHResultTests

    @Test func aResultHasItsDescriptor() throws {
        let task = Self.taskResult()
        let result = try task.serialized().researchResult(descriptor: "CMHTestDescriptor")
        #expect(result.descriptor == "CMHTestDescriptor" && result.identifier == "CMHTestIdentifier")
        #expect(result.uuid == task.taskRunUUID)
        #expect(try task.serialized().researchResult().descriptor == "")
    }

    @Test func aTaskResultIsTheSameAfterJSON() throws {
        let task = Self.taskResult()
        let restored = try #require(try fetched(task).task)
        #expect(restored !== task && restored.identifier == "CMHTestIdentifier")
        let step = try #require(restored.results?.first as? ORKStepResult)
        #expect(step.identifier == "CMHTestStepIdentifier")
        #expect((step.results?[0] as? ORKTextQuestionResult)?.textAnswer == "TestAnswer")
        #expect((step.results?[1] as? ORKScaleQuestionResult)?.scaleAnswer?.floatValue == 1.16)
    }

    // MARK: CMHCocoaCategoryTests

    @Test func aRunUUIDIsTheSameAfterJSON() throws {
        let task = Self.taskResult()
        #expect(try task.serialized().json["taskRunUUID"]?.string == task.taskRunUUID.uuidString)
        #expect(try fetched(task).task?.taskRunUUID == task.taskRunUUID)
    }

    @Test func anImageIsNotPartOfTheJSON() throws {
        let result = ORKConsentSignatureResult(identifier: "consent")
        result.signature = ResultSamples.consentSignature
        result.signature?.signatureImage = UIImage(data: Data([1]))
        #expect(try result.serialized().json["signature"]?["signatureImage"] == nil)
        #expect(try fetched(result).signature?.signatureImage == nil)
        #expect(try fetched(result).signature?.givenName == "Bruce")
    }

    @Test(arguments: [
        (Calendar.Identifier.gregorian, "gregorian"), (.buddhist, "buddhist"), (.chinese, "chinese"),
        (.coptic, "coptic"), (.ethiopicAmeteMihret, "ethiopic"), (.ethiopicAmeteAlem, "ethiopic-amete-alem"),
        (.hebrew, "hebrew"), (.iso8601, "iso8601"), (.indian, "indian"), (.islamic, "islamic"),
        (.islamicCivil, "islamic-civil"), (.islamicTabular, "islamic-tbla"),
        (.islamicUmmAlQura, "islamic-umalqura"), (.japanese, "japanese"), (.persian, "persian"),
        (.republicOfChina, "roc"),
    ])
    func aCalendarIsTheSameAfterJSON(identifier: Calendar.Identifier, text: String) throws {
        let result = ORKDateQuestionResult(identifier: "date")
        result.dateAnswer = ResultSamples.start
        result.calendar = Calendar(identifier: identifier)
        #expect(try result.serialized().json["calendar"]?.string == text)
        let restored = try fetched(result)
        #expect(restored.calendar?.identifier == identifier && restored.timeZone == nil)
        #expect(restored.dateAnswer == ResultSamples.start)
    }

    @Test func aDateInTheChineseCalendarAndHonoluluIsTheSameAfterJSON() throws {
        let zone = try #require(TimeZone(identifier: "Pacific/Honolulu"))
        let result = ORKDateQuestionResult(identifier: "date")
        result.questionType = .dateAndTime
        result.dateAnswer = ResultSamples.start
        result.calendar = Calendar(identifier: .chinese)
        result.timeZone = zone
        let json = try result.serialized().json
        #expect(json["dateAnswer"] == "2019-05-26T21:35:06-1000" && json["calendar"] == "chinese")
        #expect(json["timeZone"] == -36_000 && json["timeZoneName"] == "Pacific/Honolulu")
        let restored = try fetched(result)
        #expect(restored.dateAnswer == ResultSamples.start && restored.questionType == .dateAndTime)
        #expect(restored.calendar == Calendar(identifier: .chinese) && restored.timeZone == zone)
    }

    @Test(arguments: [
        (#""timeZone": 7200, "timeZoneName": "Europe/Berlin""#, "Europe/Berlin"),
        (#""timeZone": 3600, "timeZoneName": "Europe/Berlin""#, "GMT+0100"),
        (#""timeZone": 3600.0, "timeZoneName": "Nowhere/Else""#, "GMT+0100"),
        (#""timeZoneName": "Europe/Berlin""#, "Europe/Berlin"), (#""timeZone": 0"#, "GMT"),
    ])
    func theOffsetOfATimeZoneDecides(members: String, expected: String) throws {
        let restored = try RestoredResult(
            Data(
                """
                {"_class": "ORKDateQuestionResult", "dateAnswer": "2019-05-27T00:35:06-0700", \(members)}
                """.utf8))
        let zone = try #require((restored.object as? ORKDateQuestionResult)?.timeZone)
        #expect(zone.identifier == expected || zone == TimeZone(secondsFromGMT: zone.secondsFromGMT()))
        #expect(zone.identifier.hasPrefix("GMT") == expected.hasPrefix("GMT"))
        #expect(restored.unconverted == [])
    }

    @Test func dateComponentsOfTheHebrewCalendarAreTheSameAfterJSON() throws {
        var components = DateComponents()
        components.calendar = Calendar(identifier: .hebrew)
        components.timeZone = TimeZone(identifier: "Pacific/Honolulu")
        components.era = 1
        components.year = 5000
        components.month = 10
        components.day = 12
        components.hour = 7
        components.minute = 16
        components.second = 6
        components.nanosecond = 4
        components.weekday = 3
        components.weekdayOrdinal = 2
        components.quarter = 2
        components.weekOfMonth = 1
        components.weekOfYear = 40
        components.yearForWeekOfYear = 8
        components.isLeapMonth = false
        let result = ORKTimeOfDayQuestionResult(identifier: "time")
        result.dateComponentsAnswer = components
        #expect(try result.serialized().json["dateComponentsAnswer"] == "07:16")
        let restored = try #require(try fetched(result).dateComponentsAnswer)
        #expect(restored.calendar?.identifier == .hebrew && restored.timeZone?.identifier == "Pacific/Honolulu")
        #expect(restored == components)
    }

    @Test(arguments: [
        (DateComponents(hour: 8, minute: 30), "08:30", nil), (DateComponents(hour: 0, minute: 0), "00:00", nil),
        (DateComponents(hour: 8), "08:00", #"{"hour":8}"#),
        (DateComponents(hour: 25, minute: 1), nil, nil),
        (DateComponents(hour: 8, minute: 30, second: 15), "08:30", #"{"hour":8,"minute":30,"second":15}"#),
        (DateComponents(weekday: 2), "00:00", #"{"weekday":2}"#),
    ])
    func aTimeOfDayHasAllComponentsIfHoursAndMinutesAreNotAll(
        components: DateComponents, text: String?, all: String?
    ) throws {
        let result = ORKTimeOfDayQuestionResult(identifier: "time")
        result.dateComponentsAnswer = components
        let json = try result.serialized().json
        #expect(json["dateComponentsAnswer"]?.string == text)
        guard text != nil else { return }
        #expect(json["dateComponents"]?.text() == all)
        #expect(try fetched(result).dateComponentsAnswer == components)
    }

    @Test func aLocationIsTheSameAfterJSON() throws {
        let result = ORKLocationQuestionResult(identifier: "location")
        result.locationAnswer = ResultSamples.location
        #expect(
            try result.serialized().json["locationAnswer"]?.text() == """
                {"_class":"ORKLocation","userInput":"Somewhere near Philly","postalAddress":{"street":"",\
                "city":"Philadelphia","state":"PA","country":"USA"},"coordinate":{"longitude":-75.16,"latitude":39.95},\
                "region":{"identifier":"Philly-Ish","coordinate":{"longitude":-75.16,"latitude":39.95},"radius":10.2}}
                """)
        let location = try #require(try fetched(result).locationAnswer)
        #expect(location.coordinate.latitude == 39.95 && location.coordinate.longitude == -75.16)
        #expect(location.region?.radius == 10.2 && location.region?.identifier == "Philly-Ish")
        #expect(location.region?.center.latitude == 39.95 && location.userInput == "Somewhere near Philly")
        #expect(location.postalAddress?.state == "PA" && location.postalAddress?.isoCountryCode == "")
    }

    @Test func aConsentSignatureIsTheSameAfterJSON() throws {
        let result = ORKConsentSignatureResult(identifier: "consent")
        result.signature = ResultSamples.consentSignature
        result.consented = true
        let restored = try fetched(result)
        let signature = try #require(restored.signature)
        #expect(restored.consented && signature.identifier == "SigId" && signature.title == "Participant")
        #expect(signature.givenName == "Bruce" && signature.familyName == "Wayne")
        #expect(signature.signatureDate == "1/2/2003" && signature.signatureDateFormatString == "%m/%d/%Y")
        #expect(!signature.requiresName && signature.requiresSignatureImage)
    }

    @Test func aSignatureHasItsPathAfterJSON() throws {
        let result = ORKSignatureResult(identifier: "signature")
        result.signaturePath = [ResultSamples.path]
        #expect(
            try result.serialized().json["signaturePath"]?[0]?.text() == """
                [{"type":"move","points":[{"x":1,"y":2.5}]},{"type":"line","points":[{"x":-3,"y":4}]},\
                {"type":"quadCurve","points":[{"x":0.1,"y":7},{"x":5,"y":6}]},\
                {"type":"curve","points":[{"x":10,"y":11},{"x":12,"y":13},{"x":8,"y":9}]},{"type":"close","points":[]}]
                """)
        let restored = try fetched(result)
        #expect(try restored.serialized().json["signaturePath"] == result.serialized().json["signaturePath"])
    }

    // MARK: CMHIntegrationTests

    @Test func theAnswersOfAllQuestionsAreTheSameAfterJSON() throws {
        let task = ORKTaskResult(taskIdentifier: "t", taskRun: UUID(), outputDirectory: nil)
        let step = ORKStepResult(stepIdentifier: "s", results: nil)
        step.results = ResultSamples.questions
        task.results = [step]
        let restored = try fetched(task)
        #expect(restored.unconverted == [])
        #expect(try restored.object.serialized().json == task.serialized().json)
    }

    @Test func aFetchedResultCanBeChangedAndSavedAgain() throws {
        let text = """
            {"_class":"ORKTaskResult","x-of-ours":[1.50],"identifier":"t","startDate":"2019-05-27T00:35:06-0700",\
            "taskRunUUID":"fdfcc3ec-01b6-43e7-8200-9b93e2744bb8","device":{"_class":"ORKDevice","model":"x"},"results":[\
            {"_class":"ORKStepResult","identifier":"s","enabledAssistiveTechnology":"VoiceOver","results":[\
            {"_class":"ORKScaleQuestionResult","identifier":"a","scaleAnswer":1.50,"userInfo":null},\
            {"_class":"ORKTappingIntervalResult","identifier":"b","samples":[{"timestamp":0.10}]},\
            {"_class":"ORKConsentSignatureResult","identifier":"c","consented":1,"signature":{"familyName":"A","x":7}}]}]}
            """
        let restored = try RestoredResult(Data(text.utf8))
        #expect(
            restored.unconverted.map(\.description) == [
                "$.results[0].enabledAssistiveTechnology: ORKStepResult",
                "$.results[0].results[1]: ORKTappingIntervalResult",
            ])
        #expect(try restored.serialized().json.text() == text)
        let results = try #require(restored.task?.stepResult(forStepIdentifier: "s")?.results)
        (results[0] as? ORKScaleQuestionResult)?.scaleAnswer = 2
        results[1].userInfo = ["checked": true]
        (results[2] as? ORKConsentSignatureResult)?.signature?.familyName = "B"
        restored.task?.stepResult(forStepIdentifier: "s")?.results?.append(ORKResult(identifier: "new"))
        let again = try restored.serialized()
        #expect(again.unconverted == [])
        let saved = again.json.text()
        var expected = text.replacingOccurrences(of: #""a","scaleAnswer":1.50"#, with: #""a","scaleAnswer":2"#)
        expected = expected.replacingOccurrences(of: "0.10}]}", with: #"0.10}],"userInfo":{"checked":true}}"#)
        expected = expected.replacingOccurrences(of: #""familyName":"A""#, with: #""familyName":"B""#)
        #expect(saved.hasPrefix(expected.dropLast(4)) && saved.contains(#""identifier":"new""#), "\(saved)")
        #expect(try again.researchResult().id == "fdfcc3ec-01b6-43e7-8200-9b93e2744bb8")
    }

    @Test func resultsThatAreRemovedAreNotSaved() throws {
        let restored = try RestoredResult(json: try ResultSamples.task.serialized().json)
        restored.task?.results = []
        #expect(try restored.serialized().json["results"]?.text() == "[]")
    }
}
