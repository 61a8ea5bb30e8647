/// The elements of an export, in the order of name look-up: the frequent ones first.
enum ExportElement: Int, CaseIterable {
    case record, metadataEntry, heartRateList, beats, workoutEvent, workoutStatistics, workoutActivity, workout
    case workoutRoute, fileReference, location, activitySummary, correlation, clinicalRecord, audiogram
    case sensitivityPoint, visionPrescription, leftEye, rightEye, attachment, exportDate, me, healthData
    /// A name that Apple does not document.
    case other

    var name: StaticString {
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

    var index: Int { rawValue }

    /// The name in the import report.
    var text: String { name.withUTF8Buffer { String(decoding: $0, as: UTF8.self) } }

    /// The counter of the element in the import report.
    enum Category {
        /// An element: it is counted as converted or skipped.
        case element
        /// A part of an element.
        case part
        /// An element that is never read.
        case notRead
        case root
    }

    var category: Category {
        switch self {
        case .record, .workout, .correlation, .activitySummary, .clinicalRecord, .audiogram, .visionPrescription:
            .element
        case .exportDate, .me: .notRead
        case .healthData: .root
        default: .part
        }
    }
}

extension ExportElement {
    private static let byLength: [[(name: StaticString, element: ExportElement)]] = {
        var table: [[(name: StaticString, element: ExportElement)]] = Array(repeating: [], count: 40)
        for element in allCases where element != .other {
            table[element.name.utf8CodeUnitCount].append((element.name, element))
        }
        return table
    }()

    /// Creates the element with the name.
    init(_ name: UnsafeBufferPointer<UInt8>) {
        guard name.count < Self.byLength.count else {
            self = .other
            return
        }
        for entry in Self.byLength[name.count] where name.elementsEqual(entry.name) {
            self = entry.element
            return
        }
        self = .other
    }

    /// Returns whether a tag of an export begins here. If it is inside a value, the value was never closed.
    static func begins(_ bytes: UnsafePointer<UInt8>, _ available: Int) -> Bool {
        beginnings.contains { word in
            available >= word.utf8CodeUnitCount
                && UnsafeBufferPointer(start: bytes, count: word.utf8CodeUnitCount).elementsEqual(word)
        }
    }

    private static let beginnings: [StaticString] = [
        "</", "<Record ", "<MetadataEntry ", "<Correlation ", "<Workout", "<ActivitySummary", "<ClinicalRecord ",
        "<Audiogram ", "<SensitivityPoint ", "<VisionPrescription ", "<RightEye", "<LeftEye", "<Attachment ",
        "<HeartRateVariability", "<InstantaneousBeats", "<FileReference ", "<Location ", "<ExportDate ", "<Me ",
    ]
}
