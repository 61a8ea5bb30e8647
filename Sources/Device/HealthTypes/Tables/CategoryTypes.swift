// swift-format-ignore-file

extension TableText {
    /// HealthKit's category types: `name | title | folder | category | enumeration of the values`. A `-` marks a type
    /// whose samples report only that an event happened.
    static let categoryTypes: StaticString = """
        SleepAnalysis | Sleep Analysis | Sleep | activity | SleepAnalysis
        SleepApneaEvent | Sleep Apnea Event | Sleep | exam | -
        AppleStandHour | Stand Hour | Activity | activity | AppleStandHour
        AppleWalkingSteadinessEvent | Walking Steadiness Event | Mobility | exam | AppleWalkingSteadinessEvent
        HighHeartRateEvent | High Heart Rate Event | Heart | exam | -
        LowHeartRateEvent | Low Heart Rate Event | Heart | exam | -
        IrregularHeartRhythmEvent | Irregular Heart Rhythm Event | Heart | exam | -
        HypertensionEvent | Hypertension Event | Heart | exam | -
        LowCardioFitnessEvent | Low Cardio Fitness Event | Heart | exam | LowCardioFitnessEvent
        AudioExposureEvent | Environmental Audio Exposure Event | Hearing | exam | EnvironmentalAudioExposureEvent
        HeadphoneAudioExposureEvent | Headphone Audio Exposure Event | Hearing | exam | HeadphoneAudioExposureEvent
        MindfulSession | Mindful Session | Mental Wellbeing | activity | -
        HandwashingEvent | Handwashing Event | Self Care | social-history | -
        ToothbrushingEvent | Toothbrushing Event | Self Care | social-history | -
        MenstrualFlow | Menstrual Flow | Reproductive Health | survey | MenstrualFlow
        IntermenstrualBleeding | Intermenstrual Bleeding | Reproductive Health | survey | -
        BleedingAfterPregnancy | Bleeding After Pregnancy | Reproductive Health | survey | VaginalBleeding
        BleedingDuringPregnancy | Bleeding During Pregnancy | Reproductive Health | survey | VaginalBleeding
        CervicalMucusQuality | Cervical Mucus Quality | Reproductive Health | survey | CervicalMucusQuality
        SexualActivity | Sexual Activity | Reproductive Health | survey | -
        Pregnancy | Pregnancy | Reproductive Health | survey | -
        Lactation | Lactation | Reproductive Health | survey | -
        IrregularMenstrualCycles | Irregular Menstrual Cycles | Reproductive Health | survey | -
        InfrequentMenstrualCycles | Infrequent Menstrual Cycles | Reproductive Health | survey | -
        ProlongedMenstrualPeriods | Prolonged Menstrual Periods | Reproductive Health | survey | -
        PersistentIntermenstrualBleeding | Persistent Intermenstrual Bleeding | Reproductive Health | survey | -
        Contraceptive | Contraceptive | Reproductive Health | therapy | Contraceptive
        OvulationTestResult | Ovulation Test Result | Reproductive Health | laboratory | OvulationTestResult
        PregnancyTestResult | Pregnancy Test Result | Reproductive Health | laboratory | PregnancyTestResult
        ProgesteroneTestResult | Progesterone Test Result | Reproductive Health | laboratory | ProgesteroneTestResult
        AbdominalCramps | Abdominal Cramps | Symptoms | survey | Severity
        Acne | Acne | Symptoms | survey | Severity
        AppetiteChanges | Appetite Changes | Symptoms | survey | AppetiteChanges
        BladderIncontinence | Bladder Incontinence | Symptoms | survey | Severity
        Bloating | Bloating | Symptoms | survey | Severity
        BreastPain | Breast Pain | Symptoms | survey | Severity
        ChestTightnessOrPain | Chest Tightness or Pain | Symptoms | survey | Severity
        Chills | Chills | Symptoms | survey | Severity
        Constipation | Constipation | Symptoms | survey | Severity
        Coughing | Coughing | Symptoms | survey | Severity
        Diarrhea | Diarrhea | Symptoms | survey | Severity
        Dizziness | Dizziness | Symptoms | survey | Severity
        DrySkin | Dry Skin | Symptoms | survey | Severity
        Fainting | Fainting | Symptoms | survey | Severity
        Fatigue | Fatigue | Symptoms | survey | Severity
        Fever | Fever | Symptoms | survey | Severity
        GeneralizedBodyAche | Generalized Body Ache | Symptoms | survey | Severity
        HairLoss | Hair Loss | Symptoms | survey | Severity
        Headache | Headache | Symptoms | survey | Severity
        Heartburn | Heartburn | Symptoms | survey | Severity
        HotFlashes | Hot Flashes | Symptoms | survey | Severity
        LossOfSmell | Loss of Smell | Symptoms | survey | Severity
        LossOfTaste | Loss of Taste | Symptoms | survey | Severity
        LowerBackPain | Lower Back Pain | Symptoms | survey | Severity
        MemoryLapse | Memory Lapse | Symptoms | survey | Severity
        MoodChanges | Mood Changes | Symptoms | survey | Presence
        Nausea | Nausea | Symptoms | survey | Severity
        NightSweats | Night Sweats | Symptoms | survey | Severity
        PelvicPain | Pelvic Pain | Symptoms | survey | Severity
        RapidPoundingOrFlutteringHeartbeat | Rapid, Pounding or Fluttering Heartbeat | Symptoms | survey | Severity
        RunnyNose | Runny Nose | Symptoms | survey | Severity
        ShortnessOfBreath | Shortness of Breath | Symptoms | survey | Severity
        SinusCongestion | Sinus Congestion | Symptoms | survey | Severity
        SkippedHeartbeat | Skipped Heartbeat | Symptoms | survey | Severity
        SleepChanges | Sleep Changes | Symptoms | survey | Presence
        SoreThroat | Sore Throat | Symptoms | survey | Severity
        VaginalDryness | Vaginal Dryness | Symptoms | survey | Severity
        Vomiting | Vomiting | Symptoms | survey | Severity
        Wheezing | Wheezing | Symptoms | survey | Severity
        """
}
