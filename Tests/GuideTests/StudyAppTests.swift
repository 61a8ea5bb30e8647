import DeviceSystem
import FHIR
import Foundation
import InformedConsent
import Outbox
import Testing
import Wire

@testable import StudyAppModel

/// The example app without its screens, against a study in memory.
@MainActor @Suite struct StudyAppTests {
    /// No network.
    private struct Offline: Transport {
        func send(_ request: TransportRequest) async throws -> TransportResponse {
            throw URLError(.notConnectedToInternet)
        }
    }

    private let address = StudyAddress(url: "https://study.example", antispam: "w", root: nil)

    private func answers() throws -> ConsentAnswers {
        try ConsentAnswers(
            JSON(
                Data(contentsOf: GuideTests.root.appendingPathComponent("Examples/study/answers/consent-1.json"))))
    }

    private func phone() throws -> (folder: URL, study: MemoryStudy, device: StudyDevice) {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("app-\(UUID().uuidString)")
        let contract = try Resource(
            Data(contentsOf: GuideTests.root.appendingPathComponent("Examples/study/consent/contract.json")))
        let bundle: JSON = ["resourceType": "Bundle", "type": "collection", "entry": [["resource": contract.json]]]
        let study = MemoryStudy(try PrivateKey.generateP256(), consents: bundle.data())
        let store = try DeviceStore.open(folder, secrets: FileSecrets(folder: folder))
        return (folder, study, StudyDevice(store: store, transport: study))
    }

    private func joined(_ device: StudyDevice) async throws -> StudyModel {
        let model = StudyModel(device: device, languages: ["en"])
        await model.join(address, receipt: "MIIB")
        await model.sign(answers: try answers(), name: "Ann Example")
        return model
    }

    @Test func personJoinsSignsAnswersAndSeesTheOutcomes() async throws {
        let (folder, study, device) = try phone()
        defer { try? FileManager.default.removeItem(at: folder) }
        let model = StudyModel(device: device, languages: ["en"])
        #expect(model.phase == .joining)
        await model.join(address, receipt: "MIIB")
        #expect(model.phase == .consenting && model.template?.title.isEmpty == false && model.message == nil)
        // A criterion that is not met: nothing is signed or sent.
        var wrong = try answers()
        wrong.eligibility["Do you work night shifts at present?"] = true
        await model.sign(answers: wrong, name: "Ann Example")
        #expect(model.phase == .consenting && model.message?.contains("night shifts") == true)
        #expect(await study.received.isEmpty)
        await model.sign(answers: try answers(), name: "Ann Example")
        #expect(model.phase == .participating && model.message == nil && !model.isWorking)
        #expect(await study.received.map(\.kind) == ["Contract", "Patient"])

        var sheet = try #require(model.sheets.first)
        #expect(model.sheets.count == 1 && sheet.title == "Sleep")
        let hours = try #require(sheet.rows.first { $0.text == "Hours" })
        let quality = try #require(sheet.rows.first { $0.text == "Quality" })
        #expect(hours.control == .text && quality.control == .choice(["Good"]))
        // A text that is no number is kept on the screen and cannot be sent.
        sheet[answer: hours.id] = "eight"
        #expect(sheet[answer: hours.id] == "eight" && !sheet.canBeSent)
        #expect(sheet.rows.first { $0.id == hours.id }?.problem != nil)
        #expect(await model.submit(sheet) == false)
        sheet[answer: hours.id] = "7.50"
        sheet[answer: quality.id] = "Good"
        #expect(sheet.canBeSent && sheet.rows.allSatisfy { $0.problem == nil })
        #expect(await model.submit(sheet))
        let response = try #require(await study.received.last)
        #expect(response.kind == "QuestionnaireResponse")
        let night = response.payload["item"]?[0]?["item"]
        #expect(night?[0]?["answer"]?[0]?["valueDecimal"]?.number?.text == "7.50")
        #expect(night?[1]?["answer"]?[0]?["valueCoding"]?["code"] == "good")
        #expect(response.payload.at("subject", "reference")?.string == "Patient/\(device.participant ?? "")")

        let watching = _Concurrency.Task { await model.watchSubmissions() }
        let end = ContinuousClock.now + .seconds(600)
        while ContinuousClock.now < end, model.submissions.count < 3 || model.submissions[0].state != "with the study" {
            try await _Concurrency.Task.sleep(for: .milliseconds(5))
        }
        watching.cancel()
        await watching.value
        #expect(model.submissions.map(\.kind) == ["QuestionnaireResponse", "Patient", "Contract"])
        #expect(model.submissions.allSatisfy { $0.state == "with the study" } && model.message == nil)
    }

    @Test func withoutNetworkTheFormsOfTheLastTimeAreShownAndAnswersStayQueued() async throws {
        let (folder, study, device) = try phone()
        defer { try? FileManager.default.removeItem(at: folder) }
        _ = try await joined(device)
        let model = StudyModel(device: StudyDevice(store: device.store, transport: Offline()), languages: ["en"])
        #expect(model.phase == .participating)
        await model.refresh()
        var sheet = try #require(model.sheets.first)
        sheet[answer: try #require(sheet.rows.first { $0.text == "Hours" }).id] = "8"
        let count = await study.received.count
        #expect(await model.submit(sheet) && model.message == nil)
        #expect(await study.received.count == count)
        #expect(try device.store.outbox.entries().map(\.kind) == ["QuestionnaireResponse"])
    }

    @Test func errorOfAnUnsignedPhoneIsShown() async throws {
        let (folder, _, device) = try phone()
        defer { try? FileManager.default.removeItem(at: folder) }
        let model = StudyModel(device: device, languages: ["en"])
        await model.followHealth()
        #expect(!model.followsHealth && model.message?.contains("sign the consent") == true)
        await model.join(StudyAddress(url: "ftp://study.example", antispam: "w", root: nil), receipt: "MIIB")
        #expect(model.phase == .joining && model.message?.isEmpty == false)
    }

    #if canImport(HealthKit)
        @Test func healthDataIsFollowedAfterTheConsent() async throws {
            let (folder, _, device) = try phone()
            defer { try? FileManager.default.removeItem(at: folder) }
            let model = try await joined(device)
            await model.followHealth()
            #expect(model.followsHealth && model.message == nil)
        }
    #endif
}
