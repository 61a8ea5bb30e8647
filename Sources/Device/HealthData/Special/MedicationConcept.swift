import FHIR

/// A medication in the person's list in the Health app: HealthKit's HKUserAnnotatedMedication with its
/// HKMedicationConcept.
///
/// The medication is represented by its codes, such as RxNorm's. The nickname and the display text can be entered by
/// the person and are not stored.
public struct MedicationConcept: SpecialRecord {
    /// The codes of the medication, without duplicates.
    public let codings: [Coding]
    /// The general form; nil if it is unknown.
    public let form: HealthOption?
    /// Whether the person archived the medication.
    public var isArchived: Bool?
    /// Whether the medication has a schedule.
    public var hasSchedule: Bool?
    public var origin: SpecialOrigin

    /// Maximum number of codes.
    public static let codingLimit = 20

    /// - Parameters:
    ///   - codings: the codes with their systems. A coding is omitted if its system is not a URL or OID, or if its code
    ///     could be free text.
    ///   - form: HealthKit's name of the general form, with or without its prefix.
    /// - Returns: nil if no code is left.
    public init?(
        codings: [(system: String, code: String)], form: String? = nil, isArchived: Bool? = nil,
        hasSchedule: Bool? = nil, origin: SpecialOrigin = SpecialOrigin()
    ) {
        var kept: [Coding] = []
        for (system, code) in codings where Self.isSystem(system) && Self.isCode(code) {
            let coding = Coding(system: system, code: code)
            guard kept.count < Self.codingLimit else { break }
            if !kept.contains(where: { $0.system == system && $0.code == code }) { kept.append(coding) }
        }
        guard !kept.isEmpty else { return nil }
        self.codings = kept.sorted { ($0.system ?? "", $0.code ?? "") < ($1.system ?? "", $1.code ?? "") }
        self.form = form.flatMap(Self.form)
        self.isArchived = isArchived
        self.hasSchedule = hasSchedule
        self.origin = origin
    }

    public var kind: SpecialKind { .medicationConcept }
    public var time: SpecialTime { .unknown }

    public var fingerprint: SampleFingerprint {
        var content = RecordContent(self)
        for coding in codings {
            content.add(coding.system)
            content.add(coding.code)
        }
        content.add(form?.code)
        content.add(isArchived.map { $0 ? 1 : 0 })
        content.add(hasSchedule.map { $0 ? 1 : 0 })
        return content.fingerprint
    }

    /// The fingerprint of the codes alone. A medication changes when it is archived or its schedule changes: the newer
    /// version replaces the older.
    public var resourceFingerprint: SampleFingerprint {
        var content = RecordContent(self)
        for coding in codings {
            content.add(coding.system)
            content.add(coding.code)
        }
        return content.fingerprint
    }

    /// The medication as a CodeableConcept.
    var concept: JSON { CodeableConcept(coding: codings).json }

    /// Returns the observation: the medication is a component, because its codes are not in a fixed list of values.
    public func observation(subject: String?, device: JSON? = nil, extensions: [JSON] = []) -> Observation {
        var parts = ObservationParts()
        parts.add(
            ComponentCode.healthKit("HKMedicationConcept.relatedCodings", "Medication Codes"), type: "CodeableConcept",
            value: concept)
        parts.add(Self.formCode, form)
        if let isArchived {
            parts.add(
                ComponentCode.healthKit("HKUserAnnotatedMedication.isArchived", "Medication Is Archived"),
                type: "Boolean",
                value: .bool(isArchived))
        }
        if let hasSchedule {
            parts.add(
                ComponentCode.healthKit("HKUserAnnotatedMedication.hasSchedule", "Medication Has a Schedule"),
                type: "Boolean", value: .bool(hasSchedule))
        }
        return observation(subject: subject, device: device, extensions: extensions, parts)
    }

    public func resource(subject: String?, device: JSON?, extensions: [JSON]) -> JSON {
        observation(subject: subject, device: device, extensions: extensions).json
    }

    static let formCode = ComponentCode.healthKit("HKMedicationConcept.generalForm", "Medication General Form")

    private static func form(_ name: String) -> HealthOption? {
        let prefix = "HKMedicationGeneralForm"
        let short = name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name
        return forms[short.lowercased()]
    }

    /// HealthKit's general forms, except "unknown".
    private static let forms: [String: HealthOption] = {
        let names = """
            Capsule Cream Device Drops Foam Gel Inhaler Injection Liquid Lotion Ointment Patch Powder Spray Suppository \
            Tablet Topical
            """
        var forms: [String: HealthOption] = [:]
        for name in names.split(separator: " ") {
            forms[name.lowercased()] = HealthOption("HKMedicationGeneralForm" + name, String(name))
        }
        return forms
    }()

    private static func isSystem(_ text: String) -> Bool {
        guard text.utf8.count <= 128, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return false }
        return ["http://", "https://", "urn:oid:"].contains { text.hasPrefix($0) && text.utf8.count > $0.utf8.count }
    }

    private static func isCode(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.contains { (0x30...0x39).contains($0) }
            && text.utf8.allSatisfy {
                switch $0 {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."): true
                default: false
                }
            }
    }
}
