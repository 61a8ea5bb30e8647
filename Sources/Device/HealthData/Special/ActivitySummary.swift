import FHIR
import Foundation

/// The rings of one day: HealthKit's HKActivitySummary. Apple computes the sums over all devices of the person.
public struct ActivitySummary: SpecialRecord {
    /// The achieved value and the goal.
    public struct Ring: Sendable, Hashable {
        public var value: SpecialQuantity?
        public var goal: SpecialQuantity?

        public init(value: SpecialQuantity? = nil, goal: SpecialQuantity? = nil) {
            self.value = value
            self.goal = goal
        }

        var isEmpty: Bool { value == nil && goal == nil }
    }

    /// The day of the person's calendar: `2016-11-15`.
    public let day: String
    /// Active energy, in kilocalories.
    public var energy: Ring
    /// Time moved, in minutes: the move ring of people who do not count energy.
    public var moveTime: Ring
    /// Time exercised, in minutes.
    public var exerciseTime: Ring
    /// Number of hours in which the person was on their feet for at least one minute.
    public var standHours: Ring
    public var origin: SpecialOrigin

    /// - Returns: nil if there is no value for the day.
    public init?(
        day: String, energy: Ring = Ring(), moveTime: Ring = Ring(), exerciseTime: Ring = Ring(),
        standHours: Ring = Ring(), origin: SpecialOrigin = SpecialOrigin()
    ) {
        guard ![energy, moveTime, exerciseTime, standHours].allSatisfy(\.isEmpty) else { return nil }
        self.day = day
        self.energy = energy
        self.moveTime = moveTime
        self.exerciseTime = exerciseTime
        self.standHours = standHours
        self.origin = origin
    }

    public var kind: SpecialKind { .activitySummary }
    public var time: SpecialTime { .day(day) }

    public var fingerprint: SampleFingerprint {
        var content = RecordContent(self)
        for ring in [energy, moveTime, exerciseTime, standHours] {
            content.add(ring.value)
            content.add(ring.goal)
        }
        return content.fingerprint
    }

    /// The fingerprint of the day alone: an export in the evening contains less of the day than the next export.
    public var resourceFingerprint: SampleFingerprint { RecordContent(self).fingerprint }

    /// The repairs that were made to read the values.
    public var repairs: Repairs {
        [energy, moveTime, exerciseTime, standHours].flatMap { [$0.value, $0.goal] }.reduce(into: Repairs()) {
            $0.formUnion($1?.repairs ?? [])
        }
    }

    /// Returns the observation, with one component for each value.
    public func observation(subject: String?, device: JSON? = nil, extensions: [JSON] = []) -> Observation {
        var parts = ObservationParts()
        func add(_ name: String, title: String, ring: Ring, further: [Coding] = []) {
            parts.add(ComponentCode.healthKit("HKActivitySummary." + name, title, further: further), ring.value)
            parts.add(ComponentCode.healthKit("HKActivitySummary.\(name)Goal", title + " Goal"), ring.goal)
        }
        // HealthKit's code is first: the sum of the day must not be added to the samples that it sums up.
        add(
            "activeEnergyBurned", title: "Active Energy Burned of the Day", ring: energy,
            further: [Coding(system: HealthCodeSystem.loinc, code: "41981-2", display: "Calories burned")])
        add("appleMoveTime", title: "Move Time of the Day", ring: moveTime)
        add("appleExerciseTime", title: "Exercise Time of the Day", ring: exerciseTime)
        add("appleStandHours", title: "Stand Hours of the Day", ring: standHours)
        return observation(subject: subject, device: device, extensions: extensions, parts)
    }

    public func resource(subject: String?, device: JSON?, extensions: [JSON]) -> JSON {
        observation(subject: subject, device: device, extensions: extensions).json
    }
}
