#if canImport(HealthKit)
    import Foundation
    import HealthData
    import HealthKit

    extension SampleReader {
        /// Adds the statistics, the events and the activities of a workout.
        func add(_ workout: HKWorkout, _ units: SeenUnits, to raw: inout HealthKitSample) {
            raw.type = HealthType.workout.identifier
            raw.value = String(workout.workoutActivityType.rawValue)
            raw.members = [
                HealthKitSample(
                    type: WorkoutComponent.duration, value: ExactDecimal.text(workout.duration / 60), unit: "min",
                    start: raw.start, end: raw.end, source: raw.source)
            ]
            raw.members += members(workout.allStatistics, units, of: raw)
            // One more than the limit shows that there were more.
            let limit = HealthWorkout.partLimit + 1
            raw.parts = (workout.workoutEvents ?? []).prefix(limit).map { event in
                var part = HealthKitSample.WorkoutPart(
                    event: String(event.type.rawValue), start: instant(event.dateInterval.start),
                    end: instant(event.dateInterval.end), duration: event.dateInterval.duration)
                part.metadata = MetadataText.texts(of: event.metadata)
                return part
            }
            // Their events are among those of the workout.
            raw.parts += workout.workoutActivities.prefix(limit).map { activity in
                var part = HealthKitSample.WorkoutPart(
                    event: nil, start: instant(activity.startDate), end: instant(activity.endDate ?? workout.endDate),
                    duration: activity.duration)
                part.metadata = MetadataText.texts(of: activity.metadata)
                part.members = members(activity.allStatistics, units, of: raw)
                return part
            }
        }

        /// Returns statistics as in exports: the sum, or for the heart rate the average, the minimum and the maximum.
        private func members(
            _ all: [HKQuantityType: HKStatistics], _ units: SeenUnits, of raw: HealthKitSample
        ) -> [HealthKitSample] {
            var members: [HealthKitSample] = []
            func add(_ identifier: String, _ quantity: HKQuantity?, of type: HKQuantityType) {
                guard let quantity, let (value, unit) = try? units.text(of: quantity, as: type) else { return }
                members.append(
                    HealthKitSample(
                        type: identifier, value: value, unit: unit, start: raw.start, end: raw.end, source: raw.source))
            }
            for (type, statistics) in all.sorted(by: { $0.key.identifier < $1.key.identifier }) {
                if type.identifier == WorkoutComponent.heartRate {
                    add(WorkoutComponent.heartRate("average"), statistics.averageQuantity(), of: type)
                    add(WorkoutComponent.heartRate("minimum"), statistics.minimumQuantity(), of: type)
                    add(WorkoutComponent.heartRate("maximum"), statistics.maximumQuantity(), of: type)
                } else {
                    add(type.identifier, statistics.sumQuantity(), of: type)
                }
            }
            return members
        }
    }
#endif
