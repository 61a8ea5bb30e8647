import FHIR

extension HealthType {
    /// The codes that FHIR's vital signs profiles demand are among the codings (<https://hl7.org/fhir/R4/observation-vitalsigns.html>).
    static let rows: [HealthType] =
        vitalSigns + [bloodPressure] + bodyMeasurements + laboratory + activity + [sleep, workout]

    private static let perMinute = [
        SourceUnit("count/min"), .times("count/s", "60"), .times("count/hr", "1", over: "60"),
    ]

    private static let lengths = [
        SourceUnit("m"), SourceUnit("km", .power(3)), SourceUnit("cm", .power(-2)), SourceUnit("mm", .power(-3)),
        .times("mi", "1609.344"), .times("ft", "0.3048"), .times("yd", "0.9144"), .times("in", "0.0254"),
    ]

    private static let energies = [
        SourceUnit("kcal"), SourceUnit("Cal"), SourceUnit("cal", .power(-3)), .times("kJ", "1", over: "4.184"),
        .times("J", "1", over: "4184"),
    ]

    private static let pressures = [
        SourceUnit("mmHg"), .times("Pa", "1", over: "133.322387415"), .times("kPa", "1000", over: "133.322387415"),
        .times("cmAq", "98.0665", over: "133.322387415"), .times("inHg", "25.4"),
    ]

    private static let vitalSigns = [
        quantity(
            "HeartRate", "Heart Rate", "Vital Signs", .vitalSigns, loinc: [("8867-4", "Heart rate")],
            unit: HealthUnit("/min", "beats/minute"), from: perMinute, plausible: 20...300),
        quantity(
            "RestingHeartRate", "Resting Heart Rate", "Vital Signs", .vitalSigns,
            loinc: [("40443-4", "Heart rate --resting")], unit: HealthUnit("/min", "beats/minute"), from: perMinute,
            plausible: 20...200),
        quantity(
            "OxygenSaturation", "Oxygen Saturation", "Vital Signs", .vitalSigns,
            loinc: [
                ("2708-6", "Oxygen saturation in Arterial blood"),
                ("59408-5", "Oxygen saturation in Arterial blood by Pulse oximetry"),
            ], unit: HealthUnit("%", "%"), from: [SourceUnit("%", .fraction)], plausible: 50...100),
        quantity(
            "RespiratoryRate", "Respiratory Rate", "Vital Signs", .vitalSigns, loinc: [("9279-1", "Respiratory rate")],
            unit: HealthUnit("/min", "breaths/minute"), from: perMinute, plausible: 3...80),
        quantity(
            "BodyTemperature", "Body Temperature", "Vital Signs", .vitalSigns, loinc: [("8310-5", "Body temperature")],
            unit: HealthUnit("Cel", "°C"),
            from: [
                SourceUnit("degC"), .times("degF", "5", over: "9", add: "-32"), .times("K", "1", add: "-273.15"),
            ], plausible: 25...45),
    ]

    private static let bloodPressure = HealthType(
        "HKCorrelationTypeIdentifierBloodPressure", .correlation, title: "Blood Pressure", folder: "Vital Signs",
        category: .vitalSigns, valueKind: .components,
        codings: codings(
            [("85354-9", "Blood pressure panel with all children optional")],
            "HKCorrelationTypeIdentifierBloodPressure", "Blood Pressure"),
        components: [
            HealthComponent(
                identifier: "HKQuantityTypeIdentifierBloodPressureSystolic",
                measure: measure(
                    "BloodPressureSystolic", "Systolic Blood Pressure", [("8480-6", "Systolic blood pressure")],
                    HealthUnit("mm[Hg]", "mmHg"), pressures, 40...300)),
            HealthComponent(
                identifier: "HKQuantityTypeIdentifierBloodPressureDiastolic",
                measure: measure(
                    "BloodPressureDiastolic", "Diastolic Blood Pressure", [("8462-4", "Diastolic blood pressure")],
                    HealthUnit("mm[Hg]", "mmHg"), pressures, 20...200)),
        ])

    private static let bodyMeasurements = [
        quantity(
            "BodyMass", "Body Mass", "Body Measurements", .vitalSigns, loinc: [("29463-7", "Body weight")],
            unit: HealthUnit("kg", "kg"),
            from: [
                SourceUnit("kg"), SourceUnit("g", .power(-3)), .times("lb", "0.45359237"), .times("st", "6.35029318"),
                .times("oz", "0.028349523125"),
            ], plausible: 0.3...650),
        quantity(
            "Height", "Height", "Body Measurements", .vitalSigns, loinc: [("8302-2", "Body height")],
            unit: HealthUnit("cm", "cm"),
            from: [
                SourceUnit("cm"), SourceUnit("m", .power(2)), SourceUnit("mm", .power(-1)), .times("in", "2.54"),
                .times("ft", "30.48"), .times("yd", "91.44"),
            ], plausible: 20...280),
    ]

