import Core
import Foundation
import ResearchResults
import TestSupport
import Testing

/// Results with the members by which they are found.
@Suite struct ResearchResultTests {
    private static let folder = PublishedData.url("researchkit-results")

    private func error(_ bytes: some Collection<UInt8>, descriptor: String? = nil) -> ResearchResultError? {
        do throws(ResearchResultError) {
            _ = try ResearchResult(bytes, descriptor: descriptor)
            return nil
        } catch { return error }
    }

    private func error(_ json: JSON) -> ResearchResultError? { error(json.bytes()) }

    @Test func aResultIsFoundByItsMembers() throws {
        let result = try ResearchResult(Results.task().bytes())
        #expect(result.id == Results.uuid.lowercased() && result.uuid.uuidString == Results.uuid)
        #expect(result.identifier == "task" && result.descriptor == "" && result.className == "ORKTaskResult")
        #expect(result.startDate?.start() == DateTime("2019-05-27T07:35:06Z").start())
        #expect(result.startDate?.offsetMinutes == -420)
        #expect(result.endDate?.start() == DateTime("2019-05-27T07:36:06Z").start())
    }

    @Test func theJSONIsUnchanged() throws {
        let text = """
            {"x":[1.50,1e2,null],"_class":"MyTaskResult","taskRunUUID":"fdfcc3ec-01B6-43E7-8200-9B93E2744BB8",\
            "results":[{"_class":"MyResult","results":"mine","startDate":7}],"identifier":null,"startDate":null}
            """
        let result = try ResearchResult(Array(text.utf8), descriptor: "study")
        #expect(result.json.text() == text)
        #expect(result.className == "MyTaskResult" && result.descriptor == "study")
        #expect(result.identifier == "" && result.startDate == nil && result.endDate == nil)
    }

    @Test(.enabled(if: folder != nil, "TRIBUTARY_CONFORMANCE is not set"))
    func thePublishedResultsAreReadIfTheyHaveAUUID() throws {
        let files = PublishedData.files(below: try #require(Self.folder))
        #expect(files.count == 56)
        var read = 0
        for file in files {
            let bytes = try Data(contentsOf: file)
            let json = try JSON(bytes)
            if let uuid = json["taskRunUUID"]?.string {
                let result = try ResearchResult(bytes)
                #expect(result.uuid == UUID(uuidString: uuid) && result.json == json, "\(file.lastPathComponent)")
                #expect(try ResearchResult(result.json.bytes()) == result)
                read += 1
            } else {
                #expect(error(bytes)?.reason == .uuidMissing, "\(file.lastPathComponent)")
                // In the result of a task it is saved with all of its members.
                let task = try ResearchResult(Results.task([json]).bytes())
                #expect(task.json["results"]?[0] == json && task.startDate != nil)
            }
        }
        #expect(read == 2)
    }

    @Test(
        arguments: [
            (Results.task(uuid: nil), "result-uuid-missing", "$.taskRunUUID"),
            (Results.task(uuid: .null), "result-uuid-missing", "$.taskRunUUID"),
            (Results.task(uuid: 7), "result-uuid-invalid", "$.taskRunUUID"),
            (Results.task(uuid: "FDFCC3EC-01B6-43E7-8200-9B93E2744BB"), "result-uuid-invalid", "$.taskRunUUID"),
            (Results.task(uuid: "../../../../../../../../../etc/passwd"), "result-uuid-invalid", "$.taskRunUUID"),
            ([], "result-class-missing", "$"), (["taskRunUUID": .string(Results.uuid)], "result-class-missing", "$"),
            (["_class": 7], "result-class-missing", "$"),
            (["_class": "ORKTaskResult", "identifier": 7], "result-malformed", "$.identifier"),
            (["_class": "ORKTaskResult", "startDate": "today"], "result-malformed", "$.startDate"),
            (["_class": "ORKTaskResult", "startDate": "2019-05-27"], "result-malformed", "$.startDate"),
            (["_class": "ORKTaskResult", "endDate": 7], "result-malformed", "$.endDate"),
        ] as [(JSON, String, String)])
    func aFaultHasACodeAndALocation(json: JSON, expected: String, location: String) {
        let error = error(json)
        #expect(error?.code == expected && error?.location == location)
        #expect(error?.message.hasSuffix("(\(location)).") ?? false)
    }

    @Test func damagedTextIsAnErrorWithItsLineAndColumn() {
        let error = error(Array("{\n\"a\": ]".utf8))
        #expect(error?.reason == .notJSON && error?.location == "line 2, column 6")
        #expect(self.error(Data())?.reason == .notJSON && self.error(Data([0xFF]))?.reason == .notJSON)
    }

    @Test(arguments: [JSON.maximumDepth, 10_000, 1_000_000])
    func tooManyLevelsAreRefused(levels: Int) {
        for (open, close) in [(#"{"results":["#, "]}"), ("[", "]"), (#"{"a":"#, "}")] {
            let text =
                #"{"_class":"ORKTaskResult","taskRunUUID":"\#(Results.uuid)","results":"#
                + String(repeating: open, count: levels) + "1" + String(repeating: close, count: levels) + "}"
            #expect([.tooDeep, .tooLarge].contains(error(Array(text.utf8))?.reason))
        }
    }

    @Test func aResultOf50MegabytesIsRefused() {
        let filler = String(repeating: "x", count: 50_000_000)
        var task = Results.task()
        task["filler"] = .string(filler)
        #expect(error(task)?.reason == .tooLarge)
        #expect(code { _ = try ResearchResult(json: task) } == "result-too-large")
        #expect(code { _ = try ConsentUpload(json: ["result": task]) } == "result-too-large")
    }

    @Test func tooManyResultsAreRefused() {
        let many = Results.task(Array(repeating: .number(1), count: 200_000))
        #expect(error(many)?.reason == .tooMany)
        #expect(code { _ = try ConsentUpload(json: ["result": many]) } == "result-too-many")
    }

    @Test func aDescriptorHasALimitAndNoControlCharacters() throws {
        let bytes = Results.task().bytes()
        #expect(try ResearchResult(bytes, descriptor: String(repeating: "é", count: 128)).descriptor.count == 128)
        #expect(error(bytes, descriptor: String(repeating: "é", count: 129))?.reason == .descriptorInvalid)
        #expect(error(bytes, descriptor: "a\nb")?.reason == .descriptorInvalid)
    }
}
