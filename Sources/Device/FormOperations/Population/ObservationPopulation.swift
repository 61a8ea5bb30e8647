import FHIR
import FHIRPath
import Foundation
import Questionnaires
import UCUM

/// Answers questions by a person's latest Observations
/// (<https://hl7.org/fhir/uv/sdc/populate.html#observation-based-population>).
///
/// A question takes part if it has a code and if it, an item above it or the form has `observationLinkPeriod`. It takes
/// the value of the latest Observation, or component, with one of its codes that is not older than the period and
/// whose value fits. Questions that repeat, or that are in a group that repeats, are not answered.
///
/// ```swift
/// let population = ObservationPopulation(observations, subject: "Patient/7", authored: .now())
/// for (path, value) in population.answers(of: form).answers { session.setAnswers([value], at: path) }
/// ```
public struct ObservationPopulation: Sendable {
    /// A value with its code and time.
    private struct Measurement {
        let value: FHIRPathValue
        let start: Date
        let end: Date
        let issued: Date
    }

    private let byCode: [String: [Measurement]]
    private let authored: DateTime
    /// Maximum number of values.
    private static let limit = 1_000_000

    /// - Parameters:
    ///   - observations: the Observations. Only those with the status final, amended or corrected are used.
    ///   - subject: a reference to the person, such as `Patient/7`. Observations of other people are ignored.
    ///   - authored: the time from which the period is counted back. Later Observations are ignored.
    public init(_ observations: [Observation], subject: String, authored: DateTime) {
        self.authored = authored
        var byCode: [String: [Measurement]] = [:]
        var count = 0
        let person = LiteralReference(subject)
        for observation in observations {
            guard [.final, .amended, .corrected].contains(observation.status),
                Self.isSame(observation.subject?.reference, as: subject, of: person),
                let (start, end) = Self.time(of: observation.object)
            else { continue }
            let issued = observation.issued?.start() ?? start
            let parts = [observation.object] + (observation.object["component"]?.array ?? []).compactMap(\.object)
            for part in parts {
                guard let found = part.choice("value"),
                    let value = FHIRPathValue(OpenChoice(type: found.type, json: found.value))
                else { continue }
                let measurement = Measurement(value: value, start: start, end: end, issued: issued)
                for code in part["code"]?["coding"]?.array ?? [] where count < Self.limit {
                    guard let key = Self.key(code) else { continue }
                    count += 1
                    byCode[key, default: []].append(measurement)
                }
            }
        }
        self.byCode = byCode
    }

    /// Returns the answers for a form, in the form's order, and the problems: `population-unit` for a value whose unit
    /// is not comparable with the question's, `link-period` for a period that is not a time.
    public func answers(
        of form: QuestionnaireForm
    ) -> (answers: [(path: ItemPath, value: AnswerValue)], problems: [OperationProblem]) {
        var log = ProblemLog()
        var output: [(path: ItemPath, value: AnswerValue)] = []
        let root = start(form.questionnaire.extension, above: nil, at: "Questionnaire", linkID: nil, log: &log)
        collect(form.questionnaire.item, as: form.items, since: root, path: [], into: &output, log: &log)
        return (output, log.problems)
    }

    private func collect(
        _ sources: [Questionnaire.Item], as items: [FormItem], since: Date?, path: [ItemPath.Step],
        into output: inout [(path: ItemPath, value: AnswerValue)], log: inout ProblemLog
    ) {
        for (source, item) in zip(sources, items) where !item.repeats {
            let location = "Questionnaire.descendants().where(linkId = '\(item.linkID)')"
            let since = start(source.extension, above: since, at: location, linkID: item.linkID, log: &log)
            let path = path + [ItemPath.Step(linkID: item.linkID)]
            if let since, item.isQuestion, !source.code.isEmpty,
                let value = latest(source, for: item, since: since, at: location, log: &log)
            {
                output.append((ItemPath(path), value))
            }
            collect(source.item, as: item.children, since: since, path: path, into: &output, log: &log)
        }
    }

    // MARK: Values

