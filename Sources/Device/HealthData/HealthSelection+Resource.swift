import FHIR

extension HealthSelection.Inclusion {
    /// Returns the inclusions that permit a device's resource: it is accepted if the consent contains one of these. The
    /// set is empty for resources that need no inclusion.
    ///
    /// Routes and series of beat-to-beat times are recognised by their code. Records of hospitals are recognised by
    /// their type, or, for Observations, by the identifier of such records (``ClinicalRecord/idSystem``). A
    /// DocumentReference is either a note or the original of another record. Only its content distinguishes the two, so
    /// either inclusion permits it.
    public static func permitting(_ resource: Resource) -> Set<HealthSelection.Inclusion> {
        switch resource.resourceType {
        case Observation.resourceType: permitting(observation: resource)
        case "DocumentReference": [.clinicalRecords, .notes]
        case let type where ClinicalRecord.resourceTypes.contains(type): [.clinicalRecords]
        default: []
        }
    }

    private static func permitting(observation: Resource) -> Set<HealthSelection.Inclusion> {
        let observation = Observation(observation.object)
        let codings = observation.code?.coding ?? []
        let codes = codings.filter { $0.system == HealthCodeSystem.healthKit }.map(\.code)
        if codes.contains(SpecialKind.workoutRoute.identifier) { return [.routes] }
        if codes.contains(SpecialKind.heartbeatSeries.identifier) { return [.heartbeats] }
        return observation.identifier.contains { $0.system == ClinicalRecord.idSystem } ? [.clinicalRecords] : []
    }
}

extension ClinicalRecord {
    /// The types of resources that HealthKit's clinical records have, in addition to Observation; DocumentReference is
    /// the type of records that cannot be read as R4
    /// (<https://developer.apple.com/documentation/healthkit/hkclinicaltypeidentifier>).
    public static let resourceTypes: Set<String> = [
        "AllergyIntolerance", "Condition", "Coverage", "DiagnosticReport", "DocumentReference", "Immunization",
        "MedicationDispense", "MedicationRequest", "MedicationStatement", "Procedure",
    ]
}
