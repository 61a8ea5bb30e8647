// swift-format-ignore-file

extension TableText {
    /// The metadata that is converted: `key in exports | other spellings | title | kind | detail | types in whose
    /// observations it is a component`. In observations of other types it is an extension. All other metadata is
    /// dropped: names, links, free text, identifiers.
    ///
    /// The detail of a quantity is HealthKit's unit, the UCUM code and the unit's display text; after a semicolon, the
    /// quantity type of the value. Cases without information (not set, unknown) are omitted.
    static let metadataKeys: StaticString = """
        HKCoachedWorkout | HKMetadataKeyCoachedWorkout | Coached Workout | boolean | - | -
        HKGroupFitness | HKMetadataKeyGroupFitness | Group Fitness | boolean | - | -
        HKIndoorWorkout | HKMetadataKeyIndoorWorkout | Indoor Workout | boolean | - | -
        HKMenstrualCycleStart | HKMetadataKeyMenstrualCycleStart | Menstrual Cycle Start | boolean | - | MenstrualFlow
        HKMetadataKeyAppleDeviceCalibrated | HKAppleDeviceCalibrated | Device Calibrated | boolean | - | -
        HKMetadataKeyAppleFitnessPlusSession | HKAppleFitnessPlusSession | Fitness+ Session | boolean | - | -
        HKMetadataKeyQuantityClampedToLowerBound | HKQuantityClampedToLowerBound | Clamped to the Lower Bound | boolean | - | -
        HKMetadataKeyQuantityClampedToUpperBound | HKQuantityClampedToUpperBound | Clamped to the Upper Bound | boolean | - | -
        HKSexualActivityProtectionUsed | HKMetadataKeySexualActivityProtectionUsed | Protection Used | boolean | - | SexualActivity
        HKWasTakenInLab | HKMetadataKeyWasTakenInLab | Taken in a Laboratory | boolean | - | -
        HKActivityType | HKMetadataKeyActivityType | Activity Type | activity | - | -
        HKBloodGlucoseMealTime | HKMetadataKeyBloodGlucoseMealTime | Blood Glucose Meal Time | enumeration | 1 preprandial = Preprandial; 2 postprandial = Postprandial | -
        HKBodyTemperatureSensorLocation | HKMetadataKeyBodyTemperatureSensorLocation | Body Temperature Sensor Location | enumeration | 0 other = Other; 1 armpit = Armpit; 2 body = Body; 3 ear = Ear; 4 finger = Finger; 5 gastroIntestinal = Gastrointestinal; 6 mouth = Mouth; 7 rectum = Rectum; 8 toe = Toe; 9 earDrum = Ear drum; 10 temporalArtery = Temporal artery; 11 forehead = Forehead | -
        HKCyclingFunctionalThresholdPowerTestType | HKMetadataKeyCyclingFunctionalThresholdPowerTestType HKCyclingCyclingFunctionalThresholdPowerTestType | Cycling Functional Threshold Power Test Type | enumeration | 1 maxExercise60Minute = Maximal exercise, 60 minutes; 2 maxExercise20Minute = Maximal exercise, 20 minutes; 3 rampTest = Ramp test; 4 predictionExercise = Prediction exercise | -
        HKHeartRateSensorLocation | HKMetadataKeyHeartRateSensorLocation | Heart Rate Sensor Location | enumeration | 0 other = Other; 1 chest = Chest; 2 wrist = Wrist; 3 finger = Finger; 4 hand = Hand; 5 earLobe = Ear lobe; 6 foot = Foot | -
        HKInsulinDeliveryReason | HKMetadataKeyInsulinDeliveryReason | Insulin Delivery Reason | enumeration | 1 basal = Basal; 2 bolus = Bolus | -
        HKMetadataKeyAppleECGAlgorithmVersion | HKAppleECGAlgorithmVersion | ECG Algorithm Version | enumeration | 1 version1 = Version 1; 2 version2 = Version 2 | -
        HKMetadataKeyDevicePlacementSide | HKDevicePlacementSide | Device Placement Side | enumeration | 1 left = Left; 2 right = Right; 3 central = Central | -
        HKMetadataKeyHeartRateMotionContext | HKHeartRateMotionContext | Heart Rate Motion Context | enumeration | 1 sedentary = Sedentary; 2 active = Active | -
        HKMetadataKeyHeartRateRecoveryActivityType | HKHeartRateRecoveryActivityType | Heart Rate Recovery Activity Type | activity | - | -
        HKMetadataKeyHeartRateRecoveryTestType | HKHeartRateRecoveryTestType | Heart Rate Recovery Test Type | enumeration | 1 maxExercise = Maximal exercise; 2 predictionSubMaxExercise = Prediction, submaximal exercise; 3 predictionNonExercise = Prediction, without exercise | -
        HKMetadataKeyUserMotionContext | HKUserMotionContext | User Motion Context | enumeration | 1 stationary = Stationary; 2 active = Active | -
        HKMetadataKeyWaterSalinity | HKWaterSalinity | Water Salinity | enumeration | 1 freshWater = Fresh water; 2 saltWater = Salt water | -
        HKPhysicalEffortEstimationType | HKMetadataKeyPhysicalEffortEstimationType | Physical Effort Estimation Type | enumeration | 1 activityLookup = Activity lookup; 2 deviceSensed = Device sensed | -
        HKSwimmingLocationType | HKMetadataKeySwimmingLocationType | Swimming Location Type | enumeration | 1 pool = Pool; 2 openWater = Open water | -
        HKSwimmingStrokeStyle | HKMetadataKeySwimmingStrokeStyle | Swimming Stroke Style | enumeration | 1 mixed = Mixed; 2 freestyle = Freestyle; 3 backstroke = Backstroke; 4 breaststroke = Breaststroke; 5 butterfly = Butterfly; 6 kickboard = Kickboard | -
        HKVO2MaxTestType | HKMetadataKeyVO2MaxTestType | VO2 Max Test Type | enumeration | 1 maxExercise = Maximal exercise; 2 predictionSubMaxExercise = Prediction, submaximal exercise; 3 predictionNonExercise = Prediction, without exercise | -
        HKWeatherCondition | HKMetadataKeyWeatherCondition | Weather Condition | enumeration | 0 none = None; 1 clear = Clear; 2 fair = Fair; 3 partlyCloudy = Partly cloudy; 4 mostlyCloudy = Mostly cloudy; 5 cloudy = Cloudy; 6 foggy = Foggy; 7 haze = Haze; 8 windy = Windy; 9 blustery = Blustery; 10 smoky = Smoky; 11 dust = Dust; 12 snow = Snow; 13 hail = Hail; 14 sleet = Sleet; 15 freezingDrizzle = Freezing drizzle; 16 freezingRain = Freezing rain; 17 mixedRainAndHail = Mixed rain and hail; 18 mixedRainAndSnow = Mixed rain and snow; 19 mixedRainAndSleet = Mixed rain and sleet; 20 mixedSnowAndSleet = Mixed snow and sleet; 21 drizzle = Drizzle; 22 scatteredShowers = Scattered showers; 23 showers = Showers; 24 thunderstorms = Thunderstorms; 25 tropicalStorm = Tropical storm; 26 hurricane = Hurricane; 27 tornado = Tornado | -
        HKAlpineSlopeGrade | HKMetadataKeyAlpineSlopeGrade | Alpine Slope Grade | quantity | % % % | -
        HKAverageMETs | HKMetadataKeyAverageMETs | Average METs | quantity | kcal/hr·kg kcal/(kg.h) kcal/(kg·h) | -
        HKAverageSpeed | HKMetadataKeyAverageSpeed | Average Speed | quantity | m/s m/s m/s | -
        HKCrossTrainerDistance | HKMetadataKeyCrossTrainerDistance | Cross Trainer Distance | quantity | m m m | -
        HKElevationAscended | HKMetadataKeyElevationAscended | Elevation Ascended | quantity | m m m | -
        HKElevationDescended | HKMetadataKeyElevationDescended | Elevation Descended | quantity | m m m | -
        HKFitnessMachineDuration | HKMetadataKeyFitnessMachineDuration | Fitness Machine Duration | quantity | s s s | -
        HKHeartRateEventThreshold | HKMetadataKeyHeartRateEventThreshold | Heart Rate Event Threshold | quantity | count/min /min beats/minute | HighHeartRateEvent LowHeartRateEvent
        HKIndoorBikeDistance | HKMetadataKeyIndoorBikeDistance | Indoor Bike Distance | quantity | m m m | -
        HKLapLength | HKMetadataKeyLapLength | Lap Length | quantity | m m m | -
        HKLowCardioFitnessEventThreshold | HKMetadataKeyLowCardioFitnessEventThreshold | Low Cardio Fitness Event Threshold | quantity | mL/min·kg mL/kg/min mL/kg/min | LowCardioFitnessEvent
        HKMaximumSpeed | HKMetadataKeyMaximumSpeed | Maximum Speed | quantity | m/s m/s m/s | -
        HKMetadataKeyAudioExposureDuration | HKAudioExposureDuration | Audio Exposure Duration | quantity | s s s | -
        HKMetadataKeyAudioExposureLevel | HKAudioExposureLevel | Audio Exposure Level | quantity | dBASPL dB[SPL] dB(A) SPL | -
        HKMetadataKeyBarometricPressure | HKBarometricPressure | Barometric Pressure | quantity | mmHg mm[Hg] mmHg | -
        HKMetadataKeyHeadphoneGain | HKHeadphoneGain | Headphone Gain | quantity | dBASPL dB[SPL] dB(A) SPL | -
        HKMetadataKeyHeartRateRecoveryActivityDuration | HKHeartRateRecoveryActivityDuration | Heart Rate Recovery Activity Duration | quantity | s s s | -
        HKMetadataKeyHeartRateRecoveryMaxObservedRecoveryHeartRate | HKHeartRateRecoveryMaxObservedRecoveryHeartRate | Highest Heart Rate Before Recovery | quantity | count/min /min beats/minute | -
        HKMetadataKeyMaximumLightIntensity | HKMaximumLightIntensity | Maximum Light Intensity | quantity | lx lx lx | -
        HKVO2MaxValue | HKMetadataKeyVO2MaxValue | VO2 Max Value | quantity | mL/min·kg mL/kg/min mL/kg/min ; VO2Max | LowCardioFitnessEvent
        HKWeatherHumidity | HKMetadataKeyWeatherHumidity | Weather Humidity | quantity | % % % | -
        HKWeatherTemperature | HKMetadataKeyWeatherTemperature | Weather Temperature | quantity | degC Cel °C | -
        """
}
