extension Target {
    /// The participant whom it is about: a Patient's id is the participant's.
    var participant: String? { subject ?? (isPatient ? resourceID : nil) }

    /// The id of the resource as the audit has it: none that is a participant's.
    var auditedID: String? { isPatient ? nil : resourceID }

    private var isPatient: Bool { resourceType == "Patient" }
}
