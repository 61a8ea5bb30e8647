#if canImport(HealthKit)
    import HealthData
    import HealthKit

    /// The types of HealthKit for the types of the table.
    enum HealthKitTypes {
        /// Returns the type for a request of access; nil if HealthKit does not support it.
        static func type(_ identifier: String, in table: HealthTypeTable) -> HKObjectType? {
            guard table.type(identifier)?.kind == .activitySummary else { return sampleType(identifier, in: table) }
            return HKObjectType.activitySummaryType()
        }

        /// Returns the type for sample queries; nil if HealthKit does not support it or has no samples of it.
        static func sampleType(_ identifier: String, in table: HealthTypeTable) -> HKSampleType? {
            guard let type = table.type(identifier) else { return nil }
            switch type.kind {
            case .quantity:
                return HKObjectType.quantityType(forIdentifier: HKQuantityTypeIdentifier(rawValue: identifier))
            case .category:
                return HKObjectType.categoryType(forIdentifier: HKCategoryTypeIdentifier(rawValue: identifier))
            case .correlation:
                return HKObjectType.correlationType(forIdentifier: HKCorrelationTypeIdentifier(rawValue: identifier))
            case .clinicalRecord:
                return HKObjectType.clinicalType(forIdentifier: HKClinicalTypeIdentifier(rawValue: identifier))
            case .workout: return HKObjectType.workoutType()
            case .electrocardiogram: return HKObjectType.electrocardiogramType()
            case .audiogram: return HKObjectType.audiogramSampleType()
            case .visionPrescription: return HKObjectType.visionPrescriptionType()
            case .heartbeatSeries: return HKSeriesType.heartbeat()
            case .workoutRoute: return HKSeriesType.workoutRoute()
            case .stateOfMind:
                guard #available(iOS 18, macOS 15, *) else { return nil }
                return HKObjectType.stateOfMindType()
            case .assessment:
                guard #available(iOS 18, macOS 15, *) else { return nil }
                switch SpecialKind(type) {
                case .gad7: return HKScoredAssessmentType(.GAD7)
                case .phq9: return HKScoredAssessmentType(.PHQ9)
                default: return nil
                }
            case .medicationDose:
                #if compiler(>=6.2)
                    if #available(iOS 26, macOS 26, *) { return HKObjectType.medicationDoseEventType() }
                #endif
                return nil
            // HealthKit has no samples of a medication. Doses have its codes.
            case .activitySummary, .medicationConcept: return nil
            }
        }
    }
#endif
