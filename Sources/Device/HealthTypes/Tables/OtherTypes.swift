// swift-format-ignore-file

extension TableText {
    /// The types that are neither quantity nor category:
    /// `kind | identifier | other names | title | folder | category | value | members or enumeration | codings`. The
    /// members of a correlation are names of quantity types; a `*` at the end matches all names with that prefix.
    /// Clinical records are already FHIR resources, and the value column contains their types.
    static let otherTypes: StaticString = """
        correlation | HKCorrelationTypeIdentifierBloodPressure | - | Blood Pressure | Vital Signs | vital-signs | components | BloodPressureSystolic BloodPressureDiastolic | loinc 85354-9 Blood pressure panel with all children optional
        correlation | HKCorrelationTypeIdentifierFood | - | Food | Nutrition | social-history | components | Dietary* | loinc 80453-4 Food intake panel
        workout | HKWorkout | HKWorkoutTypeIdentifier | Workout | Workouts | activity | CodeableConcept | - | loinc 73985-4 Exercise activity
        workoutRoute | HKWorkoutRoute | HKWorkoutRouteTypeIdentifier | Workout Route | Workouts | activity | components | - | -
        activitySummary | HKActivitySummary | HKActivitySummaryTypeIdentifier | Activity Summary | Activity | activity | components | - | -
        electrocardiogram | HKElectrocardiogram | HKDataTypeIdentifierElectrocardiogram | Electrocardiogram | Heart | procedure | SampledData | - | mdc 131328 MDC_ECG_ELEC_POTL
        heartbeatSeries | HKHeartbeatSeriesSample | HKDataTypeIdentifierHeartbeatSeries | Heartbeat Series | Heart | vital-signs | SampledData | - | -
        audiogram | HKAudiogramSample | HKDataTypeIdentifierAudiogram | Audiogram | Hearing | exam | components | - | -
        visionPrescription | HKVisionPrescription | HKVisionPrescriptionTypeIdentifier | Vision Prescription | Vision | exam | CodeableConcept | HKVisionPrescriptionType | -
        stateOfMind | HKStateOfMind | HKDataTypeStateOfMind | State of Mind | Mental Wellbeing | survey | components | - | -
        assessment | HKScoredAssessmentTypeIdentifierPHQ9 | HKPHQ9Assessment | PHQ-9 | Mental Wellbeing | survey | integer | - | loinc 44249-1 PHQ-9 quick depression assessment panel
        assessment | HKScoredAssessmentTypeIdentifierGAD7 | HKGAD7Assessment | GAD-7 | Mental Wellbeing | survey | integer | - | -
        medicationDose | HKMedicationDoseEventTypeIdentifierMedicationDoseEvent | HKMedicationDoseEvent | Medication Dose Event | Medications | therapy | CodeableConcept | HKMedicationDoseEventLogStatus | -
        medicationConcept | HKDataTypeIdentifierUserAnnotatedMedicationConcept | HKUserAnnotatedMedication | Medication | Medications | therapy | components | - | -
        clinicalRecord | HKClinicalTypeIdentifierAllergyRecord | - | Allergy Record | Clinical Records | exam | AllergyIntolerance | - | -
        clinicalRecord | HKClinicalTypeIdentifierClinicalNoteRecord | - | Clinical Note Record | Clinical Records | exam | DocumentReference | - | -
        clinicalRecord | HKClinicalTypeIdentifierConditionRecord | - | Condition Record | Clinical Records | exam | Condition | - | -
        clinicalRecord | HKClinicalTypeIdentifierCoverageRecord | - | Coverage Record | Clinical Records | social-history | Coverage | - | -
        clinicalRecord | HKClinicalTypeIdentifierImmunizationRecord | - | Immunization Record | Clinical Records | therapy | Immunization | - | -
        clinicalRecord | HKClinicalTypeIdentifierLabResultRecord | - | Lab Result Record | Clinical Records | laboratory | Observation | - | -
        clinicalRecord | HKClinicalTypeIdentifierMedicationRecord | - | Medication Record | Clinical Records | therapy | Medication MedicationRequest MedicationStatement MedicationDispense | - | -
        clinicalRecord | HKClinicalTypeIdentifierProcedureRecord | - | Procedure Record | Clinical Records | procedure | Procedure | - | -
        clinicalRecord | HKClinicalTypeIdentifierVitalSignRecord | - | Vital Sign Record | Clinical Records | vital-signs | Observation | - | -
        """
}
