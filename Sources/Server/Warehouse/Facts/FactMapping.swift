import FHIR
import Foundation

/// Turns resources into facts. Pure: what the database knows plays no part.
enum FactMapping {
    /// The facts of a resource; nil for a type that has none.
    ///
    /// - Parameters:
    ///   - survey: the concepts of the form that a response answers; without it the response's own linkIds serve.
    ///   - health: the study's types.
    static func facts(
        of resource: Resource, survey: SurveyConcepts?, health: HealthConceptTable = .standard, receivedAt: Date
    ) -> FactSet? {
        switch resource.resourceType {
        case QuestionnaireResponse.resourceType:
            let response = QuestionnaireResponse(resource.object)
            return facts(of: response, survey: survey, receivedAt: receivedAt)
        case Observation.resourceType:
            return facts(of: Observation(resource.object), health: health, receivedAt: receivedAt)
        default: return nil
        }
    }

    /// When a resource's facts hold: what it says itself, else when it was issued, else its encounter's period, else
    /// when it came. Never when it is loaded.
    static func time(of resource: Resource, receivedAt: Date) -> FactTime {
        func point(_ value: DateTime?, _ source: FactTime.Source) -> FactTime? {
            guard let value else { return nil }
            return FactTime(
                start: value.start(), end: nil, source: source, text: value.text, precision: value.precision)
        }
        func span(_ period: Period?, _ source: FactTime.Source) -> FactTime? {
            guard let period, let start = period.start ?? period.end else { return nil }
            return FactTime(
                start: start.start(), end: period.end?.start(), source: source, text: start.text,
                precision: start.precision, endPrecision: period.end?.precision ?? start.precision)
        }
        if resource.resourceType == Observation.resourceType, let effective = Observation(resource.object).effective {
            let time =
                switch effective {
                case .dateTime(let value), .instant(let value): point(value, .effective)
                case .period(let period): span(period, .effective)
                default: point(DateTime(json: effective.json), .effective)
                }
            if let time { return time }
        }
        if let time = point(resource.object[value: "authored"], .authored) { return time }
        if let time = point(resource.object[value: "issued"], .issued) { return time }
        let encounter: Reference? = resource.object[element: "encounter"]
        if let encounter = resource.containedResource(encounter?.reference)?.as(Encounter.self),
            let time = span(encounter.period, .encounter)
        {
            return time
        }
        return FactTime(start: receivedAt, end: nil, source: .received, text: nil)
    }
}
