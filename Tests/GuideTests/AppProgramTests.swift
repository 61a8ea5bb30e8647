import DeviceSystem
import FHIR
import Foundation
import HealthData
import InformedConsent
import Outbox
import Questionnaires
import Testing
import Wire

/// The programs of the app developer's guide, against a study in memory.
@Suite struct AppProgramTests {
    @Test func programsSendTheirResourcesAndShowTheOutcomes() async throws {
        let (folder, store, study, connection) = try MemoryStudy.device()
        defer { try? FileManager.default.removeItem(at: folder) }
        try store.queue(Resource(JSONObject(resourceType: "Contract", id: "c")))
        let report = try await answerForm(
            MemoryStudy.form(), participant: "p1", store: store, connection: connection)
        #expect(report.sending.sent == 2 && report.sending.remaining == 0)
        try queueHeartRate("72", at: Date(timeIntervalSince1970: 1_770_000_000), participant: "p1", store: store)
        #expect(try await connection.synchronize(store).sending.sent == 1)
        let received = await study.received
        #expect(received.map(\.kind) == ["Contract", "QuestionnaireResponse", "Observation"])
        let response = received[1].payload
        let night = try #require(response["item"]?[0]?["item"])
        #expect(night[0]?["answer"]?[0]?.at("valueDecimal")?.number?.text == "7.5")
        #expect(night[1]?["answer"]?[0]?.at("valueCoding", "code") == "good")
        #expect(response.at("subject", "reference") == "Patient/p1")
        let sample = received[2].payload
        #expect(
            sample.at("valueQuantity", "value")?.number?.text == "72" && sample.at("valueQuantity", "code") == "/min")
        #expect(sample.at("subject", "reference") == "Patient/p1" && sample["effectiveDateTime"] != nil)
        var shown: [String] = []
        try await showOutcomes(connection, store: store) { shown.append("\($0) \($1)") }
        #expect(
            shown == [
                "Contract is with the study", "QuestionnaireResponse is with the study",
                "Observation was refused: withdrawn",
            ])
    }

    @Test func formsAndConsentsComeFromTheStudy() async throws {
        let contract = try Resource(
            Data(contentsOf: GuideTests.root.appendingPathComponent("Examples/study/consent/contract.json")))
        let bundle: JSON = ["resourceType": "Bundle", "type": "collection", "entry": [["resource": contract.json]]]
        let study = MemoryStudy(try PrivateKey.generateP256(), consents: bundle.data())
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("guide-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let enrolment = try await StudyConnection.enrol(
            url: "https://study.example", antispam: "w", receipt: "MIIB", transport: study)
        let connection = StudyConnection(enrolment: enrolment, transport: study)
        #expect(try await publishedForms(connection).mapValues { $0.questionnaire.title } == ["sleep": "Sleep"])
        let template = try #require(try await currentConsent(connection, languages: ["de", "en"]))
        #expect(template.url == contract.json["url"]?.string && !template.sections.isEmpty)
    }

    @Test func everyErrorThatAPersonCanChangeHasASentence() throws {
        #expect(sentence(for: CancellationError()) == nil)
        for reason in OutboxError.Reason.allCases {
            let isTemporary = [.connectionFailed, .serverUnavailable, .outboxBusy].contains(reason)
            #expect((sentence(for: OutboxError(reason, "Text.")) == nil) == isTemporary, "\(reason)")
        }
        let questionnaire = try MemoryStudy.form()
        var session = FormSession(QuestionnaireForm(questionnaire))
        session["night/hours"] = .string("eight")
        let error = #expect(throws: IncompleteResponse.self) {
            try session.completedResponse(subject: nil, authored: nil)
        }
        #expect(try sentence(for: #require(error))?.isEmpty == false)
        #expect(sentence(for: ConsentError.nameMissing) == ConsentError.nameMissing.message)
    }

    @Test func theScoreIsTheSumOfTheOptionsWeights() throws {
        func option(_ code: String, _ weight: String) -> String {
            """
            {"valueCoding": {"code": "\(code)", "extension": [
              {"url": "http://hl7.org/fhir/StructureDefinition/ordinalValue", "valueDecimal": \(weight)}]}}
            """
        }
        let options = "[\(option("never", "0")), \(option("some", "1.50")), \(option("daily", "3"))]"
        let items = ["a", "b", "c"].map { #"{"linkId": "\#($0)", "type": "choice", "answerOption": \#(options)}"# }
        let text = """
            {"resourceType": "Questionnaire", "status": "active", "item": [
              {"linkId": "g", "type": "group", "item": [\(items[0]), \(items[1])]}, \(items[2])]}
            """
        let form = QuestionnaireForm(Questionnaire(try #require(try JSON(parsing: text).object)))
        let (response, problems) = form.answer(
            ["a": "some", "b": "daily", "c": "some"], subject: nil, authored: nil)
        #expect(problems.isEmpty)
        #expect(try score(response)?.number?.decimal == 6)
        let (none, _) = form.answer([:], subject: nil, authored: nil)
        #expect(try score(none) == nil, "nothing that is weighed has no score")
    }

    @Test func observationIsCompleteAndItsTimeHasAnOffset() throws {
        let reading = heartRate(participant: "p1")
        #expect(reading.status == .final && reading.code?.coding.first?.code == "8867-4")
        guard case .dateTime(let time)? = reading.effective else {
            Issue.record("no time")
            return
        }
        #expect(time.offsetMinutes == DateTime.offsetMinutes(at: time.start()))
        #expect(reading.json.at("valueQuantity", "value")?.number?.text == "72")
        #expect(reading.object.keys.prefix(4) == ["resourceType", "id", "status", "code"])
    }

    @Test func firstProgramsOfTheLibrariesGiveTheResultsOfTheirArticles() async throws {
        let (fahrenheit, isLength) = try LibraryArticles.ucum()
        #expect(abs(fahrenheit - Decimal(806) / 10) < Decimal(1) / 1_000_000 && isLength)
        let patient = try LibraryArticles.fhir(Data(#"{"resourceType":"Patient","y":1.0}"#.utf8))
        #expect(patient == #"{"resourceType":"Patient","y":1.0,"birthDate":"1990-05","x-of-ours":true}"#)
        let pressure = try #require(
            JSON(
                parsing:
                    #"{"resourceType":"Observation","component":[{"code":{"coding":[{"code":"8480-6"}]},"valueQuantity":{"value":120}}]}"#
            ).object)
        #expect(try LibraryArticles.fhirPath(pressure).map { $0.json.at("value")?.number?.text } == ["120"])
        let converted = try LibraryArticles.fhirVersions(
            Data(#"{"resourceType":"Patient","animal":{"species":{"text":"dog"}}}"#.utf8))
        #expect(converted.resource.resourceType == "Patient" && converted.resource["animal"] == nil)
        let key = try PrivateKey.generateP256()
        let sealed = try LibraryArticles.wire(
            Resource(JSONObject(resourceType: "Patient", id: "p1")), publishedKeys: PublicKey.jwks([key.publicKey]))
        #expect(
            try OpenedEnvelope.open(sealed.bytes, with: KeySet([key])).payload
                == Data(#"{"resourceType":"Patient","id":"p1"}"#.utf8))
        let questionnaire = try MemoryStudy.form()
        let response = try LibraryArticles.questionnaires(questionnaire) { item in
            item.type == .decimal ? .decimal(8) : item.options?.first?.value
        }
        #expect(response.item.first?.item.map { $0.answer.count } == [1, 1])
        let weight = try #require(try LibraryArticles.healthData(at: Date(timeIntervalSince1970: 1_770_000_000)))
        #expect(weight.json.at("valueQuantity", "code") == "kg" && weight.subject?.reference == "Patient/p1")
    }
}
