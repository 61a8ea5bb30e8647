import FHIR

/// A dose of a medication that the person logged, skipped or received a reminder of: HealthKit's HKMedicationDoseEvent.
public struct MedicationDose: SpecialRecord {
    /// The status of the dose: HealthKit's HKMedicationDoseEvent.LogStatus.
    public enum LogStatus: Int, Sendable, CaseIterable {
        /// The person did not answer the reminder.
        case notInteracted = 1
        /// The reminder was not sent.
        case notificationNotSent
        /// The person postponed the reminder.
        case snoozed
        /// The dose was taken.
        case taken
        /// The dose was skipped.
        case skipped
        /// The dose was not logged.
        case notLogged
    }

    /// The reason for the dose: HealthKit's HKMedicationDoseEvent.ScheduleType.
    public enum ScheduleType: Int, Sendable, CaseIterable {
        /// As needed.
        case asNeeded = 1
        /// According to a schedule.
        case schedule
    }

    public var start: HealthInstant
    public var end: HealthInstant
    public var status: LogStatus
    /// The type of schedule; nil if the source does not report it.
    public var scheduleType: ScheduleType?
    /// The scheduled time of the dose.
    public var scheduled: HealthInstant?
    /// The logged dose.
    public let dose: SpecialQuantity?
    /// The scheduled dose.
    public let scheduledDose: SpecialQuantity?
    /// The medication; nil if its codes are unknown.
    public let medication: MedicationConcept?
    public var origin: SpecialOrigin

    /// Creates a dose from its parts.
    public init(
        start: HealthInstant, end: HealthInstant? = nil, status: LogStatus, scheduleType: ScheduleType? = nil,
        scheduled: HealthInstant? = nil, dose: SpecialQuantity? = nil, scheduledDose: SpecialQuantity? = nil,
        medication: MedicationConcept? = nil, origin: SpecialOrigin
    ) {
        self.start = start
        self.end = end ?? start
        self.status = status
        self.scheduleType = scheduleType
        self.scheduled = scheduled
        self.dose = dose
        self.scheduledDose = scheduledDose
        self.medication = medication
        self.origin = origin
    }

    /// Returns an amount in one of HealthKit's units; nil if the number is not finite or the unit has no UCUM code.
    ///
    /// - Parameter unit: HealthKit's unit. A count is a number of tablets, puffs and the like.
    public static func amount(_ value: Double, unit name: String) -> SpecialQuantity? {
        guard value.isFinite, let number = JSONNumber(text: ExactDecimal.text(value)) else { return nil }
        if name == HealthKitUnit.count.text {
            return SpecialQuantity(number, HealthUnit("{dose}", "doses"), writtenUnit: name)
        }
        guard let unit = try? HealthKitUnit(name), let code = unit.ucum else { return nil }
        return SpecialQuantity(number, HealthUnit(code, name), writtenUnit: name)
    }

    public var kind: SpecialKind { .medicationDose }
    public var time: SpecialTime { .period(start, end) }

    public var fingerprint: SampleFingerprint {
        var content = RecordContent(self)
        content.add(status.rawValue)
        content.add(scheduleType?.rawValue)
        if let scheduled { content.add(scheduled) } else { content.add("") }
        content.add(dose)
        content.add(scheduledDose)
        for coding in medication?.codings ?? [] {
            content.add(coding.system)
            content.add(coding.code)
        }
        return content.fingerprint
    }

    /// Returns the observation: the status of the dose is the value.
    public func observation(subject: String?, device: JSON? = nil, extensions: [JSON] = []) -> Observation {
        var parts = ObservationParts()
        parts.value = ("CodeableConcept", status.option.coded)
        if let medication {
            parts.add(
                Self.code("medicationConceptIdentifier", "Medication"), type: "CodeableConcept",
                value: medication.concept)
            parts.add(MedicationConcept.formCode, medication.form)
        }
        parts.add(Self.code("scheduleType", "Medication Dose Schedule Type"), scheduleType?.option)
        if let scheduled {
            parts.add(
                Self.code("scheduledDate", "Medication Dose Scheduled Date"), type: "DateTime",
                value: .string(scheduled.text))
        }
        parts.add(Self.code("doseQuantity", "Medication Dose Quantity"), dose)
        parts.add(Self.code("scheduledDoseQuantity", "Medication Scheduled Dose Quantity"), scheduledDose)
        return observation(subject: subject, device: device, extensions: extensions, parts)
    }

    public func resource(subject: String?, device: JSON?, extensions: [JSON]) -> JSON {
        observation(subject: subject, device: device, extensions: extensions).json
    }

    private static func code(_ property: String, _ title: String) -> JSON {
        ComponentCode.healthKit("HKMedicationDoseEvent." + property, title)
    }
}

extension MedicationDose.LogStatus {
    /// HealthKit's case with its display text.
    public var option: HealthOption {
        let (name, words) =
            switch self {
            case .notInteracted: ("NotInteracted", "No answer to the reminder")
            case .notificationNotSent: ("NotificationNotSent", "Reminder not sent")
            case .snoozed: ("Snoozed", "Reminder postponed")
            case .taken: ("Taken", "Taken")
            case .skipped: ("Skipped", "Skipped")
            case .notLogged: ("NotLogged", "Not logged")
            }
        return HealthOption("HKMedicationDoseEventLogStatus" + name, words, aliases: [String(rawValue)])
    }
}

extension MedicationDose.ScheduleType {
    /// HealthKit's case with its display text.
    public var option: HealthOption {
        let (name, words) = self == .asNeeded ? ("AsNeeded", "As needed") : ("Schedule", "By a schedule")
        return HealthOption("HKMedicationDoseEventScheduleType" + name, words, aliases: [String(rawValue)])
    }
}
