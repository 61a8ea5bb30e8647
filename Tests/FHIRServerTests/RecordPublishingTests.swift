import FHIR
import Foundation
import StorageTestSupport
import Testing

@testable import RecordStorage

/// Forms and their value sets stored as records.
@Suite struct RecordPublishingTests {
    private func form(_ title: String) throws -> Resource {
        try Resource(
            Data(
                #"{"resourceType":"Questionnaire","id":"sleep","url":"http://q/sleep","status":"active","title":"\#(title)"}"#
                    .utf8))
    }

    @Test func formIsARecordWithTheVersionsOfItsFile() async throws {
        var fixture = try await RecordsFixture()
        try await fixture.addWriter()
        let publishing = RecordPublishing(database: fixture.database, clock: { Date() })
        #expect(try await publishing.publish([form("Sleep")]) == 1)
        #expect(try await publishing.publish([form("Sleep")]) == 0, "what stands is not written again")
        #expect(try await publishing.publish([form("Sleep and rest")]) == 1)
        try await fixture.put(
            #"{"resourceType":"QuestionnaireResponse","id":"r","status":"completed","questionnaire":"http://q/sleep"}"#)
        let read = try await fixture.send(.get, "/fhir/Questionnaire/sleep")
        #expect(read.json["title"] == "Sleep and rest" && read.json["meta"]?["versionId"] == "2")
        let found = try await fixture.get(
            "/fhir/QuestionnaireResponse?questionnaire.title=sleep&_include=QuestionnaireResponse:questionnaire",
            token: "writer")
        let ids = (found.1["entry"]?.array ?? []).compactMap { $0["resource"]?["id"]?.string }
        #expect(ids == ["r", "sleep"])
        // The study team's counts cover only participants' data.
        let counts = try await fixture.database.read { try RecordStatistics().counts(in: $0) }
        #expect(counts.map { "\($0.type) \($0.count)" } == ["QuestionnaireResponse 1"])
        try await fixture.close()
    }

    @Test func publishingOverwritesChangesOfPrograms() async throws {
        var fixture = try await RecordsFixture()
        try await fixture.addWriter()
        let publishing = RecordPublishing(database: fixture.database, clock: { Date() })
        try await fixture.put(String(decoding: form("Older").json.data(), as: UTF8.self))
        #expect(try await publishing.publish([form("Sleep")]) == 1)
        #expect(try await fixture.send(.delete, "/fhir/Questionnaire/sleep").status == 204)
        #expect(try await publishing.publish([form("Sleep")]) == 1)
        #expect(try await fixture.send(.get, "/fhir/Questionnaire/sleep").json["title"] == "Sleep")
        try await fixture.close()
    }

    @Test func theVersionsThatTheStudyPublishedAreReadPageByPage() async throws {
        var fixture = try await RecordsFixture()
        try await fixture.addWriter()
        let publishing = RecordPublishing(database: fixture.database, clock: { Date() })
        for title in ["1", "2", "3"] { try await publishing.publish([form(title)]) }
        // A form that a program wrote is not one of the study.
        try await fixture.put(
            #"{"resourceType":"Questionnaire","id":"other","url":"http://q/sleep","status":"active"}"#)
        let store = fixture.store
        var titles: [String?] = []
        var last: RecordStore.PublishedVersion?
        repeat {
            let previous = last
            let page = try await fixture.database.read {
                try store.publishedVersions(ofType: "Questionnaire", after: previous, limit: 2, in: $0)
            }
            titles += try page.map { try Resource($0.record.content).object["title"]?.string }
            last = page.count < 2 ? nil : page.last
        } while last != nil
        #expect(titles == ["1", "2", "3"])
        let plan = try await fixture.database.read {
            try QueryPlan(RecordStore.publishedSQL, ["Questionnaire", 1, 1, 1, "published", 100], in: $0)
        }
        #expect(!plan.readsAll, "\(plan)")
        try await fixture.close()
    }
}
