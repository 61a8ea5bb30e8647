import FHIR
import Foundation
import ResearchKit
import ResearchKitForms
import ResearchResults
import TestSupport
import Testing

@testable import ResearchKitAdapter

/// ResearchKit's own results in JSON, as objects and back.
@Suite struct PublishedResultTests {
    private static let folder = PublishedData.url("researchkit-results")

    /// The published classes that are not supported: those of active tasks and of single steps.
    private static let unsupported = [
        "ORKAccuracyStroopResult", "ORKAmslerGridResult", "ORKEnvironmentSPLMeterResult", "ORKFamilyHistoryResult",
        "ORKFrontFacingCameraStepResult", "ORKHolePegTestResult", "ORKNormalizedReactionTimeResult", "ORKPSATResult",
        "ORKPageResult", "ORKPasscodeResult", "ORKRangeOfMotionResult", "ORKReactionTimeResult", "ORKResultSelector",
        "ORKSpatialSpanMemoryResult", "ORKSpeechInNoiseResult", "ORKSpeechRecognitionResult", "ORKStroopResult",
        "ORKTappingIntervalResult", "ORKTimedWalkResult", "ORKToneAudiometryResult", "ORKTowerOfHanoiResult",
        "ORKTrailmakingResult", "ORKUSDZModelManagerResult", "ORKVideoInstructionStepResult", "ORKWebViewStepResult",
        "ORKdBHLToneAudiometryResult",
    ]

    private func published() throws -> [(name: String, json: JSON)] {
        try PublishedData.files(below: try #require(Self.folder)).map {
            ($0.deletingPathExtension().lastPathComponent, try JSON(try Data(contentsOf: $0)))
        }
    }

    /// Returns a result without the order of its members, and with its times as instants.
    private func normal(_ json: JSON) -> JSON {
        guard let object = json.object else { return json }
        return JSON(
            object.members.sorted { $0.key < $1.key }.map { member in
                guard member.key.hasSuffix("Date") || member.key == "dateAnswer",
                    let time = member.value.string.flatMap(ResultTime.dateTime)
                else { return JSONObject.Member(key: member.key, value: normal(member.value)) }
                return JSONObject.Member(key: member.key, value: .string("\(time.start().timeIntervalSince1970)"))
            })
    }

    @Test(.enabled(if: folder != nil, "TRIBUTARY_CONFORMANCE is not set"))
    func eachPublishedResultIsTheSameAfterReadingAndWriting() throws {
        let published = try published()
        #expect(published.count == 56)
        for (name, json) in published {
            let restored = try RestoredResult(json: json)
            #expect(try restored.serialized().json == json, "\(name)")
        }
        // And all of them in one task.
        let step: JSON = ["_class": "ORKStepResult", "identifier": "s", "results": .array(published.map(\.json))]
        let task: JSON = [
            "_class": "ORKTaskResult", "taskRunUUID": .string(UUID().uuidString), "results": [step],
        ]
        let restored = try RestoredResult(json: task)
        #expect(restored.object.all.count == 58 && restored.unconverted.classNames == Self.unsupported)
        #expect(try restored.serialized().json == task)
    }

    @Test(.enabled(if: folder != nil, "TRIBUTARY_CONFORMANCE is not set"))
    func theObjectsOfSupportedClassesHaveAllMembers() throws {
        var supported = 0
        for (name, json) in try published() {
            let className = json["_class"]?.string ?? ""
            let restored = try RestoredResult(json: json)
            if Self.unsupported.contains(className) {
                #expect(restored.unconverted.classNames == [className], "\(name)")
                let common = json["identifier"]?.string ?? ""
                #expect(restored.object.identifier == common, "\(name)")
                if let start = json["startDate"]?.string.flatMap(ResultTime.dateTime) {
                    #expect(restored.object.startDate == start.start(), "\(name)")
                }
                continue
            }
            supported += 1
            #expect(String(describing: type(of: restored.object)) == className, "\(name)")
            var expected = json
            // Only ResearchKit sets this one.
            let readOnly = json["enabledAssistiveTechnology"] == nil ? [] : ["enabledAssistiveTechnology"]
            #expect(restored.unconverted.map(\.member) == readOnly, "\(name)")
            for member in readOnly { expected[member] = nil }
            // A new object does not know the JSON that it was read from.
            #expect(normal(try restored.object.serialized().json) == normal(expected), "\(name)")
        }
        #expect(supported == 30)
    }
}
