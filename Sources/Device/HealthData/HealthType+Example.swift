import FHIR

extension HealthType {
    /// Returns a resource as the conversion creates it from a sample of the type, for documentation and tests. The
    /// values are invented.
    ///
    /// - Parameter subject: the id of the Patient.
    public func example(subject: String = "example") -> JSON? {
        switch kind {
        case .quantity, .category, .correlation, .workout: exampleSample?.observation(subject: subject).json
        default: SpecialExamples.example(of: self)?.resource(subject: subject, device: nil, extensions: [])
        }
    }

    /// The sample of ``example(subject:)``; nil for kinds with a structure of their own. For a pressure it is the blood
    /// pressure that its samples are converted to, at another time.
    var exampleSample: HealthSample? {
        if let correlation, var sample = HealthTypeTable.standard.type(correlation)?.exampleSample {
            let index = sample.type.components.firstIndex { $0.identifier == identifier } ?? 0
            sample.change {
                $0.start = SpecialExamples.later(Int64(index + 1) * 600)
                $0.end = $0.start
            }
            return sample
        }
        guard let value = exampleValue else { return nil }
        let isSpan = aggregation == .cumulative || valueKind == .event || kind == .workout || folder == "Sleep"
        let start = SpecialExamples.start
        return HealthSample(
            type: self, value: value, start: start, end: isSpan ? SpecialExamples.later(1800) : start,
            created: SpecialExamples.later(1860), source: HealthSource(product: .appleWatch, version: "10.2"))
    }

    private var exampleValue: HealthValue? {
        switch kind {
        case .quantity: measure.flatMap { exampleQuantity($0) }.map(HealthValue.quantity)
        case .category: options.isEmpty ? .event : exampleOption.map(HealthValue.option)
        case .correlation: exampleCorrelation
        case .workout: exampleWorkout
        default: nil
        }
    }

    /// Returns the example value of the type, or the middle of the plausible range.
    private func exampleQuantity(_ measure: HealthMeasure) -> HealthQuantity? {
        let middle = measure.plausible.map { range in
            ((range.lowerBound + range.upperBound) / 2 / Double(measure.scale)).rounded()
        }
        let text = exampleText ?? ExactDecimal.text(middle ?? 1)
        return try? HealthQuantity(text, unit: measure.healthKitUnit.text, as: measure)
    }

    /// An option from the middle of the list: neither the first one nor "unspecified".
    private var exampleOption: HealthOption? {
        options.indices.contains(options.count / 2) ? options[options.count / 2] : nil
    }

    private var exampleCorrelation: HealthValue? {
        let types = components.compactMap { HealthTypeTable.standard.type($0.identifier) }
        let quantities = zip(components, types).compactMap { component, type in
            type.exampleQuantity(component.measure).map { (component, $0) }
        }
        if identifier == HealthType.bloodPressureIdentifier {
            return quantities.count == 2
                ? .bloodPressure(systolic: quantities[0].1, diastolic: quantities[1].1) : nil
        }
        let samples = types.compactMap(\.exampleSample)
        guard samples.count == quantities.count else { return nil }
        return .components(
            zip(quantities, samples).map { member, sample in
                HealthMember(measure: member.0.measure, quantity: member.1, fingerprint: sample.fingerprint)
            })
    }

    private var exampleWorkout: HealthValue? {
        guard let running = option(named: "HKWorkoutActivityTypeRunning") else { return nil }
        var workout = HealthWorkout(activity: running)
        for (name, text) in [
            (WorkoutComponent.duration, "30"), (WorkoutComponent.energy, "312.5"),
            ("HKQuantityTypeIdentifierDistanceWalkingRunning", "5120.4"),
            (WorkoutComponent.heartRate("average"), "142.6"),
            (WorkoutComponent.heartRate("minimum"), "96"), (WorkoutComponent.heartRate("maximum"), "171"),
        ] {
            guard let measure = components.first(where: { $0.identifier == name })?.measure,
                let quantity = try? HealthQuantity(text, unit: measure.healthKitUnit.text, as: measure)
            else { return nil }
            workout.add(name, quantity)
        }
        for (name, begin, seconds) in [("Pause", 600, 0), ("Resume", 660, 0), ("Segment", 0, 312)] as [(_, Int64, _)] {
            guard let kind = HealthWorkoutPart.event(named: "HKWorkoutEventType" + name) else { return nil }
            let start = SpecialExamples.later(begin)
            guard workout.add(HealthWorkoutPart(kind, start: start, milliseconds: Int64(seconds) * 1000)) else {
                return nil
            }
        }
        return .workout(workout)
    }
}
