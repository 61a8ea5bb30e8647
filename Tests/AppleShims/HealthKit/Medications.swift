import Foundation

/// Available since iOS 26.
public final class HKHealthConceptIdentifier: NSObject, @unchecked Sendable {
    let text: String
    public init(text: String) { self.text = text }
    override public func isEqual(_ object: Any?) -> Bool { (object as? HKHealthConceptIdentifier)?.text == text }
    override public var hash: Int { text.hashValue }
}

/// Available since iOS 26.
public final class HKClinicalCoding: NSObject, @unchecked Sendable {
    public let system: String
    public let version: String?
    public let code: String
    public init(system: String, version: String? = nil, code: String) {
        self.system = system
        self.version = version
        self.code = code
    }
}

public struct HKMedicationGeneralForm: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let tablet = HKMedicationGeneralForm(rawValue: "HKMedicationGeneralFormTablet")
}

/// objc: class HKMedicationConcept
public final class HKMedicationConcept: NSObject, @unchecked Sendable {
    public let identifier: HKHealthConceptIdentifier
    public let displayText: String
    public let generalForm: HKMedicationGeneralForm
    public let relatedCodings: Set<HKClinicalCoding>
    public init(
        identifier: HKHealthConceptIdentifier, displayText: String, generalForm: HKMedicationGeneralForm,
        relatedCodings: Set<HKClinicalCoding>
    ) {
        self.identifier = identifier
        self.displayText = displayText
        self.generalForm = generalForm
        self.relatedCodings = relatedCodings
    }
}

/// objc: class HKUserAnnotatedMedication
public final class HKUserAnnotatedMedication: NSObject, @unchecked Sendable {
    public let nickname: String?
    // objc: HKUserAnnotatedMedication isArchived
    public let isArchived: Bool
    // objc: HKUserAnnotatedMedication hasSchedule
    public let hasSchedule: Bool
    public let medication: HKMedicationConcept
    public init(nickname: String?, isArchived: Bool, hasSchedule: Bool, medication: HKMedicationConcept) {
        self.nickname = nickname
        self.isArchived = isArchived
        self.hasSchedule = hasSchedule
        self.medication = medication
    }
}

/// Swift only; Objective-C's headers do not have it.
public struct HKUserAnnotatedMedicationQueryDescriptor: Sendable {
    public init() {}
    public func result(for store: HKHealthStore) async throws -> [HKUserAnnotatedMedication] {
        store.database.medications
    }
}

public final class HKMedicationDoseEventType: HKSampleType, @unchecked Sendable {}

extension HKObjectType {
    public static func medicationDoseEventType() -> HKMedicationDoseEventType {
        HKMedicationDoseEventType(named: "HKMedicationDoseEventTypeIdentifierMedicationDoseEvent")
    }
}

/// objc: class HKMedicationDoseEvent
public final class HKMedicationDoseEvent: HKSample, @unchecked Sendable {
    public enum LogStatus: Int, Sendable {
        case notInteracted = 1  // objc: HKMedicationDoseEventLogStatusNotInteracted
        case notificationNotSent = 2  // objc: HKMedicationDoseEventLogStatusNotificationNotSent
        case snoozed = 3  // objc: HKMedicationDoseEventLogStatusSnoozed
        case taken = 4  // objc: HKMedicationDoseEventLogStatusTaken
        case skipped = 5  // objc: HKMedicationDoseEventLogStatusSkipped
        case notLogged = 6  // objc: HKMedicationDoseEventLogStatusNotLogged
    }
    public enum ScheduleType: Int, Sendable {
        case asNeeded = 1  // objc: HKMedicationDoseEventScheduleTypeAsNeeded
        case schedule = 2  // objc: HKMedicationDoseEventScheduleTypeSchedule
    }
    public let logStatus: LogStatus
    public let scheduleType: ScheduleType
    public let medicationConceptIdentifier: HKHealthConceptIdentifier
    public let scheduledDate: Date?
    public let scheduledDoseQuantity: Double?
    public let doseQuantity: Double?
    public let unit: HKUnit
    public init(
        date: Date, logStatus: LogStatus, scheduleType: ScheduleType, medication: HKHealthConceptIdentifier,
        scheduledDate: Date? = nil, scheduledDoseQuantity: Double? = nil, doseQuantity: Double? = nil, unit: HKUnit,
        origin: Origin = Origin()
    ) {
        self.logStatus = logStatus
        self.scheduleType = scheduleType
        medicationConceptIdentifier = medication
        self.scheduledDate = scheduledDate
        self.scheduledDoseQuantity = scheduledDoseQuantity
        self.doseQuantity = doseQuantity
        self.unit = unit
        super.init(HKObjectType.medicationDoseEventType(), date, date, origin)
    }
}