    /// HealthKit gives glucose's molar mass inside the unit: 180.1558800000541 g/mol, so 1 mmol/L is a tenth of it in mg/dL.
    private static let laboratory = [
        quantity(
            "BloodGlucose", "Blood Glucose", "Laboratory", .laboratory,
            loinc: [("41653-7", "Glucose [Mass/volume] in Capillary blood by Glucometer")],
            unit: HealthUnit("mg/dL", "mg/dL"),
            from: [
                SourceUnit("mg/dL"), SourceUnit("g/L", .power(2)), SourceUnit("mg/L", .power(-1)),
                .times("mmol<180.1558800000541>/L", "18.01558800000541"),
                .times("mmol<180.15588000005408>/L", "18.015588000005408"), .times("mmol/L", "18.01558800000541"),
            ], plausible: 10...1000)
    ]

    private static let activity = [
        quantity(
            "StepCount", "Step Count", "Activity", .activity, .cumulative,
            loinc: [("55423-8", "Number of steps in unspecified time Pedometer")], unit: HealthUnit("{steps}", "steps"),
            from: [SourceUnit("count")], plausible: 0...100_000),
        distance("DistanceWalkingRunning", "Walking and Running Distance"),
        distance("DistanceCycling", "Cycling Distance"),
        distance("DistanceSwimming", "Swimming Distance", [("93816-7", "Swimming distance unspecified time")]),
        distance("DistanceWheelchair", "Wheelchair Distance"),
        quantity(
            "ActiveEnergyBurned", "Active Energy Burned", "Activity", .activity, .cumulative,
            loinc: [("41981-2", "Calories burned")], unit: HealthUnit("kcal", "kcal"), from: energies,
            plausible: 0...20_000),
    ]

    private static let sleep = HealthType(
        "HKCategoryTypeIdentifierSleepAnalysis", .category, title: "Sleep Analysis", folder: "Sleep",
        category: .activity, valueKind: .concept,
        codings: codings([], "HKCategoryTypeIdentifierSleepAnalysis", "Sleep Analysis"),
        options: [
            HealthOption("HKCategoryValueSleepAnalysisInBed", "In bed", aliases: ["0"]),
            // Until iOS 16 there was one kind of being asleep; HealthKit reads it as "unspecified" since.
            HealthOption(
                "HKCategoryValueSleepAnalysisAsleepUnspecified", "Asleep, stage unspecified",
                aliases: ["HKCategoryValueSleepAnalysisAsleep", "1"]),
            HealthOption("HKCategoryValueSleepAnalysisAwake", "Awake", aliases: ["2"]),
            HealthOption("HKCategoryValueSleepAnalysisAsleepCore", "Asleep, core", aliases: ["3"]),
            HealthOption("HKCategoryValueSleepAnalysisAsleepDeep", "Asleep, deep", aliases: ["4"]),
            HealthOption("HKCategoryValueSleepAnalysisAsleepREM", "Asleep, REM", aliases: ["5"]),
        ])

    // MARK: - Rows in short

    static func codings(_ loinc: [(String, String)], _ identifier: String, _ title: String) -> [Coding] {
        loinc.map { Coding(system: CodeSystem.loinc, code: $0.0, display: $0.1) }
            + [Coding(system: CodeSystem.healthKit, code: identifier, display: title)]
    }

    static func measure(
        _ name: String, _ title: String, _ loinc: [(String, String)], _ unit: HealthUnit, _ from: [SourceUnit],
        _ plausible: ClosedRange<Double>?
    ) -> HealthMeasure {
        HealthMeasure(
            title: title, codings: codings(loinc, "HKQuantityTypeIdentifier" + name, title), unit: unit,
            sourceUnits: from, plausible: plausible)
    }

    private static func quantity(
        _ name: String, _ title: String, _ folder: String, _ category: Category,
        _ aggregation: Aggregation = .discrete, loinc: [(String, String)], unit: HealthUnit, from: [SourceUnit],
        plausible: ClosedRange<Double>?
    ) -> HealthType {
        let measure = measure(name, title, loinc, unit, from, plausible)
        return HealthType(
            "HKQuantityTypeIdentifier" + name, .quantity, title: title, folder: folder, category: category, aggregation,
            valueKind: .quantity, codings: measure.codings, measure: measure)
    }

    private static func distance(_ name: String, _ title: String, _ loinc: [(String, String)] = []) -> HealthType {
        quantity(
            name, title, "Activity", .activity, .cumulative, loinc: loinc, unit: HealthUnit("m", "m"), from: lengths,
            plausible: 0...1_000_000)
    }

    static func distanceMeasure(_ name: String, _ title: String, _ loinc: [(String, String)] = []) -> HealthMeasure {
        measure(name, title, loinc, HealthUnit("m", "m"), lengths, 0...1_000_000)
    }

    static var energyUnits: [SourceUnit] { energies }
    static var rateUnits: [SourceUnit] { perMinute }
}
