import FHIR
import Foundation
import RecordStorage

/// Converts resources to facts. A pure function: it does not depend on the database.
enum FactMapping {
    /// Returns the facts of a resource; nil for a type without facts.
    ///
    /// - Parameters:
    ///   - survey: the concepts of the form of a response; without them, codes are made from the response's linkIds.
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

    /// Returns the time of a resource's facts: its own time, or the time of issue, or its encounter's period, or the
    /// time of receipt. Never the time of loading.
    static func time(of resource: Resource, receivedAt: Date) -> FactTime {
        if resource.resourceType == Observation.resourceType, let effective = Observation(resource.object).effective {
            let time =
                switch effective {
                case .dateTime(let value), .instant(let value): point(value, .effective)
                case .period(let period): span(period.start, last: period.end, source: .effective)
                default: point(DateTime(json: effective.json), .effective)
                }
            if let time { return time }
        }
        if let time = point(resource.object[value: "authored"], .authored) { return time }
        if let time = point(resource.object[value: "issued"], .issued) { return time }
        let encounter: Reference? = resource.object[element: "encounter"]
        if let encounter = resource.containedResource(encounter?.reference)?.as(Encounter.self),
            let time = span(encounter.period?.start, last: encounter.period?.end, source: .encounter)
        {
            return time
        }
        return FactTime(start: receivedAt, end: nil, source: .received, text: nil)
    }

    /// Returns the time of the facts of an Observation with this effective time.
    static func time(_ time: ObservationValues.Time) -> FactTime? {
        switch time {
        case .moment(let moment): point(moment, .effective)
        case .period(let start, let end): span(start, last: end, source: .effective)
        }
    }

    private static func point(_ value: DateTime?, _ source: FactTime.Source) -> FactTime? {
        guard let value else { return nil }
        return FactTime(start: value.start(), end: nil, source: source, text: value.text, precision: value.precision)
    }

    private static func span(_ first: DateTime?, last: DateTime?, source: FactTime.Source) -> FactTime? {
        guard let start = first ?? last else { return nil }
        return FactTime(
            start: start.start(), end: last?.start(), source: source, text: start.text,
            precision: start.precision, endPrecision: last?.precision ?? start.precision)
    }
}