    /// Returns the latest value that fits a question.
    private func latest(
        _ source: Questionnaire.Item, for item: FormItem, since: Date, at location: String, log: inout ProblemLog
    ) -> AnswerValue? {
        let keys = Set(source.code.compactMap { Self.key($0.json) })
        let until = authored.end()
        let found = keys.flatMap { byCode[$0] ?? [] }
            .filter { $0.end > since && $0.start < until }
            .sorted { ($0.start, $0.issued) > ($1.start, $1.issued) }
        for measurement in found {
            do throws(AnswerFault) {
                let answer = try AnswerConversion(item: item, options: item.options).answer(measurement.value)
                let bounds = AnswerCheck.Bounds(of: item, at: authored)
                let findings = AnswerCheck.findings(of: [answer], for: item, within: bounds)
                if !findings.contains(where: { $0.finding.code == "option" }) { return answer }
            } catch {
                guard error == .unit else { continue }
                log.report(
                    "population-unit", severity: .warning, at: location, linkID: item.linkID,
                    "The unit of an Observation is not comparable with the unit of the question.")
            }
        }
        return nil
    }

    private static func key(_ code: JSON) -> String? {
        code["code"]?.string.map { "\(code["system"]?.string ?? "")|\($0)" }
    }

    private static func isSame(_ reference: String?, as subject: String, of person: LiteralReference?) -> Bool {
        guard let reference else { return false }
        if reference == subject { return true }
        guard let person, let other = LiteralReference(reference) else { return false }
        return person.type == other.type && person.id == other.id
            && (person.base == other.base || person.base == nil || other.base == nil)
    }

    // MARK: Times

    /// Returns the start and the end of the time to which an Observation applies.
    private static func time(of observation: JSONObject) -> (Date, Date)? {
        func moment(_ json: JSON?) -> DateTime? { json?.string.flatMap { DateTime($0) } }
        if let found = moment(observation["effectiveDateTime"]) ?? moment(observation["effectiveInstant"]) {
            return (found.start(), found.end())
        }
        if let period = observation["effectivePeriod"] {
            let (start, end) = (moment(period["start"]), moment(period["end"]))
            guard let last = end ?? start else { return nil }
            return (last.start(), last.end())
        }
        if let events = observation["effectiveTiming"]?["event"]?.array {
            return events.compactMap { moment($0) }.map { ($0.start(), $0.end()) }.max { $0.0 < $1.0 }
        }
        return moment(observation["issued"]).map { ($0.start(), $0.end()) }
    }

    /// Returns the start of the period of an item.
    private func start(
        _ extensions: [Extension], above: Date?, at location: String, linkID: String?, log: inout ProblemLog
    ) -> Date? {
        guard let period = extensions.first(where: { $0.url == OperationExtension.observationLinkPeriod })?.value else {
            return above
        }
        if let start = LinkPeriod.start(period.json, before: authored) { return start }
        log.report(
            "link-period", at: location, linkID: linkID,
            "observationLinkPeriod is not a positive duration with a unit of time.")
        return nil
    }
}

/// The period of `observationLinkPeriod`.
enum LinkPeriod {
    /// Returns the start of a period that ends at a time; nil if it is not a positive time. Years and months are those
    /// of the calendar.
    static func start(_ duration: JSON, before moment: DateTime) -> Date? {
        guard let value = duration["value"]?.number?.double, value > 0, value < 1e9,
            [nil, "http://unitsofmeasure.org"].contains(duration["system"]?.string),
            let unit = duration["code"]?.string ?? duration["unit"]?.string
        else { return nil }
        let end = moment.start()
        if let months = months[unit], value == value.rounded(), value < 12_000 {
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = TimeZone(secondsFromGMT: (moment.offsetMinutes ?? 0) * 60) ?? calendar.timeZone
            return calendar.date(byAdding: .month, value: -months * Int(value), to: end)
        }
        let code = names[unit] ?? unit
        guard let from = try? UCUMUnit(code), let second = try? UCUMUnit("s"),
            let seconds = try? from.convert(Decimal(value), to: second)
        else { return nil }
        return end.addingTimeInterval(-NSDecimalNumber(decimal: seconds).doubleValue)
    }

    private static let months = ["a": 12, "year": 12, "years": 12, "mo": 1, "month": 1, "months": 1]
    private static let names = [
        "day": "d", "days": "d", "week": "wk", "weeks": "wk", "hour": "h", "hours": "h", "minute": "min",
        "minutes": "min", "second": "s", "seconds": "s", "year": "a", "years": "a", "month": "mo", "months": "mo",
    ]
}
