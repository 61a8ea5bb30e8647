import AccountClient
import Attachments
import CareKitAdapter
import CarePlans
import CareStores
import DeviceSystem
import FHIR
import FHIRClient
import FHIRPatch
import FHIRPath
import FHIRSearch
import FHIRValidation
import FHIRVersions
import FormOperations
import FormRendering
import Foundation
import HTTPTransport
import HealthData
import HealthKitAdapter
import HealthReport
import HealthStores
import HealthSync
import HealthTypes
import InformedConsent
import JSONQuery
import LocationAdapter
import MotionAdapter
import Outbox
import Questionnaires
import ResearchKitAdapter
import ResearchKitForms
import ResearchResults
import SleepNights
import UCUM
import Wallet
import Wire

#if canImport(CareKitStore)
    import CareKitStore
#endif
#if canImport(HealthKit)
    import HealthKit
#endif
#if canImport(ResearchKit)
    import ResearchKit
#endif

/// The first programs of the libraries' articles (`*.docc`); `GuideTests` compares the texts.
enum LibraryArticles {
    static func fhir(_ bytes: Data) throws -> String {
        var patient = Patient(try Resource(bytes).object)
        patient.birthDate = "1990-05"
        patient["x-of-ours"] = true
        let text = patient.json.text()
        return text
    }

    static func ucum() throws -> (Decimal, Bool) {
        let fahrenheit = try UCUMUnit("Cel").convert(27, to: UCUMUnit("[degF]"))
        let isLength = try UCUMUnit("[in_i]").isComparable(to: UCUMUnit("cm"))
        return (fahrenheit, isLength)
    }

    static func fhirPath(_ observation: JSONObject) throws -> [FHIRPathValue] {
        let systolic = try FHIRPathExpression("component.where(code.coding.code = '8480-6').value")
        let found = try systolic.evaluate(TypedElement(resource: observation))
        for value in found { print(value.typeName, value.json.text()) }
        return found
    }

    static func fhirValidation(_ bytes: Data, bloodPressureProfile: JSONObject) -> FHIRValidator {
        let validator = FHIRValidator(profiles: [bloodPressureProfile])
        for issue in validator.validate(bytes).errors {
            print(issue.line ?? 0, issue.expression, issue.message)
        }
        return validator
    }

    static func fhirVersions(_ bytes: Data) throws -> FHIRConversion.Converted {
        let resource = try Resource(bytes)
        let converted = try FHIRConversion.toR4(resource, from: .stu3)
        for note in converted.notes { print(note) }
        return converted
    }

    static func jsonQuery(_ message: JSON) throws {
        let readings = try JSONPath("$..[?(@heartRate)]")
        let rate = try JMESPath("to_number(heartRate)")
        for reading in try readings.evaluate(on: message) {
            print(try rate.evaluate(on: reading).text())
        }
    }

    static func fhirPatch(_ patient: Patient, changes: Data) throws -> JSON {
        let patch = try JSONPatch(JSON(reading: changes) ?? .null)
        let patched = try patch.applied(to: patient.json)
        return patched
    }

    static func fhirSearch(_ observations: [Resource]) throws -> [Resource] {
        let condition = try SearchCondition(
            "value-quantity", value: "gt5.4|http://unitsofmeasure.org|mg", of: "Observation")
        let found = observations.filter { condition.matches($0) }
        return found
    }

    static func sleepNights(_ samples: [HealthSample]) -> [HealthNight] {
        var nights = HealthNights()
        for sample in samples { nights.add(sample, fingerprint: sample.fingerprint) }
        let all = nights.nights()
        return all
    }

    static func carePlans(
        _ versions: [CareEntity], _ draft: JSON, now: Date, timeZone: TimeZone, first: CareDay, last: CareDay
    ) throws -> FHIR.Bundle {
        var edit = CarePlanEdit(CarePlanContents(versions), now: now, timeZone: timeZone)
        try edit.add(.task, draft)
        let event = try edit.event(task: "walk", occurrence: 0)
        try edit.record(event, values: [5_000])
        for day in try edit.contents.adherence(from: first, to: last) { print(day.day.text, day.due, day.done) }
        let bundle = edit.contents.bundle(patient: "me")
        return bundle
    }

    static func wire(_ resource: Resource, publishedKeys: Data) throws -> SealedEnvelope {
        let keys = try PublicKey.read(from: publishedKeys)
        let header = try SubmissionHeader(submissionID: UUID().uuidString, sequence: 1)
        let sealed = try SealedEnvelope.seal(resource.json.data(), as: header, to: keys)
        return sealed
    }

    static func formOperations(_ form: Questionnaire, response: QuestionnaireResponse) -> String {
        let extraction = FormExtraction(form)
        let (bundle, problems) = extraction.extracted(from: response, now: .now()) { UUID() }
        for problem in problems { print(problem.code, problem.expression, problem.message) }
        let text = bundle.json.text()
        return text
    }

