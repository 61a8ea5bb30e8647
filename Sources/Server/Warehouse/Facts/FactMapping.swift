import FHIR
import Foundation
import Records

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
        if resource.resourceType == Observation.resourceType, let effective = Observation(resource.object).effective {
            let time =
                switch effective {
                case .dateTime(let value), .instant(let value): point(value, .effective)
                case .period(let period): span(period.start, period.end, .effective)
                default: point(DateTime(json: effective.json), .effective)
                }
            if let time { return time }
        }
        if let time = point(resource.object[value: "authored"], .authored) { return time }
        if let time = point(resource.object[value: "issued"], .issued) { return time }
        let encounter: Reference? = resource.object[element: "encounter"]
        if let encounter = resource.containedResource(encounter?.reference)?.as(Encounter.self),
            let time = span(encounter.period?.start, encounter.period?.end, .encounter)
        {
            return time
        }
        return FactTime(start: receivedAt, end: nil, source: .received, text: nil)
    }

    /// When the facts of an Observation hold that was measured then.
    static func time(_ time: ObservationValues.Time) -> FactTime? {
        switch time {
        case .moment(let moment): point(moment, .effective)
        case .period(let start, let end): span(start, end, .effective)
        }
    }

    private static func point(_ value: DateTime?, _ source: FactTime.Source) -> FactTime? {
        guard let value else { return nil }
        return FactTime(start: value.start(), end: nil, source: source, text: value.text, precision: value.precision)
    }

    private static func span(_ first: DateTime?, _ last: DateTime?, _ source: FactTime.Source) -> FactTime? {
        guard let start = first ?? last else { return nil }
        return FactTime(
            start: start.start(), end: last?.start(), source: source, text: start.text,
            precision: start.precision, endPrecision: last?.precision ?? start.precision)
    }
}
