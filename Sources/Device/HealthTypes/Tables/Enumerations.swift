// swift-format-ignore-file

extension TableText {
    /// HealthKit's enumerations: `name | cases`. A case is its number, its name, other names in earlier or present
    /// exports, and its text.
    ///
    /// Menstrual flow is written with the cases of `HKCategoryValueVaginalBleeding` since iOS 18, with those of
    /// `HKCategoryValueMenstrualFlow` before; being asleep had one case before iOS 16.
    static let enumerations: StaticString = """
        HKCategoryValueAppetiteChanges | 0 Unspecified = Unspecified; 1 NoChange = No change; 2 Decreased = Decreased; 3 Increased = Increased
        HKCategoryValueAppleStandHour | 0 Stood = Stood; 1 Idle = Idle
        HKCategoryValueAppleWalkingSteadinessEvent | 1 InitialLow = Initial low; 2 InitialVeryLow = Initial very low; 3 RepeatLow = Repeat low; 4 RepeatVeryLow = Repeat very low
        HKCategoryValueCervicalMucusQuality | 1 Dry = Dry; 2 Sticky = Sticky; 3 Creamy = Creamy; 4 Watery = Watery; 5 EggWhite = Egg white
        HKCategoryValueContraceptive | 1 Unspecified = Unspecified; 2 Implant = Implant; 3 Injection = Injection; 4 IntrauterineDevice = Intrauterine device; 5 IntravaginalRing = Intravaginal ring; 6 Oral = Oral; 7 Patch = Patch
        HKCategoryValueEnvironmentalAudioExposureEvent | 1 MomentaryLimit HKCategoryValueAudioExposureEventLoudEnvironment = Momentary limit
        HKCategoryValueHeadphoneAudioExposureEvent | 1 SevenDayLimit = Seven day limit
        HKCategoryValueLowCardioFitnessEvent | 1 LowFitness = Low fitness
        HKCategoryValueMenstrualFlow | 1 Unspecified HKCategoryValueVaginalBleedingUnspecified = Unspecified; 2 Light HKCategoryValueVaginalBleedingLight = Light; 3 Medium HKCategoryValueVaginalBleedingMedium = Medium; 4 Heavy HKCategoryValueVaginalBleedingHeavy = Heavy; 5 None HKCategoryValueVaginalBleedingNone = None
        HKCategoryValueOvulationTestResult | 1 Negative = Negative; 2 LuteinizingHormoneSurge HKCategoryValueOvulationTestResultPositive = Luteinizing hormone surge; 3 Indeterminate = Indeterminate; 4 EstrogenSurge = Estrogen surge
        HKCategoryValuePregnancyTestResult | 1 Negative = Negative; 2 Positive = Positive; 3 Indeterminate = Indeterminate
        HKCategoryValuePresence | 0 Present = Present; 1 NotPresent = Not present
        HKCategoryValueProgesteroneTestResult | 1 Negative = Negative; 2 Positive = Positive; 3 Indeterminate = Indeterminate
        HKCategoryValueSeverity | 0 Unspecified = Unspecified; 1 NotPresent = Not present; 2 Mild = Mild; 3 Moderate = Moderate; 4 Severe = Severe
        HKCategoryValueSleepAnalysis | 0 InBed = In bed; 1 AsleepUnspecified HKCategoryValueSleepAnalysisAsleep = Asleep, stage unspecified; 2 Awake = Awake; 3 AsleepCore = Asleep, core; 4 AsleepDeep = Asleep, deep; 5 AsleepREM = Asleep, REM
        HKCategoryValueVaginalBleeding | 1 Unspecified = Unspecified; 2 Light = Light; 3 Medium = Medium; 4 Heavy = Heavy; 5 None = None
        HKMedicationDoseEventLogStatus | 1 NotInteracted = No answer to the reminder; 2 NotificationNotSent = Reminder not sent; 3 Snoozed = Reminder postponed; 4 Taken = Taken; 5 Skipped = Skipped; 6 NotLogged = Not logged
        HKVisionPrescriptionType | 1 Glasses = Glasses; 2 Contacts = Contact lenses
        """
}