    static func questionnaires(
        _ questionnaire: Questionnaire, answer: (FormItem) -> AnswerValue?
    ) throws -> QuestionnaireResponse {
        var asked: ItemPath?
        var session = FormSession(QuestionnaireForm(questionnaire))
        while let next = session.nextQuestion(after: asked) {
            session[next.path] = answer(next.item)
            asked = next.path
        }
        let response = try session.completedResponse(subject: "Patient/p1", authored: .now())
        return response
    }

    static func researchKitForms(_ questionnaire: Questionnaire, resultBytes: Data) throws -> QuestionnaireResponse {
        let task = try SurveyTask(QuestionnaireForm(questionnaire))
        for step in task.steps { print(step.identifier, step.questions.map(\.identifier)) }
        let result = try SurveyResult(resultBytes)
        let response = try task.completedResponse(for: result, subject: "Patient/p1")
        return response
    }

    static func formRendering(_ session: FormSession) {
        let plan = RenderPlan(session)
        for page in plan.pages { print(page.elements.count) }
    }

    static func informedConsent(_ contractBytes: Data, answers: ConsentAnswers, name: String) throws -> SignedConsent? {
        let template = try ConsentTemplate(try Resource(contractBytes))
        for section in template.screenSections { print(section.title) }
        let session = ConsentSession(template: template, answers: answers)
        guard session.verdict.isEligible != false else { return nil }
        let signed = try session.sign(.init(name: name, now: .now, offsetMinutes: DateTime.offsetMinutes(at: .now)))
        return signed
    }

    static func healthData(at date: Date) throws -> Observation? {
        guard let type = HealthType.named("HKQuantityTypeIdentifierBodyMass"), let measure = type.measure else {
            return nil
        }
        let weight = try HealthQuantity("154", unit: "lb", as: measure)
        let moment = HealthInstant(date, offsetMinutes: DateTime.offsetMinutes(at: date))
        let source = HealthSource(product: .iPhone)
        let sample = HealthSample(type: type, value: .quantity(weight), start: moment, end: moment, source: source)
        let observation = sample.observation(subject: "p1")
        return observation
    }

    static func attachments(photo: Data) throws -> Data {
        let image = try CleanedImage(photo)
        let clean = Data(image.bytes)
        return clean
    }

    static func outbox(folder: URL, contract: Contract, response: QuestionnaireResponse) async throws {
        let store = try DeviceStore.open(folder)
        try store.queue(contract)
        try store.queue(response)
        let connection = StudyConnection(enrolment: try store.enrolment())
        _ = try await connection.synchronize(store)
        for try await delivery in connection.deliveries(of: store, until: .listed) {
            print(delivery.entry.kind, delivery.state)
        }
    }

    static func fhirClient(url: URL, token: @escaping FHIRConnection.Token) async throws {
        let server = FHIRConnection(url) { isRenewal in try await token(isRenewal) }
        var patient = try await server.read(Patient.self, id: "p1")
        patient.active = true
        try await server.update(patient, ifMatch: patient.meta?.versionId)
        for try await reading in server.search(Observation.self, ["patient": "p1", "_sort": "-date"]) {
            print(reading.code?.coding.first?.code ?? "")
        }
    }

    static func httpTransport(url: URL) async throws -> TransportResponse {
        let transport = URLSessionTransport(timeout: 10, largestAnswer: 1 << 20)
        let response = try await transport.send(TransportRequest(method: "GET", url: url))
        if response.status == 503 { print(response.retryAfter(now: .now) ?? 60) }
        return response
    }

    static func deviceSystem(folder: URL, token: Data, profile: Data) throws -> Data? {
        let secrets = FileSecrets(folder: folder)
        try secrets.save(token, named: "token")
        try AtomicFile.write(profile, to: folder.appendingPathComponent("profile.json"))
        let saved = try secrets.secret(named: "token")
        return saved
    }

    static func researchResults(taskResult: JSON, imageDigest: BlobDigest, resultBytes: Data) throws -> ResultFilter {
        let registration = try AccountRegistration(in: taskResult)
        let username = try EmailAddress(registration.email).username
        let upload = try ConsentUpload(result: taskResult, signature: imageDigest)
        let result = try ResearchResult(resultBytes, descriptor: "sleep")
        let filter = try ResultFilter(from: "2026-11-01", conditions: ["results.results.scaleAnswer ge 7"])
        if filter.matches(result) { print(username, upload.signatureResult.givenName ?? "", result.id) }
        return filter
    }

    static func accountClient(folder: URL, taskResult: JSON, image: Data, resultBytes: Data) async throws {
        let server = try AccountServer("https://study.example", antispam: "blue-kettle")
        let client = try AccountClient(server: server, folder: folder)
        try await client.signUp(registration: taskResult)
        try await client.uploadConsent(result: taskResult, signature: image, descriptor: "sleep")
        let status = try await client.save(ResearchResult(resultBytes, descriptor: "sleep"))
        for row in try await client.results(matching: ResultFilter(descriptor: "sleep")).all() {
            print(status, row.id, row.problem ?? "")
        }
    }

    static func healthTypes() throws -> (codes: [String]?, pounds: String?) {
        let weight = HealthType.named("BodyMass")
        let codes = weight?.codings.compactMap(\.code)
        let pounds = try HealthKitUnit("kg").conversion(to: HealthKitUnit("lb"))?.convert("70.5")
        return (codes, pounds)
    }

