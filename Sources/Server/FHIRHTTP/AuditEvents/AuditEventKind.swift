import AccessPolicy
import FHIR

/// The codes of an action in an AuditEvent.
struct AuditEventKind {
    let type: Coding
    let subtypes: [Coding]
    let action: AuditEventAction
    /// Whether the person receives data, rather than being their author.
    let isReading: Bool

    /// - Parameter action: the action of a row of the audit.
    init(_ action: String) {
        let own = Coding(system: Self.ownSystem, code: action)
        switch Action(rawValue: action) {
        case .readRecord:
            (type, subtypes, self.action, isReading) = (Self.rest, [Self.interaction("read"), own], .read, true)
        case .searchRecords:
            (type, subtypes, self.action, isReading) = (
                Self.rest, [Self.interaction("search-type"), own], .execute, true
            )
        case .writeRecord:
            (type, subtypes, self.action, isReading) = (Self.rest, [own], .update, false)
        case .exportRecords, .exportParticipant:
            (type, subtypes, self.action, isReading) = (Self.dicom("110106", "Export"), [own], .read, true)
        case .loadHealth:
            (type, subtypes, self.action, isReading) = (Self.dicom("110107", "Import"), [own], .create, false)
        case .signIn, .issueToken, .authorizeApp:
            let login = Self.dicom("110122", "Login")
            (type, subtypes, self.action, isReading) = (
                Self.dicom("110114", "User Authentication"), [login, own], .execute, false
            )
        case .deleteParticipant:
            (type, subtypes, self.action, isReading) = (Self.dicom("110110", "Patient Record"), [own], .delete, false)
        case .manageTokens, .manageClients, .managePeople, .manageGrants, .manageEnrolments:
            let changed = Self.dicom("110137", "User security Attributes Changed")
            (type, subtypes, self.action, isReading) = (
                Self.dicom("110113", "Security Alert"), [changed, own], .update, false
            )
        case .readParticipant, .listParticipants, .listLinks, .readDeliveries, .listPatients, .readProfile,
            .readConsents, .readResults, .readPlan, .readQuestionnaire:
            (type, subtypes, self.action, isReading) = (Self.dicom("110112", "Query"), [own], .read, true)
        default:
            (type, subtypes, self.action, isReading) = (
                Self.dicom("110100", "Application Activity"), [own], .execute, false
            )
        }
    }

    /// The system of the actions of Tributary's audit.
    static let ownSystem = "urn:tributary:audit-action"

    private static let rest: Coding = {
        var coding = Coding(system: "http://terminology.hl7.org/CodeSystem/audit-event-type", code: "rest")
        coding.display = "RESTful Operation"
        return coding
    }()

    private static func interaction(_ code: String) -> Coding {
        Coding(system: "http://hl7.org/fhir/restful-interaction", code: code)
    }

    /// A code of DICOM (<http://dicom.nema.org/resources/ontology/DCM>).
    static func dicom(_ code: String, _ display: String) -> Coding {
        var coding = Coding(system: "http://dicom.nema.org/resources/ontology/DCM", code: code)
        coding.display = display
        return coding
    }
}
