// swift-format-ignore-file

extension TableText {
    /// The messages of HealthKitOnFhir: `quantity type | member of the value | member of the unit | unit in the message
    /// | HealthKit unit of the value`.
    static let messageShapes: StaticString = """
        ActiveEnergyBurned | activeEnergyBurned | unit | kcal | kcal
        AppleExerciseTime | appleExerciseTime | unit | ms | ms
        AppleStandTime | appleStandTime | unit | ms | ms
        BloodGlucose | bloodGlucose | unit | mg/dL | mg/dL
        BloodPressureDiastolic | diastolic | diastolicUnit | mmHg | mmHg
        BloodPressureSystolic | systolic | systolicUnit | mmHg | mmHg
        BodyMass | bodyMass | unit | kg | kg
        BodyTemperature | bodyTemperature | unit | degC | degC
        DietaryEnergyConsumed | dietaryEnergyConsumed | unit | kcal | kcal
        EnvironmentalAudioExposure | environmentalAudioExposure | unit | dB(SPL) | dBASPL
        HeartRate | heartRate | unit | beats/min | count/min
        HeartRateVariabilitySDNN | heartRateVariability | unit | ms | ms
        Height | height | unit | cm | cm
        OxygenSaturation | oxygenSaturation | unit | % | %
        RespiratoryRate | respiratoryRate | unit | count/min | count/min
        RestingHeartRate | restingHeartRate | unit | beats/min | count/min
        StepCount | stepCount | unit | count | count
        WalkingHeartRateAverage | walkingHeartRateAverage | unit | beats/min | count/min
        """
}