    static func healthSync(
        source: any HealthSampleSource, storage: any HealthSyncStorage, outbox: any ExternalStore
    ) async -> HealthSyncReport {
        let settings = HealthSyncSettings(selection: HealthSelection(subject: "p1"), version: "table 7, app 2.1")
        let synchronizer = HealthSynchronizer(source: source, storage: storage, settings: settings)
        await synchronizer.add(outbox, named: "outbox", types: ["HKQuantityTypeIdentifierHeartRate"])
        await synchronizer.start()
        let report = await synchronizer.run()
        for row in report.rows { print(row.stream.type, row.added, row.deleted, row.waiting) }
        return report
    }

    static func healthStores(folder: URL, journal: URL) async throws -> HealthSyncReport {
        let device = try DeviceStore.open(folder)
        let progress = HealthSyncFolder(folder.appendingPathComponent("health-sync"))
        let lock = try await progress.lock()
        let settings = HealthSyncSettings(selection: HealthSelection(subject: "p1"), version: "app 2.1")
        let synchronizer = HealthSynchronizer(source: HealthJournal(journal), storage: progress, settings: settings)
        let outbox = try OutboxHealthStore(device, subject: "p1")
        await synchronizer.add(outbox, named: "outbox", types: ["HKQuantityTypeIdentifierHeartRate"])
        let report = await synchronizer.run()
        withExtendedLifetime(lock) {}
        return report
    }

    static func careStores(
        _ client: AccountClient, account: String, task: JSON, start: Date, end: Date
    ) async throws -> CareSyncReport {
        let server = AccountCareServer(client: client, patient: account)
        let store = try await CarePlanStore(patient: account, folder: client.plansFolder, server: server)
        try await store.add([task])
        try await store.recordOutcome(task: "walk", occurrence: 0, values: [30])
        let report = try await store.sync()
        for version in await store.quarantine { print(version.uuid, version.code) }
        for event in try await store.events(from: start, to: end) { print(event.json) }
        return report
    }

    static func wallet(
        folder: URL, scheme: AppScheme, message: MessageToApp, now: Date, open: (String) -> Void
    ) async throws -> Bool {
        let client = try CsiClient(server: CsiServer("https://study.example"), folder: folder)
        var app = AppState(scheme: scheme)
        for effect in app.handle(.received(message)) {
            switch effect {
            case .open(let url): open(url)
            case .register(let deviceID): try await client.register(applicationClass: "Steps", deviceID: deviceID)
            case .call: _ = app.handle(.permissions(try await client.received(), now: now))
            }
        }
        let isGranted = app.phase == .granted
        return isGranted
    }

    #if canImport(CareKitStore)
        @available(iOS 18, macOS 15, watchOS 11, *)
        static func careKitAdapter(_ client: AccountClient, account: String) async throws -> OCKStore {
            let server = AccountCareServer(client: client, patient: account)
            let remote = CareKitSynchronizer(server: server)
            let store = OCKStore(name: "plan-" + account, remote: remote)
            remote.startListening()
            try await store.synchronize()
            return store
        }
    #endif

    static func locationAdapter(_ answers: ConsentAnswers) -> ConsentAnswers? {
        var answers = answers
        let typed = PersonFacts(postalCode: "02139", state: "MA", country: "US")
        guard let location = PseudonymousLocation(typed) else { return nil }
        answers.person = location.replacing(in: answers.person)
        return answers
    }

    static func motionAdapter(_ reports: [MotionActivity], midnight: Date, zone: TimeZone) -> [Observation] {
        let intervals = MotionRules.intervals(reports, until: midnight)
        let day = MotionPeriod(intervals, from: midnight.addingTimeInterval(-86_400), to: midnight)
        let observations = day.observations(subject: "p1", in: zone)
        return observations
    }

    #if canImport(HealthKit)
        static func healthKitAdapter() async throws -> HealthChanges {
            let source = HealthKitSource(HKHealthStore())
            let permissions = HealthPermissions(for: ["HKQuantityTypeIdentifierHeartRate"])
            try await source.requestAuthorization(for: permissions)
            let changes = try await source.changes(of: "HKQuantityTypeIdentifierHeartRate", after: nil, limit: 100)
            return changes
        }
    #endif

    #if canImport(ResearchKit)
        static func researchKitAdapter(
            _ questionnaire: Questionnaire, earlier: QuestionnaireResponse?, finish: (FormTask) -> ORKTaskResult
        ) throws -> (QuestionnaireResponse, ResearchResult) {
            let task = try FormTask(questionnaire, response: earlier)
            let result = finish(task)
            let response = try task.fhirResponse(for: result, subject: "Patient/p1")
            let saved = try result.serialized().researchResult(descriptor: "sleep")
            return (response, saved)
        }
    #endif

    static func healthReport(_ samples: [HealthSample], importReport: HealthImportReport) -> String {
        var report = HealthReportPage()
        for sample in samples {
            report.add(HealthObservation(sample, fingerprint: sample.fingerprint, subject: nil))
        }
        let page = report.html(importReport: importReport)
        return page
    }
}
