import FHIR
import FHIRPath
import Foundation
import HealthData
import Outbox
import Questionnaires

#if canImport(HealthKit)
    import HealthKit
    import HealthKitAdapter
#endif

/// The five programs of docs/guide-app-developer.md; `GuideTests` compares the two texts.
enum AppPrograms {
    static func answerAForm(
        _ questionnaire: Questionnaire, participant: String, store: DeviceStore, connection: StudyConnection
    ) async throws -> SynchronizationReport {
        var session = FormSession(QuestionnaireForm(questionnaire))
        session["night/hours"] = .decimal(7.5)
        session["night/quality"] = .coding(Coding(system: "https://example.org/sleep", code: "good"))
        let response = try session.completedResponse(subject: "Patient/\(participant)", authored: .now())
        try store.queue(response)
        let report = try await connection.synchronize(store)
        return report
    }

    static func scoreAForm(_ response: QuestionnaireResponse) throws -> JSON? {
        let total = try FHIRPathExpression("repeat(item).answer.value.weight().sum()")
        let score = try total.evaluate(TypedElement(resource: response.object)).first?.json
        return score
    }

    static func makeAnObservation(participant: String) -> Observation {
        let heartRate = CodeableConcept(
            coding: [Coding(system: "http://loinc.org", code: "8867-4")], text: "Heart rate")
        var reading = Observation(id: UUID().uuidString.lowercased(), status: .final, code: heartRate)
        reading.subject = Reference("Patient/\(participant)")
        reading.effective = .dateTime(.now())
        reading.value = .quantity(Quantity(value: 72, unit: "beats/min", ucum: "/min"))
        return reading
    }

    static func queueASample(at date: Date, participant: String, store: DeviceStore) throws {
        guard let type = HealthType.named("HKQuantityTypeIdentifierHeartRate"), let measure = type.measure else {
            return
        }
        let quantity = try HealthQuantity("72", unit: "count/min", as: measure)
        let moment = HealthInstant(date, offsetMinutes: DateTime.offsetMinutes(at: date))
        let sample = HealthSample(
            type: type, value: .quantity(quantity), start: moment, end: moment,
            source: HealthSource(product: .appleWatch))
        try store.queue(sample.observation(subject: participant))
    }

    #if canImport(HealthKit)
        static func queueASample(_ sample: HKSample, participant: String, store: DeviceStore) async throws {
            let reading = try await sample.observation(subject: participant, in: HKHealthStore())
            try store.queue(reading)
        }
    #endif

    static func showWhatBecameOfIt(_ connection: StudyConnection, store: DeviceStore) async throws -> [String] {
        var shown: [String] = []
        func show(_ kind: String, _ text: String) { shown.append("\(kind) \(text)") }
        for try await delivery in connection.deliveries(of: store) {
            switch delivery.state {
            case .stored: show(delivery.entry.kind, "is with the study")
            case .waiting: show(delivery.entry.kind, "is on its way")
            case .held(let code): show(delivery.entry.kind, "waits: \(code ?? "the study decides later")")
            case .refused(let code): show(delivery.entry.kind, "was refused: \(code)")
            }
        }
        return shown
    }
}
