import AccessPolicy

extension Target {
    /// Participant of the target; a Patient's id is the participant's id.
    var participant: String? { subject ?? (isPatient ? resourceID : nil) }

    /// Id of the resource for the audit; nil if it is a participant's id.
    var auditedID: String? { isPatient ? nil : resourceID }

    private var isPatient: Bool { resourceType == "Patient" }
}
