import FHIR
import Foundation
import ResearchKit
import ResearchKit_Private

@testable import ResearchKitAdapter

/// Results of ResearchKit with all of their members.
enum ResultSamples {
    static let start = Date(timeIntervalSince1970: 1_558_942_506)

    /// Sets the common members.
    static func common<Result: ORKResult>(_ result: Result) -> Result {
        result.startDate = start
        result.endDate = start.addingTimeInterval(60)
        result.userInfo = ["attempt": 2, "device": ["left", "right"], "isPractice": true, "more": ["level": 0.5]]
        return result
    }

    /// Sets the members of a question, and its answer.
    static func question<Result: ORKQuestionResult>(
        _ result: Result, type: ORKQuestionType, _ change: (Result) -> Void
    ) -> Result {
        result.questionType = type
        change(result)
        return common(result)
    }

    static var location: ORKLocation {
        let address = CNMutablePostalAddress()
        address.city = "Philadelphia"
        address.state = "PA"
        address.country = "USA"
        let coordinate = CLLocationCoordinate2D(latitude: 39.95, longitude: -75.16)
        return ORKLocation(
            coordinate: coordinate,
            region: CLCircularRegion(center: coordinate, radius: 10.2, identifier: "Philly-Ish"),
            userInput: "Somewhere near Philly", postalAddress: address)
    }

    static var consentSignature: ORKConsentSignature {
        let signature = ORKConsentSignature(
            forPersonWithTitle: "Participant", dateFormatString: "%m/%d/%Y", identifier: "SigId")
        signature.givenName = "Bruce"
        signature.familyName = "Wayne"
        signature.signatureDate = "1/2/2003"
        signature.requiresName = false
        return signature
    }

    static var path: UIBezierPath {
        let path = UIBezierPath()
        path.move(to: CGPoint(x: 1, y: 2.5))
        path.addLine(to: CGPoint(x: -3, y: 4))
        path.addQuadCurve(to: CGPoint(x: 5, y: 6), controlPoint: CGPoint(x: 0.1, y: 7))
        path.addCurve(
            to: CGPoint(x: 8, y: 9), controlPoint1: CGPoint(x: 10, y: 11), controlPoint2: CGPoint(x: 12, y: 13))
        path.close()
        return path
    }

    /// A result of each question, answered.
    static var questions: [ORKQuestionResult] {
        [
            question(ORKQuestionResult(identifier: "none"), type: .none) { _ in },
            question(ORKBooleanQuestionResult(identifier: "boolean"), type: .boolean) { $0.booleanAnswer = true },
            question(ORKChoiceQuestionResult(identifier: "choice"), type: .multipleChoice) {
                $0.choiceAnswers = [NSString(string: "a"), NSNumber(value: 2), NSDecimalNumber(string: "0.10")]
            },
            question(ORKMultipleComponentQuestionResult(identifier: "components"), type: .multiplePicker) {
                $0.componentsAnswer = [NSString(string: "a"), NSNumber(value: 3)]
                $0.separator = ", "
            },
            question(ORKNumericQuestionResult(identifier: "numeric"), type: .decimal) {
                $0.numericAnswer = NSDecimalNumber(string: "3.14")
                $0.unit = "weeks"
                $0.displayUnit = "semanas"
            },
            question(ORKScaleQuestionResult(identifier: "scale"), type: .scale) { $0.scaleAnswer = NSNumber(value: 7) },
            question(ORKTextQuestionResult(identifier: "text"), type: .text) { $0.textAnswer = "Größe \"1\"\n" },
            question(ORKTimeOfDayQuestionResult(identifier: "time"), type: .timeOfDay) {
                $0.dateComponentsAnswer = DateComponents(hour: 8, minute: 5)
            },
            question(ORKTimeIntervalQuestionResult(identifier: "interval"), type: .timeInterval) {
                $0.intervalAnswer = NSNumber(value: 90.5)
            },
            question(ORKDateQuestionResult(identifier: "date"), type: .dateAndTime) {
                $0.dateAnswer = start
                $0.calendar = Calendar(identifier: .gregorian)
                $0.timeZone = TimeZone(secondsFromGMT: 3600)
            },
            question(ORKLocationQuestionResult(identifier: "location"), type: .location) {
                $0.locationAnswer = location
            },
            question(ORKSESQuestionResult(identifier: "rung"), type: .SES) { $0.rungPicked = NSNumber(value: 4) },
        ]
    }

    /// A result of each class that is no collection and no question.
    static var others: [ORKResult] {
        let file = ORKFileResult(identifier: "file")
        file.contentType = "application/json"
        file.fileName = "walk.json"
        let consent = ORKConsentSignatureResult(identifier: "consent")
        consent.signature = consentSignature
        consent.consented = true
        let signature = ORKSignatureResult(identifier: "signature")
        signature.signaturePath = [path, UIBezierPath()]
        return [common(ORKResult(identifier: "plain")), common(file), common(consent), common(signature)]
    }

    /// The result of a task with a result of each class.
    static var task: ORKTaskResult {
        let first = common(ORKStepResult(stepIdentifier: "questions", results: nil))
        first.results = questions
        first.isPreviousResult = true
        let second = common(ORKStepResult(stepIdentifier: "others", results: nil))
        let collection = common(ORKCollectionResult(identifier: "collection"))
        collection.results = others
        second.results = [collection]
        let task = common(
            ORKTaskResult(
                taskIdentifier: "task", taskRun: UUID(), outputDirectory: URL(fileURLWithPath: "/tmp"),
                device: ORKDevice(product: "Phone", osVersion: "18.1", osBuild: "22B", platform: "iOS")))
        task.results = [first, second]
        return task
    }
}

extension ORKResult {
    /// The result and the results in it.
    var all: [ORKResult] { [self] + ((self as? ORKCollectionResult)?.results ?? []).flatMap(\.all) }
}
