/// The elements of an export, in the order in which names are looked up: the frequent ones first.
enum ExportElement: Int, CaseIterable {
    case record, metadataEntry, heartRateList, beats, workoutEvent, workoutStatistics, workoutActivity, workout
    case workoutRoute, fileReference, location, activitySummary, correlation, clinicalRecord, audiogram
    case sensitivityPoint, visionPrescription, leftEye, rightEye, attachment, exportDate, me, healthData
    /// A name that Apple does not describe.
    case other

    var name: String {
        switch self {
        case .record: "Record"
        case .metadataEntry: "MetadataEntry"
        case .heartRateList: "HeartRateVariabilityMetadataList"
        case .beats: "InstantaneousBeatsPerMinute"
        case .workoutEvent: "WorkoutEvent"
        case .workoutStatistics: "WorkoutStatistics"
        case .workoutActivity: "WorkoutActivity"
        case .workout: "Workout"
        case .workoutRoute: "WorkoutRoute"
        case .fileReference: "FileReference"
        case .location: "Location"
        case .activitySummary: "ActivitySummary"
        case .correlation: "Correlation"
        case .clinicalRecord: "ClinicalRecord"
        case .audiogram: "Audiogram"
        case .sensitivityPoint: "SensitivityPoint"
        case .visionPrescription: "VisionPrescription"
        case .leftEye: "LeftEye"
        case .rightEye: "RightEye"
        case .attachment: "Attachment"
        case .exportDate: "ExportDate"
        case .me: "Me"
        case .healthData: "HealthData"
        case .other: "other"
        }
    }

    /// How the element stands in the account.
    enum Standing {
        /// Converted or skipped, and counted either way.
        case element
        /// Belongs to an element.
        case part
        /// Never read.
        case notRead
        case root
    }

    var standing: Standing {
        switch self {
        case .record, .workout, .correlation, .activitySummary, .clinicalRecord, .audiogram, .visionPrescription:
            .element
        case .exportDate, .me: .notRead
        case .healthData: .root
        default: .part
        }
    }
}

/// The attributes that are read. No other attribute's value is ever looked at.
enum ExportAttribute: Int, CaseIterable {
    case type, sourceName, sourceVersion, device, unit, creationDate, startDate, endDate, value, key
    case workoutActivityType, duration, durationUnit, totalDistance, totalDistanceUnit, totalEnergyBurned
    case totalEnergyBurnedUnit, average, minimum, maximum, sum

    /// The names, those of iOS 8 at the end.
    static let names: [(name: String, attribute: ExportAttribute)] = [
        ("type", .type), ("sourceName", .sourceName), ("sourceVersion", .sourceVersion), ("device", .device),
        ("unit", .unit), ("creationDate", .creationDate), ("startDate", .startDate), ("endDate", .endDate),
        ("value", .value), ("key", .key), ("workoutActivityType", .workoutActivityType), ("duration", .duration),
        ("durationUnit", .durationUnit), ("totalDistance", .totalDistance),
        ("totalDistanceUnit", .totalDistanceUnit), ("totalEnergyBurned", .totalEnergyBurned),
        ("totalEnergyBurnedUnit", .totalEnergyBurnedUnit), ("average", .average), ("minimum", .minimum),
        ("maximum", .maximum), ("sum", .sum), ("source", .sourceName), ("source_name", .sourceName),
        ("start_date", .startDate), ("end_date", .endDate), ("creation_date", .creationDate),
    ]
}
