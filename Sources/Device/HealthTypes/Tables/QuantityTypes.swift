// swift-format-ignore-file

extension TableText {
    /// HealthKit's quantity types: `name | title | folder | category | aggregation | HealthKit unit | UCUM code |
    /// display text of the unit | plausible range in the UCUM unit | example in the HealthKit unit | codings`.
    ///
    /// Units and aggregation are HealthKit's (`HKTypeIdentifiers.h`), metric where HealthKit permits a choice. The
    /// identifier is the name after `HKQuantityTypeIdentifier`; its own coding is not listed. A `-` is an empty cell.
    static let quantityTypes: StaticString = """
        HeartRate | Heart Rate | Vital Signs | vital-signs | discrete | count/min | /min | beats/minute | 20..300 | 72 | loinc 8867-4 Heart rate
        RestingHeartRate | Resting Heart Rate | Vital Signs | vital-signs | discrete | count/min | /min | beats/minute | 20..200 | 58 | loinc 40443-4 Heart rate --resting
        OxygenSaturation | Oxygen Saturation | Vital Signs | vital-signs | discrete | % | % | % | 50..100 | 0.97 | loinc 2708-6 Oxygen saturation in Arterial blood; loinc 59408-5 Oxygen saturation in Arterial blood by Pulse oximetry
        RespiratoryRate | Respiratory Rate | Vital Signs | vital-signs | discrete | count/min | /min | breaths/minute | 3..80 | 14.5 | loinc 9279-1 Respiratory rate
        BodyTemperature | Body Temperature | Vital Signs | vital-signs | discrete | degC | Cel | °C | 25..45 | 36.8 | loinc 8310-5 Body temperature
        BloodPressureSystolic | Systolic Blood Pressure | Vital Signs | vital-signs | discrete | mmHg | mm[Hg] | mmHg | 40..300 | 121 | loinc 8480-6 Systolic blood pressure
        BloodPressureDiastolic | Diastolic Blood Pressure | Vital Signs | vital-signs | discrete | mmHg | mm[Hg] | mmHg | 20..200 | 78 | loinc 8462-4 Diastolic blood pressure
        BodyMass | Body Mass | Body Measurements | vital-signs | discrete | kg | kg | kg | 0.3..650 | 70.5 | loinc 29463-7 Body weight
        Height | Height | Body Measurements | vital-signs | discrete | cm | cm | cm | 20..280 | 172 | loinc 8302-2 Body height
        BodyMassIndex | Body Mass Index | Body Measurements | vital-signs | discrete | count | kg/m2 | kg/m² | 5..150 | 23.8 | loinc 39156-5 Body mass index (BMI) [Ratio]
        BodyFatPercentage | Body Fat Percentage | Body Measurements | exam | discrete | % | % | % | 1..80 | 0.215 | loinc 41982-0 Percentage of body fat Measured
        LeanBodyMass | Lean Body Mass | Body Measurements | exam | discrete | kg | kg | kg | 0.3..300 | 55.3 | loinc 91557-9 Lean body weight
        WaistCircumference | Waist Circumference | Body Measurements | exam | discrete | cm | cm | cm | 20..300 | 84 | loinc 8280-0 Waist Circumference at umbilicus by Tape measure; snomed 276361009 Waist circumference
        AppleSleepingWristTemperature | Sleeping Wrist Temperature | Body Measurements | exam | discrete | degC | Cel | °C | 15..45 | 35.72 | -
        ElectrodermalActivity | Electrodermal Activity | Body Measurements | exam | discrete | mcS | uS | µS | 0..100 | 4.2 | -
        BloodGlucose | Blood Glucose | Laboratory | laboratory | discrete | mg/dL | mg/dL | mg/dL | 10..1000 | 95 | loinc 41653-7 Glucose [Mass/volume] in Capillary blood by Glucometer
        BloodAlcoholContent | Blood Alcohol Content | Laboratory | laboratory | discrete | % | % | % | 0..0.6 | 0.0002 | loinc 74859-0 Ethanol [Mass/volume] in Blood Estimated from serum or plasma level
        HeartRateVariabilityRMSSD | Heart Rate Variability (RMSSD) | Heart | vital-signs | discrete | ms | ms | ms | 0..500 | 38.2 | -
        HeartRateVariabilitySDNN | Heart Rate Variability (SDNN) | Heart | vital-signs | discrete | ms | ms | ms | 0..500 | 43.7 | loinc 80404-7 R-R interval.standard deviation (Heart rate variability)
        WalkingHeartRateAverage | Walking Heart Rate Average | Heart | vital-signs | discrete | count/min | /min | beats/minute | 20..250 | 98 | -
        HeartRateRecoveryOneMinute | Heart Rate Recovery (One Minute) | Heart | vital-signs | discrete | count/min | /min | beats/minute | -50..150 | 28 | -
        PeripheralPerfusionIndex | Peripheral Perfusion Index | Heart | vital-signs | discrete | % | % | % | 0..30 | 0.042 | loinc 61006-3 Perfusion index Tissue by Pulse oximetry
        AtrialFibrillationBurden | Atrial Fibrillation Burden | Heart | exam | discrete | % | % | % | 0..100 | 0.02 | -
        VO2Max | VO2 Max | Heart | exam | discrete | mL/min·kg | mL/kg/min | mL/kg/min | 5..100 | 41.3 | -
        ForcedExpiratoryVolume1 | Forced Expiratory Volume (One Second) | Respiratory | procedure | discrete | L | L | L | 0.1..10 | 3.1 | loinc 20150-9 FEV1
        ForcedVitalCapacity | Forced Vital Capacity | Respiratory | procedure | discrete | L | L | L | 0.1..12 | 4.2 | loinc 19870-5 Forced vital capacity [Volume] Respiratory system
        PeakExpiratoryFlowRate | Peak Expiratory Flow Rate | Respiratory | procedure | discrete | L/min | L/min | L/min | 20..1200 | 480 | loinc 19935-6 Maximum expiratory gas flow Respiratory system airway by Peak flow meter
        InhalerUsage | Inhaler Usage | Respiratory | therapy | cumulative | count | {puffs} | puffs | 0..100 | 2 | -
        AppleSleepingBreathingDisturbances | Sleeping Breathing Disturbances | Respiratory | exam | discrete | count | {disturbances} | disturbances | 0..200 | 6.4 | -
        StepCount | Step Count | Activity | activity | cumulative | count | {steps} | steps | 0..100000 | 1250 | loinc 55423-8 Number of steps in unspecified time Pedometer
        DistanceWalkingRunning | Walking and Running Distance | Activity | activity | cumulative | m | m | m | 0..1000000 | 845.2 | -
        DistanceCycling | Cycling Distance | Activity | activity | cumulative | m | m | m | 0..1000000 | 5200 | -
        DistanceSwimming | Swimming Distance | Activity | activity | cumulative | m | m | m | 0..1000000 | 50 | loinc 93816-7 Swimming distance unspecified time
        DistanceWheelchair | Wheelchair Distance | Activity | activity | cumulative | m | m | m | 0..1000000 | 1300 | -
        DistanceDownhillSnowSports | Downhill Snow Sports Distance | Activity | activity | cumulative | m | m | m | 0..1000000 | 2100 | -
        DistanceCrossCountrySkiing | Cross Country Skiing Distance | Activity | activity | cumulative | m | m | m | 0..1000000 | 4100 | -
        DistancePaddleSports | Paddle Sports Distance | Activity | activity | cumulative | m | m | m | 0..1000000 | 1800 | -
        DistanceRowing | Rowing Distance | Activity | activity | cumulative | m | m | m | 0..1000000 | 2000 | -
        DistanceSkatingSports | Skating Sports Distance | Activity | activity | cumulative | m | m | m | 0..1000000 | 900 | -
        ActiveEnergyBurned | Active Energy Burned | Activity | activity | cumulative | kcal | kcal | kcal | 0..20000 | 12.5 | loinc 41981-2 Calories burned
        BasalEnergyBurned | Basal Energy Burned | Activity | activity | cumulative | kcal | kcal | kcal | 0..20000 | 17.4 | -
        FlightsClimbed | Flights Climbed | Activity | activity | cumulative | count | {flights} | flights | 0..2000 | 3 | loinc 100304-5 Flights climbed [#] Reporting Period
        PushCount | Wheelchair Push Count | Activity | activity | cumulative | count | {pushes} | pushes | 0..100000 | 240 | loinc 96502-0 Number of wheelchair pushes per time period
        SwimmingStrokeCount | Swimming Stroke Count | Activity | activity | cumulative | count | {strokes} | strokes | 0..100000 | 22 | -
        NikeFuel | NikeFuel | Activity | activity | cumulative | count | {NikeFuel} | NikeFuel | 0..100000 | 120 | -
        AppleExerciseTime | Exercise Time | Activity | activity | cumulative | min | min | min | 0..1440 | 1 | -
        AppleMoveTime | Move Time | Activity | activity | cumulative | min | min | min | 0..1440 | 1 | -
        AppleStandTime | Stand Time | Activity | activity | cumulative | min | min | min | 0..1440 | 5 | -
        PhysicalEffort | Physical Effort | Activity | activity | discrete | kcal/hr·kg | kcal/(kg.h) | kcal/(kg·h) | 0..30 | 3.6 | -
        WorkoutEffortScore | Workout Effort | Activity | activity | discrete | appleEffortScore | {score} | effort | 0..10 | 6 | -
        EstimatedWorkoutEffortScore | Estimated Workout Effort | Activity | activity | discrete | appleEffortScore | {score} | effort | 0..10 | 5 | -
        CyclingSpeed | Cycling Speed | Activity | activity | discrete | m/s | m/s | m/s | 0..50 | 6.2 | -
        CyclingPower | Cycling Power | Activity | activity | discrete | W | W | W | 0..3000 | 185 | -
        CyclingCadence | Cycling Cadence | Activity | activity | discrete | count/min | /min | revolutions/minute | 0..300 | 82 | -
        CyclingFunctionalThresholdPower | Cycling Functional Threshold Power | Activity | activity | discrete | W | W | W | 0..1000 | 231 | -
        RunningSpeed | Running Speed | Activity | activity | discrete | m/s | m/s | m/s | 0..15 | 2.9 | -
        RunningPower | Running Power | Activity | activity | discrete | W | W | W | 0..3000 | 240 | -
        RunningStrideLength | Running Stride Length | Activity | activity | discrete | m | m | m | 0.1..5 | 1.12 | -
        RunningVerticalOscillation | Running Vertical Oscillation | Activity | activity | discrete | cm | cm | cm | 0..50 | 8.7 | -
        RunningGroundContactTime | Running Ground Contact Time | Activity | activity | discrete | ms | ms | ms | 50..1000 | 251 | -
        CrossCountrySkiingSpeed | Cross Country Skiing Speed | Activity | activity | discrete | m/s | m/s | m/s | 0..30 | 3.4 | -
        PaddleSportsSpeed | Paddle Sports Speed | Activity | activity | discrete | m/s | m/s | m/s | 0..15 | 1.9 | -
        RowingSpeed | Rowing Speed | Activity | activity | discrete | m/s | m/s | m/s | 0..15 | 2.8 | -
        UnderwaterDepth | Underwater Depth | Activity | activity | discrete | m | m | m | 0..400 | 7.3 | -
        WalkingSpeed | Walking Speed | Mobility | exam | discrete | m/s | m/s | m/s | 0..5 | 1.31 | -
        WalkingStepLength | Walking Step Length | Mobility | exam | discrete | m | m | m | 0.05..2 | 0.72 | -
        WalkingAsymmetryPercentage | Walking Asymmetry | Mobility | exam | discrete | % | % | % | 0..100 | 0.03 | -
        WalkingDoubleSupportPercentage | Walking Double Support Time | Mobility | exam | discrete | % | % | % | 0..100 | 0.274 | -
        AppleWalkingSteadiness | Walking Steadiness | Mobility | exam | discrete | % | % | % | 0..100 | 0.89 | -
        SixMinuteWalkTestDistance | Six-Minute Walk Distance | Mobility | exam | discrete | m | m | m | 0..1500 | 520 | loinc 64098-7 6 minute walk test Distance
        StairAscentSpeed | Stair Ascent Speed | Mobility | exam | discrete | m/s | m/s | m/s | 0..5 | 0.35 | -
        StairDescentSpeed | Stair Descent Speed | Mobility | exam | discrete | m/s | m/s | m/s | 0..5 | 0.41 | -
        NumberOfTimesFallen | Number of Times Fallen | Mobility | survey | cumulative | count | {falls} | falls | 0..100 | 1 | -
        EnvironmentalAudioExposure | Environmental Audio Exposure | Hearing | exam | discrete | dBASPL | dB[SPL] | dB(A) SPL | 0..200 | 64.3 | -
        HeadphoneAudioExposure | Headphone Audio Exposure | Hearing | exam | discrete | dBASPL | dB[SPL] | dB(A) SPL | 0..200 | 71.8 | -
        EnvironmentalSoundReduction | Environmental Sound Reduction | Hearing | exam | discrete | dBASPL | dB[SPL] | dB(A) SPL | 0..200 | 18.5 | -
        TimeInDaylight | Time in Daylight | Environment | social-history | cumulative | min | min | min | 0..1440 | 12 | -
        UVExposure | UV Exposure | Environment | social-history | discrete | count | {UVindex} | UV index | 0..25 | 5 | -
        WaterTemperature | Water Temperature | Environment | social-history | discrete | degC | Cel | °C | -3..50 | 18.4 | -
        BasalBodyTemperature | Basal Body Temperature | Reproductive Health | vital-signs | discrete | degC | Cel | °C | 25..45 | 36.42 | loinc 8310-5 Body temperature; snomed 300076005 Basal body temperature; own basal-body-temperature Basal body temperature
        InsulinDelivery | Insulin Delivery | Medication | therapy | cumulative | IU | [iU] | IU | 0..300 | 4.5 | -
        NumberOfAlcoholicBeverages | Number of Alcoholic Beverages | Nutrition | social-history | cumulative | count | {drinks} | drinks | 0..100 | 1 | -
        DietaryEnergyConsumed | Dietary Energy | Nutrition | social-history | cumulative | kcal | kcal | kcal | 0..20000 | 320 | loinc 9052-2 Calorie intake total
        DietaryWater | Dietary Water | Nutrition | social-history | cumulative | L | L | L | 0..30 | 0.25 | loinc 8999-5 Fluid intake oral Estimated; snomed 226354008 Water intake
        DietaryBiotin | Dietary Biotin | Nutrition | social-history | cumulative | mcg | ug | µg | 0..100000 | 12 | -
        DietaryCaffeine | Dietary Caffeine | Nutrition | social-history | cumulative | mg | mg | mg | 0..100000 | 95 | -
        DietaryCalcium | Dietary Calcium | Nutrition | social-history | cumulative | mg | mg | mg | 0..100000 | 120 | -
        DietaryCarbohydrates | Dietary Carbohydrates | Nutrition | social-history | cumulative | g | g | g | 0..5000 | 42 | -
        DietaryChloride | Dietary Chloride | Nutrition | social-history | cumulative | mg | mg | mg | 0..100000 | 1.5 | -
        DietaryCholesterol | Dietary Cholesterol | Nutrition | social-history | cumulative | mg | mg | mg | 0..100000 | 62 | -
        DietaryChromium | Dietary Chromium | Nutrition | social-history | cumulative | mcg | ug | µg | 0..100000 | 12 | -
        DietaryCopper | Dietary Copper | Nutrition | social-history | cumulative | mcg | ug | µg | 0..100000 | 12 | -
        DietaryFatMonounsaturated | Dietary Monounsaturated Fat | Nutrition | social-history | cumulative | g | g | g | 0..5000 | 4.5 | -
        DietaryFatPolyunsaturated | Dietary Polyunsaturated Fat | Nutrition | social-history | cumulative | g | g | g | 0..5000 | 2.2 | -
        DietaryFatSaturated | Dietary Saturated Fat | Nutrition | social-history | cumulative | g | g | g | 0..5000 | 3.4 | -
        DietaryFatTotal | Dietary Total Fat | Nutrition | social-history | cumulative | g | g | g | 0..5000 | 11.5 | -
        DietaryFiber | Dietary Fiber | Nutrition | social-history | cumulative | g | g | g | 0..5000 | 6.1 | -
        DietaryFolate | Dietary Folate | Nutrition | social-history | cumulative | mcg | ug | µg | 0..100000 | 12 | -
        DietaryIodine | Dietary Iodine | Nutrition | social-history | cumulative | mcg | ug | µg | 0..100000 | 12 | -
        DietaryIron | Dietary Iron | Nutrition | social-history | cumulative | mg | mg | mg | 0..100000 | 1.5 | -
        DietaryMagnesium | Dietary Magnesium | Nutrition | social-history | cumulative | mg | mg | mg | 0..100000 | 1.5 | -
        DietaryManganese | Dietary Manganese | Nutrition | social-history | cumulative | mg | mg | mg | 0..100000 | 1.5 | -
        DietaryMolybdenum | Dietary Molybdenum | Nutrition | social-history | cumulative | mcg | ug | µg | 0..100000 | 12 | -
        DietaryNiacin | Dietary Niacin | Nutrition | social-history | cumulative | mg | mg | mg | 0..100000 | 1.5 | -
        DietaryPantothenicAcid | Dietary Pantothenic Acid | Nutrition | social-history | cumulative | mg | mg | mg | 0..100000 | 1.5 | -
        DietaryPhosphorus | Dietary Phosphorus | Nutrition | social-history | cumulative | mg | mg | mg | 0..100000 | 1.5 | -
        DietaryPotassium | Dietary Potassium | Nutrition | social-history | cumulative | mg | mg | mg | 0..100000 | 520 | -
        DietaryProtein | Dietary Protein | Nutrition | social-history | cumulative | g | g | g | 0..5000 | 18.2 | -
        DietaryRiboflavin | Dietary Riboflavin | Nutrition | social-history | cumulative | mg | mg | mg | 0..100000 | 1.5 | -
        DietarySelenium | Dietary Selenium | Nutrition | social-history | cumulative | mcg | ug | µg | 0..100000 | 12 | -
        DietarySodium | Dietary Sodium | Nutrition | social-history | cumulative | mg | mg | mg | 0..100000 | 410 | -
        DietarySugar | Dietary Sugar | Nutrition | social-history | cumulative | g | g | g | 0..5000 | 12.6 | -
        DietaryThiamin | Dietary Thiamin | Nutrition | social-history | cumulative | mg | mg | mg | 0..100000 | 1.5 | -
        DietaryVitaminA | Dietary Vitamin A | Nutrition | social-history | cumulative | mcg | ug | µg | 0..100000 | 12 | -
        DietaryVitaminB12 | Dietary Vitamin B12 | Nutrition | social-history | cumulative | mcg | ug | µg | 0..100000 | 12 | -
        DietaryVitaminB6 | Dietary Vitamin B6 | Nutrition | social-history | cumulative | mg | mg | mg | 0..100000 | 1.5 | -
        DietaryVitaminC | Dietary Vitamin C | Nutrition | social-history | cumulative | mg | mg | mg | 0..100000 | 24 | -
        DietaryVitaminD | Dietary Vitamin D | Nutrition | social-history | cumulative | mcg | ug | µg | 0..100000 | 12 | -
        DietaryVitaminE | Dietary Vitamin E | Nutrition | social-history | cumulative | mg | mg | mg | 0..100000 | 1.5 | -
        DietaryVitaminK | Dietary Vitamin K | Nutrition | social-history | cumulative | mcg | ug | µg | 0..100000 | 12 | -
        DietaryZinc | Dietary Zinc | Nutrition | social-history | cumulative | mg | mg | mg | 0..100000 | 1.5 | -
        """
}
