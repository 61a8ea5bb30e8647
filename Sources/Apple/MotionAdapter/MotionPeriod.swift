import Core
import Crypto
import FHIR
import Foundation

/// The minutes of each activity in a period, usually a day.
public struct MotionPeriod: Sendable, Hashable {
    /// The system of the codes: C3-PRO's names of its questions about activity. The server has their concepts among the
    /// health data, as for the responses that C3-PRO's apps send.
    public static let codeSystem = "urn:tributary:c3-pro-activity"

    /// The start.
    public let start: Date
    /// The end.
    public let end: Date
    /// Seconds of each activity within the period. An activity that did not occur is absent.
    public let seconds: [MotionInterpretation: Double]

    /// Sums up intervals; the part of an interval that is outside of the period does not count. A period outside of the
    /// years 1 to 9999 has no activity.
    public init(_ intervals: [MotionInterval], from start: Date, to end: Date) {
        var seconds: [MotionInterpretation: Double] = [:]
        let isDate = [start, end].allSatisfy { Self.years.contains($0.timeIntervalSince1970) }
        for interval in intervals where isDate {
            let inside = min(interval.end, end).timeIntervalSince(max(interval.start, start))
            if inside > 0 { seconds[interval.interpretation, default: 0] += inside }
        }
        (self.start, self.end, self.seconds) = (start, end, seconds)
    }

    /// The years of FHIR's dates, in seconds since 1970.
    private static let years = -62_135_596_800.0...253_402_300_799

    /// Whole minutes of an activity, rounded down as C3-PRO does.
    public func minutes(_ interpretation: MotionInterpretation) -> Int {
        Int((seconds[interpretation] ?? 0) / 60)
    }

    /// Returns an Observation for each activity with a minute or more, in the order of ``MotionInterpretation``.
    ///
    /// The ids depend on participant, period and activity: what is sent again replaces what was sent.
    ///
    /// - Parameters:
    ///   - participant: the id of the participant's Patient.
    ///   - zone: the person's time zone, whose offset the times have.
    public func observations(subject participant: String, in zone: TimeZone) -> [Observation] {
        MotionInterpretation.allCases.filter { minutes($0) > 0 }.map { observation(of: $0, participant, zone) }
    }

    private func observation(
        of interpretation: MotionInterpretation, _ participant: String, _ zone: TimeZone
    ) -> Observation {
        let code = "motion-coprocessor.\(interpretation.rawValue)"
        let name = interpretation.rawValue.prefix(1).uppercased() + interpretation.rawValue.dropFirst()
        let coding = Coding(system: Self.codeSystem, code: code, display: name)
        let times = "\(Int64(start.timeIntervalSince1970))-\(Int64(end.timeIntervalSince1970))"
        let digest = SHA256.hash(data: Data("\(participant)\n\(times)\n\(code)".utf8))
        var observation = Observation(
            id: UUID(digest, version: .custom).uuidString.lowercased(), status: .final,
            code: CodeableConcept(coding: [coding], text: name))
        observation.category = [
            CodeableConcept(
                coding: [
                    Coding(
                        system: "http://terminology.hl7.org/CodeSystem/observation-category", code: "activity",
                        display: "Activity")
                ])
        ]
        observation.subject = Reference("Patient/\(participant)")
        var period = Period()
        period.start = DateTime(start, in: zone)
        period.end = DateTime(end, in: zone)
        observation.effective = .period(period)
        observation.value = .quantity(
            Quantity(value: JSONNumber(minutes(interpretation)), unit: "minute", ucum: "min"))
        return observation
    }
}
